"""Accounts, invitations and tokens, and what people may take away or have erased."""
