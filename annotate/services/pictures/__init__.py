"""Pictures by which people know items again: previews of their images."""
