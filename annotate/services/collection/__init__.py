"""A collection and what it holds: scheme, media, sets, groups; its export and its end."""
