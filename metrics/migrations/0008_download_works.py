"""The making of a download is work like any other: its state, attempts and errors move to annotate's table of works."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

MOVE = """
INSERT INTO annotate_work (collection_id, kind, subject, state, attempts, n_outages, error_code, error_data, by_id,
                           asked_at, finished_at)
SELECT collection_id, 'download', id, CASE state WHEN 'expired' THEN 'done' ELSE state END, attempts, 0,
       CASE state WHEN 'failed' THEN 'unfit' ELSE '' END,
       CASE error WHEN '' THEN '{}' ELSE jsonb_build_object('message', error) END, by_id, created_at, finished_at
FROM metrics_download;
UPDATE metrics_download SET work_id = work.id FROM annotate_work work
WHERE work.kind = 'download' AND work.subject = metrics_download.id;
SET CONSTRAINTS ALL IMMEDIATE;
"""
MOVE_BACK = """
UPDATE metrics_download SET
    state = CASE WHEN work.state = 'running' THEN 'asked'
                 WHEN work.state = 'done' AND file = '' THEN 'expired' ELSE work.state END,
    error = coalesce(work.error_data ->> 'message', ''), attempts = work.attempts, finished_at = work.finished_at
FROM annotate_work work WHERE work.id = work_id;
UPDATE metrics_download SET work_id = NULL;
DELETE FROM annotate_work WHERE kind = 'download';
SET CONSTRAINTS ALL IMMEDIATE;
"""


class Migration(migrations.Migration):
    dependencies = [("annotate", "0011_work"), ("metrics", "0007_plans")]

    operations = [
        migrations.RemoveConstraint("download", "metrics_download_done_has_file"),
        migrations.AddField(
            "download",
            "work",
            models.OneToOneField(
                help_text="Its making.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="download",
                to="annotate.work",
            ),
        ),
        migrations.RunSQL(MOVE, MOVE_BACK),
        migrations.RemoveField("download", "state"),
        migrations.RemoveField("download", "attempts"),
        migrations.RemoveField("download", "error"),
        migrations.RemoveField("download", "finished_at"),
        migrations.AlterField(
            "download",
            "file",
            models.FileField(
                blank=True,
                help_text="Empty until it is made, and once it was kept.",
                max_length=255,
                upload_to="downloads/",
            ),
        ),
        migrations.AddConstraint(
            "download",
            models.CheckConstraint(
                condition=Q(file="")
                | Q(n_bytes__isnull=False, n_rows__isnull=False) & ~Q(sha256=""),
                name="metrics_download_file_has_facts",
            ),
        ),
    ]
