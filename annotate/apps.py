from importlib import import_module

from django.apps import AppConfig


class AnnotateConfig(AppConfig):
    name = "annotate"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the receivers, and register the kinds of work and of kept values."""
        import_module("annotate.receivers")
        import_module("annotate.services.policy.costs")
        import_module("annotate.services.policy.policies")
        import_module("annotate.services.imports.imports")
        import_module("annotate.services.review.decision_handlers")
