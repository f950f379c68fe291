"""The web server: gunicorn with our worker, which gives threads to complete requests."""
