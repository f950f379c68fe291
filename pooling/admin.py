"""Read-only admin pages of runs and pools; everything is changed on the product's own pages."""

from django.contrib import admin

from annotate.admin import ReadOnlyAdmin
from pooling.models import Pool, Run


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    """Runs; their files stay where only the services read them."""

    list_display = ["name", "collection", "direction", "state", "work__state", "created_at"]
    list_select_related = ["collection", "work"]
    fields = [
        "collection",
        "name",
        "direction",
        "system",
        "state",
        "on_hold_since",
        "reading_due_at",
        "work",
        "file_name",
        "sha256",
        "report",
    ]


@admin.register(Pool)
class PoolAdmin(ReadOnlyAdmin):
    """Pools, and the work at them, which says why those that failed did."""

    list_display = ["name", "collection", "strategy", "state", "work__state", "created_at"]
    list_select_related = ["collection", "work"]
    fields = ["collection", "name", "strategy", "parameters", "seed", "state", "work", "opened_at"]
