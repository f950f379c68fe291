"""What queries belong together, by which intervals and tests are computed: so far each stood by itself."""

from django.db import migrations, models
from django.db.models import Q

# Sources that reference labels link to one item count together from now on, and alpha's interval draws queries: numbers
# of before took sources and pairs one by one.
REFRESH = "INSERT INTO annotate_change (collection_id) SELECT id FROM annotate_collection"


class Migration(migrations.Migration):
    dependencies = [("annotate", "0009_media_types")]

    operations = [
        migrations.AddField(
            "item",
            "group",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="What it belongs to with others of its side, as the upload says; blank where it says nothing.",
                max_length=255,
            ),
        ),
        migrations.AddField(
            "collection",
            "query_groups",
            models.CharField(
                choices=[
                    ("reference", "The item its reference labels link it to"),
                    ("column", 'The column "group" of the upload'),
                    ("none", "None: each query by itself"),
                ],
                db_default="reference",
                default="reference",
                help_text="What belongs together when intervals and tests are computed.",
                max_length=9,
            ),
        ),
        migrations.AddConstraint(
            "collection",
            models.CheckConstraint(
                condition=Q(query_groups__in=["reference", "column", "none"]),
                name="annotate_collection_known_grouping",
            ),
        ),
        migrations.RunSQL(REFRESH, migrations.RunSQL.noop),
    ]
