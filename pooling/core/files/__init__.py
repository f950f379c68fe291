"""Run files of any format: recognized, read in parts, given back query by query."""
