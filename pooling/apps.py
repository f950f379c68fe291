from importlib import import_module

from django.apps import AppConfig


class PoolingConfig(AppConfig):
    name = "pooling"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Listen to what annotate tells."""
        import_module("pooling.receivers")
