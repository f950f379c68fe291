"""`manage.py backup` and `manage.py restore`: the database of one moment, and the files that it names."""
