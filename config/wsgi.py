"""The web application for gunicorn; see config/web."""

import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application
from django.urls import reverse

from config.deployment.plainly import plainly

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

with plainly():
    application = get_wsgi_application()
    import_module("config.deployment.services").refuse_before_forking()
import_module("config.outages").limit_waiting()  # not before: it needs the settings
import_module("config.celery").hand_over_soon()
reverse("healthz")  # loads the code of all pages before gunicorn forks: a new worker's first answer takes no longer
