"""Forms about runs and pools."""
