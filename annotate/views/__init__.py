"""Pages, and what their scripts call."""
