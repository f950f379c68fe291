"""The moment at which each resolution last changed, for programs that ask what is new.

Of those that there are it is the moment of the pair's newest judgment. The table is written anew,
and an index is made: some seconds for half a million pairs, in which answers wait.
"""

from django.db import migrations, models

import annotate.models.judgments

NEWEST_JUDGMENTS = """
UPDATE annotate_resolution resolution SET changed_at = judgment.at
FROM (SELECT pair_id, max(at) AS at FROM annotate_judgment GROUP BY pair_id) judgment
WHERE judgment.pair_id = resolution.pair_id
"""
# whoever writes a resolution, the database sees whether it is another one
TRIGGER = """
CREATE FUNCTION annotate_note_resolution_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_at := clock_timestamp();
    RETURN NEW;
END
$$;
CREATE TRIGGER annotate_resolution_changed BEFORE UPDATE ON annotate_resolution FOR EACH ROW
WHEN ((OLD.status, OLD.grade, OLD.n_labels, OLD.is_complete, OLD.policy_id)
      IS DISTINCT FROM (NEW.status, NEW.grade, NEW.n_labels, NEW.is_complete, NEW.policy_id))
EXECUTE FUNCTION annotate_note_resolution_change()
"""
NO_TRIGGER = """
DROP TRIGGER annotate_resolution_changed ON annotate_resolution;
DROP FUNCTION annotate_note_resolution_change()
"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0025_receipts"),
    ]

    operations = [
        migrations.AddField(
            model_name="resolution",
            name="changed_at",
            field=models.DateTimeField(
                db_default=annotate.models.judgments.ClockTimestamp(),
                help_text="Since then it is what it is; the database writes it.",
            ),
        ),
        migrations.AddIndex(
            model_name="resolution",
            index=models.Index(
                fields=["collection", "changed_at"], name="annotate_resolution_changed"
            ),
        ),
        migrations.RunSQL(TRIGGER, NO_TRIGGER),
        # last: no index can be made of a table whose foreign keys are still to be checked
        migrations.RunSQL(NEWEST_JUDGMENTS, migrations.RunSQL.noop),
    ]
