from importlib import import_module

from django.apps import AppConfig


class MetricsConfig(AppConfig):
    name = "metrics"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the receivers, and register the kinds of kept values."""
        import_module("metrics.receivers")
        import_module("metrics.services.analysis.computation")
        import_module("metrics.services.comments.kept_counts")
        import_module("metrics.services.dashboard.details")
        import_module("metrics.services.explorer.disagreement")
        import_module("metrics.services.leaderboard.computation")
        import_module("metrics.services.pool_bias.study")
