"""What became of reports is kept event by event, and an answer that counts again names the one it restores."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

import annotate.models.judgments

# Nothing checked later: rows that wait for a check keep their table from being altered.
SETTLED = """
INSERT INTO annotate_reportevent (report_id, kind, by_id, at)
SELECT id, 'settled', settled_by_id, settled_at FROM annotate_report WHERE settled_at IS NOT NULL ORDER BY settled_at;
UPDATE annotate_report SET state = 'settled' WHERE settled_at IS NOT NULL;
SET CONSTRAINTS ALL IMMEDIATE
"""
UNSETTLED = """
UPDATE annotate_report report SET settled_at = last.at, settled_by_id = last.by_id
FROM (SELECT DISTINCT ON (report_id) report_id, at, by_id FROM annotate_reportevent ORDER BY report_id, id DESC) last
WHERE last.report_id = report.id AND report.state <> 'open';
SET CONSTRAINTS ALL IMMEDIATE
"""
# The view of pairs' states asks which reports are open.
VIEW = """
CREATE OR REPLACE VIEW annotate_pairstate AS
SELECT wish.id AS round_pair_id, round.collection_id, wish.round_id, wish.pair_id, CASE
    WHEN wish.dropped_at IS NOT NULL THEN 'left_out'
    WHEN resolution.status IN ('disputed', 'escalated') THEN resolution.status
    WHEN EXISTS (SELECT FROM annotate_report report
                 WHERE report.pair_id = wish.pair_id AND report.kind = 'cannot_judge' AND {is_open})
        THEN 'cannot_judge'
    WHEN resolution.is_complete THEN 'complete'
    WHEN resolution.n_labels > 0 THEN 'some_labels'
    ELSE 'untouched' END AS state
FROM annotate_roundpair wish
JOIN annotate_round round ON round.id = wish.round_id
LEFT JOIN annotate_resolution resolution ON resolution.pair_id = wish.pair_id
"""
APPEND_ONLY = ("annotate_reportevent",)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0005_reference_names")]

    operations = [
        migrations.AddField(
            "judgment",
            "restores",
            models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="The answer that counts again in this row, since what had taken its place was taken back.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="restorations",
                to="annotate.judgment",
            ),
        ),
        migrations.AddIndex(
            "judgment",
            models.Index(
                condition=Q(restores__isnull=False),
                fields=["restores"],
                name="annotate_judgment_restored",
            ),
        ),
        migrations.AddField(
            "report",
            "state",
            models.CharField(
                choices=[("open", "Open"), ("settled", "Settled"), ("undone", "Taken back")],
                default="open",
                help_text="What its last event says; open without one.",
                max_length=7,
            ),
        ),
        migrations.AlterField(
            "report",
            "at",
            models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp()),
        ),
        migrations.CreateModel(
            name="ReportEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("undone", "Taken back"),
                            ("settled", "Settled"),
                            ("reopened", "Opened again"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "submission_id",
                    models.UUIDField(
                        blank=True,
                        help_text="Of what the browser sent: the same one again does nothing.",
                        null=True,
                    ),
                ),
                ("at", models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="annotate.report",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(kind__in=["undone", "settled", "reopened"]),
                        name="annotate_reportevent_known_kind",
                    ),
                    models.UniqueConstraint(
                        fields=["report", "submission_id"], name="annotate_reportevent_once"
                    ),
                ],
            },
        ),
        migrations.RunSQL(SETTLED, UNSETTLED),
        migrations.RunSQL(
            VIEW.format(is_open="report.state = 'open'"),
            VIEW.format(is_open="report.settled_at IS NULL"),
        ),
        migrations.RemoveIndex("report", "annotate_report_open"),
        migrations.RemoveField("report", "settled_at"),
        migrations.RemoveField("report", "settled_by"),
        migrations.AddIndex(
            "report",
            models.Index(
                condition=Q(state="open"),
                fields=["collection", "kind", "pair"],
                name="annotate_report_open",
            ),
        ),
        migrations.AddConstraint(
            "report",
            models.CheckConstraint(
                condition=Q(state__in=["open", "settled", "undone"]),
                name="annotate_report_known_state",
            ),
        ),
        *[
            migrations.RunSQL(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION annotate_refuse_change()",
                f"DROP TRIGGER {table}_append_only ON {table}",
            )
            for table in APPEND_ONLY
        ],
    ]
