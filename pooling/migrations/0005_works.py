"""Reading runs, and opening and closing pools, is work like any other: states, attempts and errors move to its table."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

# A cancelled reading was known by a sentence of its report.
MOVE_RUNS = """
INSERT INTO annotate_work (collection_id, kind, subject, state, attempts, n_outages, error_code, error_data, by_id,
                           asked_at, finished_at)
SELECT collection_id, 'run_' || CASE WHEN is_due THEN 'rereading' ELSE 'reading' END, id, works.state, attempts, 0,
       CASE works.state WHEN 'failed' THEN 'refused' ELSE '' END,
       CASE WHEN works.state = 'failed' AND report #>> '{errors,0,message}' <> ''
            THEN jsonb_build_object('message', report #>> '{errors,0,message}') ELSE '{}' END,
       CASE WHEN is_due THEN NULL ELSE uploaded_by_id END, CASE WHEN is_due THEN reading_due_at ELSE created_at END,
       CASE works.state WHEN 'asked' THEN NULL ELSE finished_at END
FROM pooling_run
CROSS JOIN LATERAL (SELECT pooling_run.state = 'ready' AND reading_due_at IS NOT NULL AS is_due) again
CROSS JOIN LATERAL (
    SELECT CASE WHEN is_due OR pooling_run.state = 'received' THEN 'asked' WHEN pooling_run.state = 'ready' THEN 'done'
                WHEN report @> '{"errors": [{"message": "Reading was cancelled, and nothing of the file is stored; upload it again to have it read."}]}'
                THEN 'cancelled' ELSE 'failed' END AS state) works;
UPDATE pooling_run SET work_id = work.id FROM annotate_work work
WHERE work.kind IN ('run_reading', 'run_rereading') AND work.subject = pooling_run.id;
SET CONSTRAINTS ALL IMMEDIATE;
"""
MOVE_RUNS_BACK = """
UPDATE pooling_run SET attempts = work.attempts,
    reading_due_at = CASE WHEN work.kind = 'run_rereading' AND work.state IN ('asked', 'running')
                          THEN coalesce(reading_due_at, work.asked_at) ELSE reading_due_at END
FROM annotate_work work WHERE work.id = work_id;
UPDATE pooling_run SET work_id = NULL;
DELETE FROM annotate_work WHERE kind IN ('run_reading', 'run_rereading');
SET CONSTRAINTS ALL IMMEDIATE;
"""
MOVE_POOLS = """
INSERT INTO annotate_work (collection_id, kind, subject, state, attempts, n_outages, error_code, error_data, by_id,
                           asked_at, finished_at)
SELECT pool.collection_id,
       CASE WHEN pool.state IN ('closing', 'closed') THEN 'pool_closing' WHEN pool.state = 'reopening'
            THEN 'pool_reopening' ELSE 'pool_opening' END,
       pool.id, works.state, pool.attempts, 0,
       CASE WHEN works.state <> 'failed' THEN '' WHEN pool.state = 'failed' THEN 'unfit' ELSE 'worn-out' END,
       CASE pool.error WHEN '' THEN '{}' ELSE jsonb_build_object('message', pool.error) END,
       CASE WHEN pool.state IN ('opening', 'failed', 'open') THEN pool.created_by_id END,
       CASE WHEN pool.state = 'closing' THEN coalesce(round.closed_at, pool.created_at) ELSE pool.created_at END,
       CASE works.state WHEN 'asked' THEN NULL WHEN 'failed' THEN now()
            ELSE coalesce(round.closed_at, pool.opened_at) END
FROM pooling_pool pool LEFT JOIN annotate_round round ON round.id = pool.round_id
CROSS JOIN LATERAL (
    SELECT CASE WHEN pool.state = 'failed' THEN 'failed' WHEN pool.state = 'opening' THEN 'asked'
                WHEN pool.state IN ('closing', 'reopening') THEN CASE pool.error WHEN '' THEN 'asked' ELSE 'failed' END
                ELSE 'done' END AS state) works
WHERE pool.state <> 'draft';
UPDATE pooling_pool SET work_id = work.id,
    state = CASE pooling_pool.state WHEN 'opening' THEN 'draft' WHEN 'failed' THEN 'draft'
        WHEN 'closing' THEN 'open' WHEN 'reopening' THEN 'closed' ELSE pooling_pool.state END
FROM annotate_work work
WHERE work.kind IN ('pool_opening', 'pool_closing', 'pool_reopening') AND work.subject = pooling_pool.id;
SET CONSTRAINTS ALL IMMEDIATE;
"""
MOVE_POOLS_BACK = """
UPDATE pooling_pool SET attempts = work.attempts, error = left(coalesce(work.error_data ->> 'message', ''), 300),
    state = CASE WHEN work.state IN ('done', 'cancelled') THEN pooling_pool.state
                 WHEN work.kind = 'pool_closing' THEN 'closing' WHEN work.kind = 'pool_reopening' THEN 'reopening'
                 WHEN work.state = 'failed' THEN 'failed' ELSE 'opening' END
FROM annotate_work work WHERE work.id = work_id;
UPDATE pooling_pool SET work_id = NULL;
DELETE FROM annotate_work WHERE kind IN ('pool_opening', 'pool_closing', 'pool_reopening');
SET CONSTRAINTS ALL IMMEDIATE;
"""


def work(help_text: str) -> models.ForeignKey:
    """The column by which a run or a pool knows its latest work."""
    return models.ForeignKey(
        blank=True,
        help_text=help_text,
        null=True,
        on_delete=django.db.models.deletion.PROTECT,
        related_name="+",
        to="annotate.work",
    )


class Migration(migrations.Migration):
    dependencies = [("annotate", "0011_work"), ("pooling", "0004_pool_strata")]

    operations = [
        migrations.RemoveConstraint("pool", "pooling_pool_open_has_round"),
        migrations.AddField("run", "work", work("Its latest reading.")),
        migrations.AddField("pool", "work", work("Its latest opening, closing or opening again.")),
        migrations.RunSQL(MOVE_RUNS, MOVE_RUNS_BACK),
        migrations.RunSQL(MOVE_POOLS, MOVE_POOLS_BACK),
        migrations.RemoveField("run", "attempts"),
        migrations.RemoveField("pool", "attempts"),
        migrations.RemoveField("pool", "error"),
        migrations.AlterField(
            "pool",
            "state",
            models.CharField(
                choices=[("draft", "Draft"), ("open", "Open"), ("closed", "Closed")],
                default="draft",
                max_length=6,
            ),
        ),
        migrations.AlterField(
            "run",
            "reading_due_at",
            models.DateTimeField(
                blank=True,
                help_text="Items joined the collection since its last reading began: it is to be read again.",
                null=True,
            ),
        ),
        migrations.AddConstraint(
            "pool",
            models.CheckConstraint(
                condition=Q(state="draft", opened_at__isnull=True)
                | Q(state__in=["open", "closed"], opened_at__isnull=False, round__isnull=False),
                name="pooling_pool_open_has_round",
            ),
        ),
    ]
