"""The log of runs refuses to be emptied at once."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("pooling", "0005_works"), ("annotate", "0017_truncate_refused")]

    operations = [
        migrations.RunSQL(
            "CREATE TRIGGER pooling_runevent_no_truncate BEFORE TRUNCATE ON pooling_runevent "
            "FOR EACH STATEMENT EXECUTE FUNCTION annotate_refuse_truncate()",
            "DROP TRIGGER pooling_runevent_no_truncate ON pooling_runevent",
        )
    ]
