"""The Django application config, which holds the commands that run the product."""

from importlib import import_module

from django.apps import AppConfig

from config.celery import app as celery_app

__all__ = ["ConfigConfig", "celery_app"]  # loading Celery here makes every shared task belong to our application


class ConfigConfig(AppConfig):
    """Registers config with Django."""

    name = "config"

    def ready(self) -> None:
        """Take note of who sets up a second factor, and let `check` know what is refused."""
        import_module("config.second_factor").listen()
        import_module("config.deployment.checks")
