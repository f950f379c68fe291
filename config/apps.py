"""The Django application config, which holds the commands that run the product."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Registers config with Django."""

    name = "config"
