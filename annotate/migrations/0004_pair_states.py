"""The states of pairs: a column that says whether a pair has all its labels, and a view that decides."""

import django.db.models.deletion
from django.db import migrations, models

VIEW = """
CREATE VIEW annotate_pairstate AS
SELECT wish.id AS round_pair_id, round.collection_id, wish.round_id, wish.pair_id, CASE
    WHEN wish.dropped_at IS NOT NULL THEN 'left_out'
    WHEN resolution.status IN ('disputed', 'escalated') THEN resolution.status
    WHEN EXISTS (SELECT FROM annotate_report report
                 WHERE report.pair_id = wish.pair_id AND report.kind = 'cannot_judge' AND report.settled_at IS NULL)
        THEN 'cannot_judge'
    WHEN resolution.is_complete THEN 'complete'
    WHEN resolution.n_labels > 0 THEN 'some_labels'
    ELSE 'untouched' END AS state
FROM annotate_roundpair wish
JOIN annotate_round round ON round.id = wish.round_id
LEFT JOIN annotate_resolution resolution ON resolution.pair_id = wish.pair_id
"""
# Nearly right at once; workers go through all labelled pairs, as when a policy changes, and make it exact.
COMPLETE = """
UPDATE annotate_resolution resolution SET is_complete = true
WHERE grade IS NOT NULL AND n_labels >= (
    SELECT max(wish.n_wanted) FROM annotate_roundpair wish JOIN annotate_round round ON round.id = wish.round_id
    WHERE wish.pair_id = resolution.pair_id AND round.kind IN ('pool', 'import'))
"""
FOLLOW = (
    "UPDATE annotate_round SET following_since = clock_timestamp() WHERE kind IN ('pool', 'import')"
)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0003_unknown_limit")]

    operations = [
        migrations.AddField(
            "resolution",
            "is_complete",
            models.BooleanField(
                default=False,
                help_text="It has the labels that open rounds want, or else closed ones did.",
            ),
        ),
        migrations.RunSQL(VIEW, "DROP VIEW annotate_pairstate"),
        migrations.CreateModel(
            name="RoundPairState",
            fields=[
                (
                    "round_pair",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="standing",
                        serialize=False,
                        to="annotate.roundpair",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("left_out", "Left out"),
                            ("disputed", "Disputed"),
                            ("escalated", "Escalated"),
                            ("cannot_judge", "Cannot be judged"),
                            ("complete", "Complete"),
                            ("some_labels", "Some labels"),
                            ("untouched", "Untouched"),
                        ],
                        max_length=12,
                    ),
                ),
            ],
            options={"managed": False, "db_table": "annotate_pairstate"},
        ),
        migrations.RunSQL(COMPLETE, migrations.RunSQL.noop),
        migrations.RunSQL(FOLLOW, migrations.RunSQL.noop),
    ]
