"""Labels as arrays, groups of queries, runs measured, stored scores, resolutions by a model."""
