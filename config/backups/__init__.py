"""`manage.py backup` and `manage.py restore`: one moment of the database, and its files."""
