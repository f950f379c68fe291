"""The runs of releases keep their keys: a run that is deleted stays the same in two releases."""

from django.db import migrations, models

KEEP_KEYS = """
ALTER TABLE metrics_releaserun DISABLE TRIGGER metrics_releaserun_immutable;
UPDATE metrics_releaserun SET run_key = run_id WHERE run_id IS NOT NULL;
ALTER TABLE metrics_releaserun ENABLE TRIGGER metrics_releaserun_immutable
"""


class Migration(migrations.Migration):
    dependencies = [("metrics", "0012_releases")]

    operations = [
        migrations.AddField(
            model_name="releaserun",
            name="run_key",
            field=models.PositiveBigIntegerField(db_default=0),
        ),
        migrations.RunSQL(KEEP_KEYS, migrations.RunSQL.noop),
    ]
