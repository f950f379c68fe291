"""Training of annotators: its setup, quiz and tries, and who has passed."""
