"""Pages of what waits for leads: inbox, batches, golds, the log."""
