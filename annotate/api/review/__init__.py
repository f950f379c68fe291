"""API of what leads review: resolutions, the inbox, its batches and pairs, and the log."""
