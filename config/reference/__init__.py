"""The reference of the API for people: pages of its schema."""
