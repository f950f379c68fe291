"""The Django application `config`, which holds the commands that run the product."""

from importlib import import_module

from django.apps import AppConfig

from config.celery import app as celery_app

# loading Celery here makes every shared task belong to our application
__all__ = ["ConfigConfig", "celery_app"]


class ConfigConfig(AppConfig):
    """Registers config with Django."""

    name = "config"

    def ready(self) -> None:
        """Connect the signals of second factors, and register the checks of `check --deploy`."""
        import_module("config.site.second_factor").connect_signals()
        import_module("config.checks.system_checks")
