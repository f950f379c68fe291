"""Which judgments count, and what became of the others: two views that alone decide it."""

import django.db.models.deletion
from django.db import migrations, models

# Left joins by unique keys: a statement that reads no column of a table does not read the table.
COUNTING = """
CREATE VIEW annotate_countingjudgment AS
SELECT seat.id AS seat_id, seat.collection_id, seat.round_id, seat.pair_id, seat.annotator_id,
       seat.judgment_id, seat.purpose, seat.number, seat.why,
       seat.purpose IN ('label', 'import') AS is_label,
       seat.purpose IN ('label', 'import') AND seat.why IN ('first', 'double') AS is_planned,
       level.grade, judgment.at, judgment.active_ms
FROM annotate_seat seat
LEFT JOIN annotate_judgment judgment ON judgment.id = seat.judgment_id
LEFT JOIN annotate_level level ON level.id = judgment.level_id
WHERE seat.state = 'done'
"""
# The events of a judgment are looked up for the few that neither count nor were changed.
OUTCOMES = """
CREATE VIEW annotate_judgmentoutcome AS
SELECT judgment.id AS judgment_id, CASE
    WHEN later.id IS NOT NULL THEN 'superseded'
    WHEN seat.id IS NOT NULL THEN 'counts'
    ELSE coalesce((SELECT nullif(event.kind, 'restored') FROM annotate_judgmentevent event
                   WHERE event.judgment_id = judgment.id ORDER BY event.id DESC LIMIT 1), 'surplus')
    END AS outcome,
    coalesce((SELECT event.kind FROM annotate_judgmentevent event
              WHERE event.judgment_id = judgment.id ORDER BY event.id DESC LIMIT 1), 'restored')
        = 'restored' AS is_in_force
FROM annotate_judgment judgment
LEFT JOIN annotate_judgment later ON later.supersedes_id = judgment.id
LEFT JOIN annotate_seat seat ON seat.judgment_id = judgment.id
"""


class Migration(migrations.Migration):
    dependencies = [("annotate", "0018_kept")]

    operations = [
        migrations.RunSQL(COUNTING, "DROP VIEW annotate_countingjudgment"),
        migrations.RunSQL(OUTCOMES, "DROP VIEW annotate_judgmentoutcome"),
        migrations.CreateModel(
            name="CountingJudgment",
            fields=[
                (
                    "seat",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="annotate.seat",
                    ),
                ),
            ],
            options={"managed": False, "db_table": "annotate_countingjudgment"},
        ),
        migrations.CreateModel(
            name="JudgmentOutcome",
            fields=[
                (
                    "judgment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="standing",
                        serialize=False,
                        to="annotate.judgment",
                    ),
                ),
            ],
            options={"managed": False, "db_table": "annotate_judgmentoutcome"},
        ),
    ]
