"""Pages of runs and pools."""
