"""Endpoints about people: members, invitations, annotators, and a person's own data."""
