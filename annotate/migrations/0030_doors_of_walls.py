"""The doors of tables that only grow: rows of one rehearsal alone, whatever a role calls its own tables.

A role that may make temporary tables could make one named like a table that a trigger reads, and pass for
the owner: triggers now look for tables in `public` first. The frozen levels ask for the owner, too. Rows that name no collection (undo, events) are
those of the collection of what they belong to. And a collection with a judgment stays a rehearsal, or none.
"""

from importlib import import_module

from django.db import migrations

SEARCH_PATH = "SET search_path = pg_catalog, public, pg_temp"
REFUSE_CHANGE = f"""
CREATE OR REPLACE FUNCTION annotate_refuse_change() RETURNS trigger LANGUAGE plpgsql {SEARCH_PATH} AS $$
DECLARE
    purged text := coalesce(current_setting('assayer.purge', true), '');
    rehearsal text := coalesce(current_setting('assayer.rehearsal', true), '');
    old_row jsonb;
    moments text[];
    collection text;
    foreign_key record;
BEGIN
    -- The two ways in, both for the owner of the table alone.
    IF (purged <> '' OR rehearsal <> '')
       AND current_user = (SELECT tableowner FROM pg_tables
                           WHERE schemaname = TG_TABLE_SCHEMA AND tablename = TG_TABLE_NAME) THEN
        -- purge_collection names what it deletes.
        IF TG_OP = 'DELETE' AND purged <> '' THEN
            RETURN OLD;
        END IF;
        -- move_moments names the rehearsal, by its key, whose moments it moves.
        IF TG_OP = 'UPDATE' AND EXISTS (SELECT FROM annotate_collection
                                        WHERE id::text = rehearsal AND is_rehearsal) THEN
            old_row := to_jsonb(OLD);
            collection := old_row->>'collection_id';
            -- a row that names no collection is of the one of what it belongs to
            FOR foreign_key IN
                SELECT own.attname AS own_column, target.attname AS target_column,
                       confrelid::regclass AS target_table
                FROM pg_constraint
                JOIN pg_attribute own ON own.attrelid = conrelid AND own.attnum = conkey[1]
                JOIN pg_attribute target ON target.attrelid = confrelid AND target.attnum = confkey[1]
                WHERE conrelid = TG_RELID AND contype = 'f' AND cardinality(conkey) = 1
                  AND EXISTS (SELECT FROM pg_attribute
                              WHERE attrelid = confrelid AND attname = 'collection_id')
            LOOP
                EXIT WHEN collection IS NOT NULL;
                EXECUTE format('SELECT collection_id::text FROM %s WHERE %I::text = $1',
                               foreign_key.target_table, foreign_key.target_column)
                    INTO collection USING old_row->>foreign_key.own_column;
            END LOOP;
            moments := ARRAY(SELECT attname::text FROM pg_attribute
                             WHERE attrelid = TG_RELID AND atttypid = 'timestamptz'::regtype
                               AND NOT attisdropped);
            IF collection = rehearsal AND to_jsonb(NEW) - moments = old_row - moments THEN
                RETURN NEW;
            END IF;
        END IF;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_TABLE_NAME || '_append_only';
END $$;
"""  # noqa: S608 - own words
REFUSE_SCHEME_CHANGE = f"""
CREATE OR REPLACE FUNCTION annotate_refuse_scheme_change() RETURNS trigger LANGUAGE plpgsql {SEARCH_PATH} AS $$
DECLARE
    touched bigint := CASE WHEN TG_OP = 'INSERT' THEN NEW.collection_id ELSE OLD.collection_id END;
    is_purge boolean := coalesce(current_setting('assayer.purge', true), '') <> ''
        AND current_user = (SELECT tableowner FROM pg_tables
                            WHERE schemaname = TG_TABLE_SCHEMA AND tablename = TG_TABLE_NAME);
BEGIN
    IF (TG_OP <> 'UPDATE' OR NEW.grade <> OLD.grade OR NEW.collection_id <> OLD.collection_id)
       AND NOT is_purge
       AND EXISTS (SELECT FROM annotate_collection
                   WHERE id = touched AND scheme_frozen_at IS NOT NULL) THEN
        RAISE EXCEPTION 'the scheme is frozen: its levels have been used, only their wording may change'
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'annotate_level_frozen';
    END IF;
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
"""  # noqa: S608 - own words
SCHEME_BEFORE = (
    import_module("annotate.migrations.0002_walls")
    .FREEZE_SCHEME.partition("CREATE TRIGGER")[0]
    .replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
)
BEFORE = import_module("annotate.migrations.0029_moments_of_rehearsals").REFUSE_CHANGE
KEEP_REHEARSAL = f"""
CREATE FUNCTION annotate_refuse_other_rehearsal() RETURNS trigger LANGUAGE plpgsql {SEARCH_PATH} AS $$
BEGIN
    IF EXISTS (SELECT FROM annotate_judgment WHERE collection_id = OLD.id) THEN
        RAISE EXCEPTION 'a collection with judgments stays a rehearsal, or stays none'
            USING ERRCODE = 'integrity_constraint_violation',
                  CONSTRAINT = 'annotate_collection_rehearsal_kept';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER annotate_collection_rehearsal_kept BEFORE UPDATE ON annotate_collection FOR EACH ROW
    WHEN (OLD.is_rehearsal <> NEW.is_rehearsal) EXECUTE FUNCTION annotate_refuse_other_rehearsal();
"""
LET_REHEARSAL_CHANGE = """
DROP TRIGGER annotate_collection_rehearsal_kept ON annotate_collection;
DROP FUNCTION annotate_refuse_other_rehearsal();
"""


class Migration(migrations.Migration):
    dependencies = [("annotate", "0029_moments_of_rehearsals")]

    operations = [
        migrations.RunSQL(REFUSE_CHANGE, BEFORE),
        migrations.RunSQL(REFUSE_SCHEME_CHANGE, SCHEME_BEFORE),
        migrations.RunSQL(KEEP_REHEARSAL, LET_REHEARSAL_CHANGE),
    ]
