"""The web application for gunicorn; see config/web."""

import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application
from django.urls import reverse

from config.deployment.clean_exit import exit_without_traceback

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

with exit_without_traceback():
    application = get_wsgi_application()
    import_module("config.checks.service_checks").check_services_before_forking()
import_module("config.site.outages").limit_waiting()  # not before: it needs the settings
import_module("config.celery").limit_publish_wait()
# loads the code of all pages before gunicorn forks: a new worker's first answer takes no longer
reverse("healthz")
