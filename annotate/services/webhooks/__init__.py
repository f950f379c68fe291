"""Webhooks: setting them, sending them by the one outbound door, trying again, the log."""
