"""The manifest of a release, read from the database: collection, people, labels, pools."""
