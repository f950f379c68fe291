"""The moments of a rehearsal may be moved, by the owner of the tables: nothing else of any row may change.

A demo shows a campaign of days that was simulated in a minute. Rows of tables that only grow keep all they say: only
columns of moments may differ, and only in rows of the rehearsal that the transaction names. No row that exists changes.
"""

from importlib import import_module

from django.db import migrations

REFUSE_CHANGE = """
CREATE OR REPLACE FUNCTION annotate_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    purged text := coalesce(current_setting('assayer.purge', true), '');
    rehearsal text := coalesce(current_setting('assayer.rehearsal', true), '');
    moments text[];
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
        IF TG_OP = 'UPDATE' AND rehearsal <> ''
           AND coalesce(to_jsonb(OLD)->>'collection_id', rehearsal) = rehearsal
           AND EXISTS (SELECT FROM annotate_collection
                       WHERE id::text = rehearsal AND is_rehearsal) THEN
            moments := ARRAY(SELECT attname::text FROM pg_attribute
                             WHERE attrelid = TG_RELID AND atttypid = 'timestamptz'::regtype
                               AND NOT attisdropped);
            IF to_jsonb(NEW) - moments = to_jsonb(OLD) - moments THEN
                RETURN NEW;
            END IF;
        END IF;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_TABLE_NAME || '_append_only';
END $$;
"""
BEFORE = import_module("annotate.migrations.0002_walls").REFUSE_CHANGE.replace(
    "CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"
)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0028_tour")]

    operations = [migrations.RunSQL(REFUSE_CHANGE, BEFORE)]
