"""The logs of alarms, plans and looks refuse to be emptied at once."""

from django.db import migrations

TABLES = ("metrics_alarmevent", "metrics_plan", "metrics_planlook")


class Migration(migrations.Migration):
    dependencies = [("metrics", "0009_refresh_tries"), ("annotate", "0017_truncate_refused")]

    operations = [
        migrations.RunSQL(
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION annotate_refuse_truncate()",
            f"DROP TRIGGER {table}_no_truncate ON {table}",
        )
        for table in TABLES
    ]
