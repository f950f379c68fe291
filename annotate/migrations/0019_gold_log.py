"""Golds that were added, made, retired and brought back stand in the log of decisions."""

from django.db import migrations, models
from django.db.models import Q

KINDS = [
    ("adjudicated", "Adjudicated"),
    ("adjudication_undone", "Adjudication undone"),
    ("batch_accepted", "Batch accepted"),
    ("batch_rejected", "Batch rejected"),
    ("batch_requeued", "Batch asked again"),
    ("batch_reopened", "Verdict taken back"),
    ("labels_withdrawn", "Labels withdrawn"),
    ("labels_restored", "Labels restored"),
    ("paused", "Person paused"),
    ("resumed", "Person resumed"),
    ("reports_settled", "Returned to the queue"),
    ("reports_reopened", "Reports opened again"),
    ("pair_excluded", "Pair excluded"),
    ("pair_restored", "Pair taken back in"),
    ("item_excluded", "Item excluded"),
    ("item_restored", "Item taken back in"),
    ("gold_added", "Gold added"),
    ("gold_retired", "Gold retired"),
    ("gold_restored", "Gold brought back"),
    ("golds_made", "Golds made"),
]


class Migration(migrations.Migration):
    dependencies = [("annotate", "0018_review_work")]

    operations = [
        migrations.RemoveConstraint("reviewaction", "annotate_reviewaction_known_kind"),
        migrations.RemoveConstraint("reviewaction", "annotate_reviewaction_about_something"),
        migrations.AlterField("reviewaction", "kind", models.CharField(choices=KINDS, max_length=20)),
        migrations.AddConstraint(
            "reviewaction",
            models.CheckConstraint(
                condition=Q(kind__in=[kind for kind, _ in KINDS]), name="annotate_reviewaction_known_kind"
            ),
        ),
        migrations.AddConstraint(
            "reviewaction",
            models.CheckConstraint(
                condition=Q(annotator__isnull=False)
                | Q(pair__isnull=False)
                | Q(item__isnull=False)
                | Q(kind="golds_made"),
                name="annotate_reviewaction_about_something",
            ),
        ),
    ]
