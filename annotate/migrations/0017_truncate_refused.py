"""Tables that only grow refuse to be emptied at once, which no trigger on their rows would see."""

from collections.abc import Iterable

from django.db import migrations

TABLES = (
    "annotate_judgment",
    "annotate_judgmentevent",
    "annotate_reportevent",
    "annotate_guidelines",
    "annotate_policy",
    "annotate_quiz",
    "annotate_quizattempt",
    "annotate_trainingdecision",
    "annotate_reviewaction",
)
REFUSE_TRUNCATE = """
CREATE FUNCTION annotate_refuse_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Tests, which empty their own database, say so; nothing else does, the owner of the tables neither.
    IF current_setting('assayer.truncate', true) = 'tests' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION '% is append-only: TRUNCATE refused', TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_TABLE_NAME || '_no_truncate';
END $$;
"""


def refusals(tables: Iterable[str]) -> list[migrations.RunSQL]:
    """A trigger for each table."""
    return [
        migrations.RunSQL(
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION annotate_refuse_truncate()",
            f"DROP TRIGGER {table}_no_truncate ON {table}",
        )
        for table in tables
    ]


class Migration(migrations.Migration):
    dependencies = [("annotate", "0016_import_stretches")]

    operations = [
        migrations.RunSQL(REFUSE_TRUNCATE, "DROP FUNCTION annotate_refuse_truncate()"),
        *refusals(TABLES),
    ]
