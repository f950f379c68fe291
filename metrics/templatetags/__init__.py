"""Template filters for pages of scores."""
