"""gunicorn's settings, for `up` and containers: `-c python:config.web.gunicorn_settings`."""

wsgi_app = "config.wsgi"
worker_class = "config.web.worker.Worker"
workers = 2
threads = 8
keepalive = 30  # longer than people think about a pair: an answer finds its connection open
preload_app = True  # loading the product before it forks shares the memory of it
control_socket_disable = True
