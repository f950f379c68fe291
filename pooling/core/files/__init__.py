"""Run files: recognized, read in parts, given back query by query; doubts, and papers named."""
