from importlib import import_module

from django.apps import AppConfig


class PoolingConfig(AppConfig):
    name = "pooling"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register receivers, and the kinds of imports, works and kept values of runs and pools."""
        import_module("pooling.receivers")
        import_module("pooling.services.pools.pools")
        import_module("pooling.services.pools.preview_requests")
        import_module("pooling.services.runs.documents")
