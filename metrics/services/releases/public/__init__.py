"""Public pages of releases, read from their archives and rows alone: nothing else is public."""
