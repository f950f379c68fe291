"""Actions on runs and pools."""
