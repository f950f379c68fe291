"""Imports, and what leads decide, are work like any other: their states, attempts and errors move to the table of works."""

import django.db.models.deletion
from django.db import migrations, models

MOVE_IMPORTS = """
INSERT INTO annotate_work (collection_id, kind, subject, state, attempts, n_outages, error_code, error_data, by_id,
                           asked_at, finished_at, cancel_asked_at, cancelled_by_id)
SELECT import.collection_id, 'import', import.id,
       CASE state WHEN 'received' THEN 'asked' WHEN 'rejected' THEN 'failed' ELSE state END, attempts, 0,
       CASE state WHEN 'rejected' THEN 'refused' ELSE '' END,
       CASE state WHEN 'rejected' THEN jsonb_build_object('message', coalesce(report #>> '{errors,0,message}', ''))
                  ELSE '{}' END, import.by_id, created_at, finished_at, wish.asked_at, wish.by_id
FROM annotate_import import
LEFT JOIN annotate_cancellation wish ON wish.kind = 'import' AND wish.object_id = import.id;
DELETE FROM annotate_cancellation WHERE kind = 'import';
UPDATE annotate_import SET work_id = work.id FROM annotate_work work
WHERE work.kind = 'import' AND work.subject = annotate_import.id;
SET CONSTRAINTS ALL IMMEDIATE;
"""
# Why an import was rejected stood in its report alone.
MOVE_IMPORTS_BACK = """
UPDATE annotate_import SET
    state = CASE work.state WHEN 'asked' THEN 'received' WHEN 'running' THEN 'received'
                            WHEN 'failed' THEN 'rejected' ELSE work.state END,
    report = CASE WHEN work.state = 'failed' AND work.error_code <> 'refused' THEN jsonb_build_object(
                 'sentences', '[]'::jsonb, 'loads', '[]'::jsonb, 'n_errors', 1, 'errors', jsonb_build_array(
                     jsonb_build_object('file', '', 'line', NULL, 'field', '', 'message', error_data ->> 'message')))
             ELSE report END,
    attempts = work.attempts, finished_at = work.finished_at
FROM annotate_work work WHERE work.id = work_id;
INSERT INTO annotate_cancellation (collection_id, kind, object_id, by_id, asked_at)
SELECT collection_id, kind, subject, cancelled_by_id, cancel_asked_at FROM annotate_work
WHERE kind = 'import' AND state IN ('asked', 'running') AND cancel_asked_at IS NOT NULL;
UPDATE annotate_import SET work_id = NULL;
DELETE FROM annotate_work WHERE kind = 'import';
SET CONSTRAINTS ALL IMMEDIATE;
"""
MOVE_REVIEWS = """
INSERT INTO annotate_work (collection_id, kind, subject, state, attempts, n_outages, error_code, error_data, by_id,
                           asked_at, finished_at)
SELECT collection_id, 'review', id, CASE WHEN finished_at IS NULL THEN 'asked' ELSE 'done' END, 0, 0, '', '{}', by_id,
       at, finished_at
FROM annotate_reviewwork JOIN annotate_reviewaction ON id = action_id;
UPDATE annotate_reviewwork SET work_id = work.id FROM annotate_work work
WHERE work.kind = 'review' AND work.subject = action_id;
SET CONSTRAINTS ALL IMMEDIATE;
"""
# One that failed half-way has yet to be carried out.
MOVE_REVIEWS_BACK = """
UPDATE annotate_reviewwork SET finished_at = CASE work.state WHEN 'done' THEN work.finished_at END
FROM annotate_work work WHERE work.id = work_id;
UPDATE annotate_reviewwork SET work_id = NULL;
DELETE FROM annotate_work WHERE kind = 'review';
SET CONSTRAINTS ALL IMMEDIATE;
"""


def review_work_field(*, null: bool) -> models.OneToOneField:
    """The work of a decision, before and after every one has it."""
    return models.OneToOneField(
        help_text="The carrying out.",
        null=null,
        on_delete=django.db.models.deletion.PROTECT,
        related_name="review_work",
        to="annotate.work",
    )


class Migration(migrations.Migration):
    dependencies = [("annotate", "0013_worker_queues")]

    operations = [
        migrations.RemoveConstraint("import", "annotate_import_finished_has_time"),
        migrations.AddField(
            "import",
            "work",
            models.OneToOneField(
                help_text="Its reading.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="import_file",
                to="annotate.work",
            ),
        ),
        migrations.RunSQL(MOVE_IMPORTS, MOVE_IMPORTS_BACK),
        migrations.RemoveField("import", "state"),
        migrations.RemoveField("import", "attempts"),
        migrations.RemoveField("import", "finished_at"),
        migrations.RemoveIndex("reviewwork", "annotate_reviewwork_under_way"),
        migrations.AddField("reviewwork", "work", review_work_field(null=True)),
        migrations.RunSQL(MOVE_REVIEWS, MOVE_REVIEWS_BACK),
        migrations.RemoveField("reviewwork", "finished_at"),
        migrations.AlterField("reviewwork", "work", review_work_field(null=False)),
    ]
