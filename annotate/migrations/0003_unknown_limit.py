"""How large a share of a run's rows may be unknown before it asks, and a quick way to the items that are left out."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0002_walls"),
    ]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="unknown_limit",
            field=models.FloatField(
                default=0.05,
                help_text="A run with a larger share of unknown rows asks before it is used.",
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(("unknown_limit__gte", 0), ("unknown_limit__lte", 1)),
                name="annotate_collection_limit_range",
            ),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                condition=models.Q(("excluded_at__isnull", False)),
                fields=["collection"],
                name="annotate_item_excluded",
            ),
        ),
    ]
