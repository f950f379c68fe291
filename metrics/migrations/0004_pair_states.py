"""Pairs are counted by their states: counts of before are made anew."""

from django.db import migrations, models
from django.db.models import Q

KINDS = [
    ("qrels", "Qrels"),
    ("beir", "BEIR folder"),
    ("fire", "Labels as JSON"),
    ("strata", "Stratified qrels"),
    ("judgments", "Judgments"),
    ("pairs", "Pairs and their states"),
    ("disputed", "Disputed pairs"),
    ("conflicts", "Conflicts with references"),
    ("cannot-judge", "Cannot judge"),
    ("scores", "Scores a query"),
    ("run", "Run as it was scored"),
]
FORGET = "DELETE FROM metrics_snapshot WHERE kind = 'progress'"
REFRESH = (
    "INSERT INTO annotate_change (collection_id) SELECT DISTINCT collection_id FROM annotate_round"
)


class Migration(migrations.Migration):
    dependencies = [("metrics", "0003_label_sources"), ("annotate", "0004_pair_states")]

    operations = [
        migrations.RemoveConstraint("download", "metrics_download_known_kind"),
        migrations.AlterField("download", "kind", models.CharField(choices=KINDS, max_length=12)),
        migrations.AddConstraint(
            "download",
            models.CheckConstraint(
                condition=Q(kind__in=[kind for kind, _ in KINDS]),
                name="metrics_download_known_kind",
            ),
        ),
        migrations.RunSQL(FORGET, migrations.RunSQL.noop),
        migrations.RunSQL(REFRESH, migrations.RunSQL.noop),
    ]
