"""Rules and readers of files without any framework."""
