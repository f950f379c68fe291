"""Accounts, invitations, tokens, limits of wrong passwords, and what people may take away."""
