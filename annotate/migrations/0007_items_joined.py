"""When an item joined, and imports of documents that are made by their ids alone."""

from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

KINDS = ["items", "documents", "reference", "judgments", "query_set"]


class Migration(migrations.Migration):
    dependencies = [("annotate", "0006_report_events")]

    operations = [
        # without the default first: of the items that are there already nobody knows it
        migrations.AddField("item", "joined_at", models.DateTimeField(blank=True, null=True)),
        migrations.AlterField(
            "item",
            "joined_at",
            models.DateTimeField(
                blank=True,
                db_default=Now(),
                help_text="Blank for items that were here before this was written down.",
                null=True,
            ),
        ),
        migrations.AlterField(
            "import",
            "file",
            models.FileField(
                blank=True,
                help_text="Blank for a file that lies elsewhere.",
                max_length=255,
                upload_to="imports/",
            ),
        ),
        migrations.AlterField(
            "import",
            "kind",
            models.CharField(
                choices=[
                    ("items", "Items"),
                    ("documents", "Documents by id"),
                    ("reference", "Reference labels"),
                    ("judgments", "Judgments"),
                    ("query_set", "Query set"),
                ],
                max_length=12,
            ),
        ),
        migrations.RemoveConstraint("import", "annotate_import_known_kind"),
        migrations.AddConstraint(
            "import",
            models.CheckConstraint(condition=Q(kind__in=KINDS), name="annotate_import_known_kind"),
        ),
    ]
