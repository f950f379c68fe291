"""Forms of the pages and of the API."""
