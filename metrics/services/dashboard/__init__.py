"""The lead's dashboard and the pages of people, from stored numbers."""
