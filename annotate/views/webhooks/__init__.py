"""Pages of webhooks: the addresses of a collection's programs, and the log of messages."""
