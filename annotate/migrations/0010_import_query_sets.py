"""Query sets come by imports too."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("annotate", "0009_reference_strata")]

    operations = [
        migrations.RemoveConstraint("import", "annotate_import_known_kind"),
        migrations.AlterField(
            "import",
            "kind",
            models.CharField(
                choices=[
                    ("items", "Items"),
                    ("reference", "Reference labels"),
                    ("judgments", "Judgments"),
                    ("query_set", "Query set"),
                ],
                max_length=12,
            ),
        ),
        migrations.AddConstraint(
            "import",
            models.CheckConstraint(
                condition=Q(kind__in=["items", "reference", "judgments", "query_set"]),
                name="annotate_import_known_kind",
            ),
        ),
    ]
