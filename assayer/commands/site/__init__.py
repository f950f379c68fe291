"""Commands that talk to a site."""
