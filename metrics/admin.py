"""A look at derived numbers for who looks after the site; `manage.py rebuild_metrics` makes them again."""

from django.contrib import admin

from annotate.admin import ReadOnlyAdmin
from metrics.models import Score, Snapshot


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnlyAdmin):
    """The current numbers of each kind."""

    list_display = ["kind", "collection", "n_judgments", "computed_at"]
    list_select_related = ["collection"]
    fields = ["collection", "kind", "value", "n_judgments", "inputs_sha256", "computed_at"]


@admin.register(Score)
class ScoreAdmin(ReadOnlyAdmin):
    """Means and intervals; values a query are in the downloads."""

    list_display = ["run", "query_set", "label_source", "reference_set", "measure", "threshold", "mean", "computed_at"]
    list_select_related = ["run", "query_set", "reference_set"]
    fields = [
        "run", "query_set", "label_source", "reference_set", "measure", "threshold", "mean", "low", "high",
        "n_queries", "n_missing", "n_with_positive", "inputs_sha256", "computed_at",
    ]  # fmt: skip
