"""Two releases, or a release and the present, side by side: what changed between them."""
