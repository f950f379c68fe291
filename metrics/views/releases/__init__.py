"""The pages of releases: made, compared, published, withdrawn; and those for everybody."""
