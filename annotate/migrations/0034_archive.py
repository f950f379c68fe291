"""Collections that a lead archived, and their lines in the log; those that exist are not archived."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0033_concerns"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="reviewaction",
            name="annotate_reviewaction_about_something",
        ),
        migrations.RemoveConstraint(
            model_name="reviewaction",
            name="annotate_reviewaction_known_kind",
        ),
        migrations.AddField(
            model_name="collection",
            name="archived_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="collection",
            name="archived_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="reviewaction",
            name="kind",
            field=models.CharField(
                choices=[
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
                    ("duplicate_marked", "Marked as a duplicate"),
                    ("duplicate_unmarked", "Duplicate mark taken back"),
                    ("gold_added", "Gold added"),
                    ("gold_retired", "Gold retired"),
                    ("gold_restored", "Gold brought back"),
                    ("golds_made", "Golds made"),
                    ("collection_archived", "Collection archived"),
                    ("collection_restored", "Collection unarchived"),
                ],
                max_length=20,
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("archived_at__isnull", True), ("archived_by__isnull", True)),
                    models.Q(("archived_at__isnull", False), ("archived_by__isnull", False)),
                    _connector="OR",
                ),
                name="annotate_collection_archived_by_somebody",
            ),
        ),
        migrations.AddConstraint(
            model_name="reviewaction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "adjudicated",
                            "adjudication_undone",
                            "batch_accepted",
                            "batch_rejected",
                            "batch_requeued",
                            "batch_reopened",
                            "labels_withdrawn",
                            "labels_restored",
                            "paused",
                            "resumed",
                            "reports_settled",
                            "reports_reopened",
                            "pair_excluded",
                            "pair_restored",
                            "item_excluded",
                            "item_restored",
                            "duplicate_marked",
                            "duplicate_unmarked",
                            "gold_added",
                            "gold_retired",
                            "gold_restored",
                            "golds_made",
                            "collection_archived",
                            "collection_restored",
                        ],
                    )
                ),
                name="annotate_reviewaction_known_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="reviewaction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("annotator__isnull", False),
                    ("pair__isnull", False),
                    ("item__isnull", False),
                    ("kind__in", ("golds_made", "collection_archived", "collection_restored")),
                    _connector="OR",
                ),
                name="annotate_reviewaction_about_something",
            ),
        ),
    ]
