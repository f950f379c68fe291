"""One key says what a score was computed with, instead of a word and a reference set."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from django.db import migrations, models
from django.db.models import Q

UNNAMED = "unnamed"  # what annotate 0005 calls a set without a name
PEOPLE = {"people_over_reference": "over", "union": "union", "people": "only", "reference": "none"}
CHOICES = [
    ("qrels", "Qrels"),
    ("beir", "BEIR folder"),
    ("fire", "Labels as JSON"),
    ("strata", "Stratified qrels"),
    ("judgments", "Judgments"),
    ("disputed", "Disputed pairs"),
    ("conflicts", "Conflicts with references"),
    ("cannot-judge", "Cannot judge"),
    ("scores", "Scores a query"),
    ("run", "Run as it was scored"),
]
# A collection that was given a reference set after its first scores still holds those of people alone.
REFRESH = (
    "INSERT INTO annotate_change (collection_id) SELECT DISTINCT collection_id FROM pooling_run"
)


def key(word: str, name: str | None) -> str:
    """The key of a word and a reference set."""
    if name is None or word == "people":
        return "only"
    quoted = re.sub(r"[^\w.:~()-]", lambda found: quote(found[0]), name or UNNAMED)
    return f"{PEOPLE[word]}:{quoted}"


def name_scores(apps: Any, schema_editor: Any) -> None:
    """Scores name their source by its key."""
    names = dict(apps.get_model("annotate", "ReferenceSet").objects.values_list("pk", "name"))
    scores = apps.get_model("metrics", "Score").objects.order_by("label_source", "reference_set")
    for word, reference in scores.values_list("label_source", "reference_set").distinct():
        same = scores.filter(label_source=word, reference_set=reference)
        same.update(label_source=key(word, names.get(reference)))


def name_downloads(apps: Any, schema_editor: Any) -> None:
    """What a download was asked with, so that it can be asked for again."""
    for download in apps.get_model("metrics", "Download").objects.filter(
        parameters__has_key="label_source"
    ):
        parameters = dict(download.parameters)
        parameters["label_source"] = key(
            parameters["label_source"], parameters.pop("reference", None)
        )
        type(download).objects.filter(pk=download.pk).update(parameters=parameters)


def name_observations(apps: Any, schema_editor: Any) -> None:
    """The kept history of scores: [run, query set, reference set, label source, measure, mean] loses a column."""
    names = dict(apps.get_model("annotate", "ReferenceSet").objects.values_list("pk", "name"))
    for point in (
        apps.get_model("metrics", "Observation")
        .objects.filter(kind="scores")
        .iterator(chunk_size=100)
    ):
        columns = ["run", "query_set", "label_source", "measure", "mean"]
        value = {"columns": columns, "rows": list(_rows(point.value["rows"], names))}
        type(point).objects.filter(pk=point.pk).update(value=value)


def _rows(rows: list[list[Any]], names: dict[int, str]) -> Iterator[list[Any]]:
    for run, query_set, reference, word, measure, mean in rows:
        if reference is None or reference in names:
            yield [run, query_set, key(word, names.get(reference)), measure, mean]


def forget_views(apps: Any, schema_editor: Any) -> None:
    """What is computed when somebody looks is computed anew."""
    apps.get_model("metrics", "BoardView").objects.all().delete()
    apps.get_model("metrics", "Snapshot").objects.filter(kind__startswith="favour").delete()


class Migration(migrations.Migration):
    dependencies = [("metrics", "0002_bounds"), ("annotate", "0003_unknown_limit")]

    operations = [
        migrations.RemoveConstraint("score", "metrics_score_known_source"),
        migrations.RemoveConstraint("score", "metrics_score_unique"),
        migrations.AlterField(
            "score",
            "label_source",
            models.TextField(help_text="Its key; see metrics.core.labels.label_sources."),
        ),
        migrations.RunPython(name_scores, migrations.RunPython.noop),
        migrations.RunPython(name_downloads, migrations.RunPython.noop),
        migrations.RunPython(name_observations, migrations.RunPython.noop),
        migrations.RunPython(forget_views, migrations.RunPython.noop),
        migrations.RunSQL(REFRESH, migrations.RunSQL.noop),
        migrations.RemoveField("score", "reference_set"),
        migrations.AddConstraint(
            "score",
            models.UniqueConstraint(
                fields=["run", "query_set", "label_source", "measure", "threshold"],
                name="metrics_score_unique",
            ),
        ),
        migrations.AddConstraint(
            "score",
            models.CheckConstraint(
                condition=Q(label_source="only") | Q(label_source__regex="^(over|union|none):."),
                name="metrics_score_known_source",
            ),
        ),
        migrations.RemoveConstraint("download", "metrics_download_known_kind"),
        migrations.AlterField("download", "kind", models.CharField(choices=CHOICES, max_length=12)),
        migrations.AddConstraint(
            "download",
            models.CheckConstraint(
                condition=Q(kind__in=[kind for kind, _ in CHOICES]),
                name="metrics_download_known_kind",
            ),
        ),
    ]
