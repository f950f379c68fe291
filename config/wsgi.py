"""The web application for gunicorn; see config/web."""

import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
import_module("config.outages").limit_waiting()  # not before: it needs the settings
