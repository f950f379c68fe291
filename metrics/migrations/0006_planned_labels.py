"""Alpha is of the labels whose request hung on no other label: agreement of before is counted anew."""

from django.db import migrations

FORGET = "DELETE FROM metrics_snapshot WHERE kind IN ('agreement', 'closer')"
REFRESH = "INSERT INTO annotate_change (collection_id) SELECT DISTINCT collection_id FROM annotate_round"


class Migration(migrations.Migration):
    dependencies = [("metrics", "0005_galleries")]

    operations = [
        migrations.RunSQL(FORGET, migrations.RunSQL.noop),
        migrations.RunSQL(REFRESH, migrations.RunSQL.noop),
    ]
