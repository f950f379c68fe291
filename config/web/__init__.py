"""The web server: gunicorn with a worker of ours, which gives threads to requests that have arrived."""
