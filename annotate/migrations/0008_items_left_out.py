"""What is of another split than test counts in no score any more, labels neither; the index finds it too."""

from django.db import migrations, models
from django.db.models import Q

REFRESH = "INSERT INTO annotate_change (collection_id) SELECT DISTINCT collection_id FROM annotate_item WHERE split <> 'test'"


class Migration(migrations.Migration):
    dependencies = [("annotate", "0007_items_joined")]

    operations = [
        migrations.RemoveIndex("item", "annotate_item_excluded"),
        migrations.AddIndex(
            "item",
            models.Index(
                fields=["collection"],
                condition=Q(excluded_at__isnull=False) | ~Q(split="test"),
                name="annotate_item_left_out",
            ),
        ),
        migrations.RunSQL(REFRESH, migrations.RunSQL.noop),
    ]
