from importlib import import_module

from django.apps import AppConfig


class MetricsConfig(AppConfig):
    name = "metrics"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Listen to what annotate tells."""
        import_module("metrics.receivers")
