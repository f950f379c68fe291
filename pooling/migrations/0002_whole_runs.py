"""Unknown targets keep their ranks, and matrices are kept whole: runs read otherwise are due to be read again."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

# A target's place in a ranking without the items that are left out; null where the ranking does not hold it so.
RANK = """
CREATE FUNCTION pooling_rank(targets bigint[], target bigint, left_out bigint[]) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT found.place - CASE WHEN cardinality(left_out) = 0 THEN 0 ELSE (
        SELECT count(*)::integer FROM unnest(targets[1:found.place]) AS above(id) WHERE above.id = ANY(left_out)) END
    FROM (SELECT array_position(targets, target) AS place) AS found WHERE target <> ALL(left_out)
$$
"""
# A matrix was cut at its 100 best, and so is as deep as that wherever anything was cut.
READ_AGAIN = """
UPDATE pooling_run SET attempts = 0, reading_due_at = now()
WHERE state = 'ready' AND (coalesce((report #>> '{unknown_targets,n}')::bigint, 0) > 0
                           OR coalesce((report ->> 'n_dropped')::bigint, 0) > 0
                           OR coalesce((report ->> 'deepest')::bigint, 0) = 100)
"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0003_unknown_limit"),
        ("pooling", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="on_hold_since",
            field=models.DateTimeField(
                blank=True,
                help_text="Too many rows are unknown: not used before a researcher says so.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="reading_due_at",
            field=models.DateTimeField(
                blank=True,
                help_text="Items joined the collection; the kept file waits to be read again.",
                null=True,
            ),
        ),
        migrations.RemoveConstraint(
            model_name="runevent",
            name="pooling_runevent_known_kind",
        ),
        migrations.AlterField(
            model_name="runevent",
            name="kind",
            field=models.CharField(
                choices=[
                    ("renamed", "Renamed"),
                    ("described", "Described"),
                    ("hidden", "Hidden"),
                    ("published", "Published"),
                    ("retired", "Retired"),
                    ("restored", "Brought back"),
                    ("reread", "Read again"),
                    ("accepted", "Used with its unknown rows"),
                ],
                max_length=9,
            ),
        ),
        migrations.AddConstraint(
            model_name="runevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "renamed",
                            "described",
                            "hidden",
                            "published",
                            "retired",
                            "restored",
                            "reread",
                            "accepted",
                        ],
                    )
                ),
                name="pooling_runevent_known_kind",
            ),
        ),
        migrations.CreateModel(
            name="Matrix",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="matrix",
                        to="pooling.run",
                    ),
                ),
                ("file", models.FileField(max_length=255, upload_to="matrices/")),
                ("n_bytes", models.PositiveBigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("n_absent", models.PositiveBigIntegerField(default=0)),
                (
                    "rows",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), size=None
                    ),
                ),
                (
                    "columns",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), size=None
                    ),
                ),
            ],
        ),
        migrations.RunSQL(RANK, "DROP FUNCTION pooling_rank(bigint[], bigint, bigint[])"),
        migrations.RunSQL(READ_AGAIN, migrations.RunSQL.noop),
    ]
