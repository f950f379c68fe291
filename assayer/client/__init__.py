"""The API of a site as Python objects."""
