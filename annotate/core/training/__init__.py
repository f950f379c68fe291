"""Training of annotators: its files, its marking, its quiz."""
