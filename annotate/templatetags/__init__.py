"""Template filters of annotate, for pages of all applications."""
