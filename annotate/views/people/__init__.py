"""Pages of people: their own account, members, one annotator, invitations, tokens."""
