"""Actions: one keyword-only function for each thing that people do."""
