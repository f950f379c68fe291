"""What workers make of media."""
