"""The pages of releases: made, compared, withdrawn."""
