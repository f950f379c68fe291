"""A collection and what it holds: scheme, policy, media, sets, groups; its export and deletion."""
