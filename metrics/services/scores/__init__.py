"""Labels as arrays, runs measured by them, and the stored scores."""
