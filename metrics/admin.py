"""Read-only pages of derived numbers for administrators; `manage.py rebuild` recomputes them."""

from django.contrib import admin

from annotate.admin import ReadOnlyAdmin
from metrics.models import (
    Alarm,
    AlarmEvent,
    AlarmMail,
    Block,
    Download,
    Plan,
    PlanLook,
    RefreshTries,
    Score,
    Snapshot,
    Tally,
)


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnlyAdmin):
    """The current numbers of each kind."""

    list_display = ["kind", "collection", "n_judgments", "computed_at"]
    list_select_related = ["collection"]
    fields = ["collection", "kind", "value", "n_judgments", "inputs_sha256", "computed_at"]


@admin.register(RefreshTries)
class RefreshTriesAdmin(ReadOnlyAdmin):
    """Collections whose numbers could not be refreshed."""

    list_display = ["collection", "n", "is_slow", "since", "next_at"]
    list_select_related = ["collection"]
    fields = ["collection", "n", "is_slow", "since", "next_at"]


@admin.register(Score)
class ScoreAdmin(ReadOnlyAdmin):
    """Means and intervals; the values of each query are in the downloads."""

    list_display = [
        "run",
        "query_set",
        "label_source",
        "measure",
        "threshold",
        "mean",
        "computed_at",
    ]
    list_select_related = ["run", "query_set"]
    fields = [
        "run",
        "query_set",
        "label_source",
        "measure",
        "threshold",
        "mean",
        "low",
        "high",
        "n_queries",
        "n_missing",
        "n_with_positive",
        "inputs_sha256",
        "computed_at",
    ]


@admin.register(Alarm)
class AlarmAdmin(ReadOnlyAdmin):
    """Alarms that leads set."""

    list_display = ["kind", "below", "n_at_least", "collection", "created_at", "ended_at"]
    list_select_related = ["collection"]
    fields = ["collection", "kind", "below", "n_at_least", "by", "created_at", "ended_at"]


@admin.register(AlarmEvent)
class AlarmEventAdmin(ReadOnlyAdmin):
    """Rises and falls of alarms."""

    list_display = ["alarm", "annotator", "kind", "value", "n", "at"]
    list_select_related = ["alarm", "annotator"]
    fields = ["alarm", "annotator", "kind", "value", "n", "at"]


@admin.register(AlarmMail)
class AlarmMailAdmin(ReadOnlyAdmin):
    """Mails to leads about alarms that rose."""

    list_display = ["event", "mail_attempts", "mail_attempt_at", "mailed_at"]
    list_select_related = ["event__alarm"]
    fields = ["event", "mail_attempts", "mail_attempt_at", "mailed_at"]


@admin.register(Plan)
class PlanAdmin(ReadOnlyAdmin):
    """Plans that leads fixed beforehand."""

    list_display = ["measure", "query_set", "collection", "alpha", "looks", "fixed_at", "ended_at"]
    list_select_related = ["collection", "query_set"]
    fields = [
        "collection",
        "query_set",
        "measure",
        "threshold",
        "label_source",
        "method",
        "alpha",
        "looks",
        "runs",
        "n_judged",
        "fixed_by",
        "fixed_at",
        "ended_at",
    ]


@admin.register(PlanLook)
class PlanLookAdmin(ReadOnlyAdmin):
    """Decisions of the looks of plans."""

    list_display = ["plan", "number", "n_judged", "level", "at"]
    list_select_related = ["plan"]
    fields = ["plan", "number", "n_judged", "level", "value", "at"]


@admin.register(Block)
class BlockAdmin(ReadOnlyAdmin):
    """Counts of each block of pairs."""

    list_display = ["number", "collection"]
    list_select_related = ["collection"]
    fields = ["collection", "number", "keys", "numbers"]


@admin.register(Tally)
class TallyAdmin(ReadOnlyAdmin):
    """The counts from which current numbers are computed."""

    list_display = ["key", "n", "collection"]
    list_select_related = ["collection"]
    fields = ["collection", "key", "n"]


@admin.register(Download)
class DownloadAdmin(ReadOnlyAdmin):
    """Requested files; their bytes are reached from the collection's page."""

    list_display = [
        "file_name",
        "collection",
        "kind",
        "work__state",
        "n_rows",
        "n_bytes",
        "by",
        "created_at",
    ]
    list_select_related = ["collection", "by", "work"]
    fields = [
        "collection",
        "kind",
        "parameters",
        "made_with",
        "work",
        "file_name",
        "n_bytes",
        "n_rows",
        "sha256",
        "as_of",
        "by",
        "created_at",
    ]
