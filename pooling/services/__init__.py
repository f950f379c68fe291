"""What happens when, for runs and pools."""
