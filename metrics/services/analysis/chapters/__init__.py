"""The analyses of each chapter: what they read, and their rows of the register."""
