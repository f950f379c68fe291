"""Duplicates of items, of the collection and on the side of their originals."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

COMPOSITE_KEYS = {
    "annotate_duplicate_item_on_side": "item_id, collection_id, side",
    "annotate_duplicate_original_on_side": "original_id, collection_id, side",
}


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0020_longer_rule_names"),
    ]

    operations = [
        migrations.CreateModel(
            name="Duplicate",
            fields=[
                (
                    "item",
                    models.OneToOneField(
                        help_text="It repeats.",
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="as_duplicate",
                        serialize=False,
                        to="annotate.item",
                    ),
                ),
                (
                    "side",
                    models.CharField(
                        choices=[("query", "Query"), ("document", "Document")], max_length=8
                    ),
                ),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="reviewaction",
            name="annotate_reviewaction_known_kind",
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
                ],
                max_length=20,
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
                        ],
                    )
                ),
                name="annotate_reviewaction_known_kind",
            ),
        ),
        migrations.AddField(
            model_name="duplicate",
            name="collection",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="duplicates",
                to="annotate.collection",
            ),
        ),
        migrations.AddField(
            model_name="duplicate",
            name="original",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="duplicates",
                to="annotate.item",
            ),
        ),
        migrations.AddConstraint(
            model_name="duplicate",
            constraint=models.CheckConstraint(
                condition=models.Q(("item", models.F("original")), _negated=True),
                name="annotate_duplicate_of_another",
            ),
        ),
        *[
            migrations.RunSQL(
                f"ALTER TABLE annotate_duplicate ADD CONSTRAINT {name} FOREIGN KEY ({columns}) "
                "REFERENCES annotate_item (id, collection_id, side) DEFERRABLE INITIALLY DEFERRED",
                f"ALTER TABLE annotate_duplicate DROP CONSTRAINT {name}",
            )
            for name, columns in COMPOSITE_KEYS.items()
        ],
    ]
