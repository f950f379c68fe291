"""A collection and what it holds: scheme, guidelines, policy, media, query and reference sets."""
