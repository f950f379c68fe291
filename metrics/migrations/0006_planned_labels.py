"""Alpha is of the labels whose request hung on no other label, and intervals are formulas: all is counted anew."""

from django.db import migrations

FORGET = "DELETE FROM metrics_snapshot WHERE kind IN ('agreement', 'closer')"
REFRESH = "INSERT INTO annotate_change (collection_id) SELECT id FROM annotate_collection"


class Migration(migrations.Migration):
    dependencies = [("metrics", "0005_galleries")]

    operations = [
        migrations.RunSQL(FORGET, migrations.RunSQL.noop),
        migrations.RunSQL(REFRESH, migrations.RunSQL.noop),
    ]
