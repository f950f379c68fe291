"""Plain rules of publishing a collection: its licence, and the people to cite."""
