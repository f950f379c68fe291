"""Walls that Django's own constraints cannot build: composite keys, and tables that only grow."""

from django.db import migrations

# (table, columns, target table, target columns): rows of one collection never point into another.
COMPOSITE_KEYS = {
    "annotate_pair_query_in_collection": (
        "annotate_pair",
        "query_id, collection_id",
        "annotate_item",
        "id, collection_id",
    ),
    "annotate_pair_document_in_collection": (
        "annotate_pair",
        "document_id, collection_id",
        "annotate_item",
        "id, collection_id",
    ),
    "annotate_seat_pair_in_collection": (
        "annotate_seat",
        "pair_id, collection_id",
        "annotate_pair",
        "id, collection_id",
    ),
    "annotate_seat_round_in_collection": (
        "annotate_seat",
        "round_id, collection_id",
        "annotate_round",
        "id, collection_id",
    ),
    "annotate_seat_annotator_in_collection": (
        "annotate_seat",
        "annotator_id, collection_id",
        "annotate_annotator",
        "id, collection_id",
    ),
    "annotate_judgment_pair_in_collection": (
        "annotate_judgment",
        "pair_id, collection_id",
        "annotate_pair",
        "id, collection_id",
    ),
    "annotate_judgment_annotator_in_collection": (
        "annotate_judgment",
        "annotator_id, collection_id",
        "annotate_annotator",
        "id, collection_id",
    ),
    "annotate_judgment_level_in_collection": (
        "annotate_judgment",
        "level_id, collection_id",
        "annotate_level",
        "id, collection_id",
    ),
    "annotate_gold_pair_in_collection": (
        "annotate_gold",
        "pair_id, collection_id",
        "annotate_pair",
        "id, collection_id",
    ),
}
TARGETS = {
    "annotate_annotator_unique_in_collection": "annotate_annotator",
    "annotate_level_unique_in_collection": "annotate_level",
}
APPEND_ONLY = (
    "annotate_judgment",
    "annotate_judgmentevent",
    "annotate_guidelines",
    "annotate_policy",
    "annotate_quiz",
    "annotate_quizattempt",
    "annotate_trainingdecision",
    "annotate_reviewaction",
)

REFUSE_CHANGE = """
CREATE FUNCTION annotate_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- The one way to delete: purge_collection, as the owner of the table, names what it purges.
    IF TG_OP = 'DELETE' AND current_setting('assayer.purge', true) <> ''
       AND current_user = (SELECT tableowner FROM pg_tables
                           WHERE schemaname = TG_TABLE_SCHEMA AND tablename = TG_TABLE_NAME) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_TABLE_NAME || '_append_only';
END $$;
"""
FREEZE_SCHEME = """
CREATE FUNCTION annotate_refuse_scheme_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE touched bigint := CASE WHEN TG_OP = 'INSERT' THEN NEW.collection_id ELSE OLD.collection_id END;
BEGIN
    IF (TG_OP <> 'UPDATE' OR NEW.grade <> OLD.grade OR NEW.collection_id <> OLD.collection_id)
       AND coalesce(current_setting('assayer.purge', true), '') = ''
       AND EXISTS (SELECT FROM annotate_collection
                   WHERE id = touched AND scheme_frozen_at IS NOT NULL) THEN
        RAISE EXCEPTION 'the scheme is frozen: its levels have been used, only their wording may change'
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'annotate_level_frozen';
    END IF;
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER annotate_level_frozen BEFORE INSERT OR UPDATE OR DELETE ON annotate_level
    FOR EACH ROW EXECUTE FUNCTION annotate_refuse_scheme_change();
"""


class Migration(migrations.Migration):
    dependencies = [("annotate", "0001_initial")]

    operations = [
        *[
            migrations.RunSQL(
                f"ALTER TABLE {table} ADD CONSTRAINT {name} UNIQUE (id, collection_id)",
                f"ALTER TABLE {table} DROP CONSTRAINT {name}",
            )
            for name, table in TARGETS.items()
        ],
        *[
            migrations.RunSQL(
                f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY ({columns}) "
                f"REFERENCES {target} ({target_columns}) DEFERRABLE INITIALLY DEFERRED",
                f"ALTER TABLE {table} DROP CONSTRAINT {name}",
            )
            for name, (table, columns, target, target_columns) in COMPOSITE_KEYS.items()
        ],
        migrations.RunSQL(REFUSE_CHANGE, "DROP FUNCTION annotate_refuse_change()"),
        *[
            migrations.RunSQL(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION annotate_refuse_change()",
                f"DROP TRIGGER {table}_append_only ON {table}",
            )
            for table in APPEND_ONLY
        ],
        migrations.RunSQL(
            FREEZE_SCHEME,
            "DROP TRIGGER annotate_level_frozen ON annotate_level;"
            "DROP FUNCTION annotate_refuse_scheme_change()",
        ),
    ]
