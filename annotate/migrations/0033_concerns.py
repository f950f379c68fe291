"""People whose answers a guard names, how leads settle it, and the marks that leads set.

No row that exists changes; a collection has the product's marks until a lead sets others. Webhooks may be told.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import annotate.models.judgments

APPEND_ONLY = ("annotate_concernevent", "annotate_guardmark")
# The events of before know no guards; a webhook that waits for these alone would have no event.
FORGET_EVENT = """
    DELETE FROM annotate_delivery
    WHERE event = 'concern.rose'
       OR hook_id IN (SELECT id FROM annotate_hook WHERE events = ARRAY['concern.rose']::varchar[]);
    DELETE FROM annotate_hook WHERE events = ARRAY['concern.rose']::varchar[];
    UPDATE annotate_hook SET events = array_remove(events, 'concern.rose');
    SET CONSTRAINTS ALL IMMEDIATE
"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0032_alpha_marks"),
    ]

    operations = [
        migrations.CreateModel(
            name="Concern",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "guard",
                    models.CharField(
                        choices=[
                            ("speed", "Speed"),
                            ("clip", "Clips"),
                            ("run", "One level in a row"),
                            ("gold", "Golds"),
                        ],
                        max_length=5,
                    ),
                ),
                (
                    "evidence",
                    models.JSONField(
                        help_text="The numbers as of the last look that saw some, and the mark they were held to."
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "Open"), ("settled", "It is fine")],
                        default="open",
                        help_text="What its last event says; open without one.",
                        max_length=7,
                    ),
                ),
                ("at", models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
                (
                    "faded_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="Since when looks see no evidence any more; empty: the last one saw some.",
                        null=True,
                    ),
                ),
                (
                    "mailed_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When the leads were sent a mail; empty: they were not.",
                        null=True,
                    ),
                ),
                ("mail_attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "mail_attempt_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When a mail was last tried; empty: never.",
                        null=True,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ConcernEvent",
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
                        choices=[("settled", "It is fine"), ("reopened", "Opened again")],
                        max_length=8,
                    ),
                ),
                ("at", models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
            ],
        ),
        migrations.CreateModel(
            name="GuardMark",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "guard",
                    models.CharField(
                        choices=[
                            ("speed", "Speed"),
                            ("clip", "Clips"),
                            ("run", "One level in a row"),
                            ("gold", "Golds"),
                        ],
                        max_length=5,
                    ),
                ),
                (
                    "mark",
                    models.FloatField(
                        blank=True,
                        help_text="Seconds, or per cent. Empty: the guard is off.",
                        null=True,
                    ),
                ),
                ("at", models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="delivery",
            name="annotate_delivery_known_event",
        ),
        migrations.RemoveConstraint(
            model_name="hook",
            name="annotate_hook_known_events",
        ),
        migrations.AlterField(
            model_name="delivery",
            name="event",
            field=models.CharField(
                choices=[
                    ("round.finished", "No pair of a pool waits for labels any more"),
                    ("alarm.rose", "An alarm rises"),
                    ("alarm.fell", "An alarm falls"),
                    ("concern.rose", "A guard names a person to look at"),
                    ("release.made", "A release is made"),
                    ("release.published", "A release becomes public"),
                    ("release.unpublished", "A release is no longer public"),
                    ("release.withdrawn", "A release is withdrawn"),
                    ("job.ended", "A job is done, failed or cancelled"),
                    ("test", "A test"),
                ],
                max_length=24,
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "event__in",
                        [
                            "round.finished",
                            "alarm.rose",
                            "alarm.fell",
                            "concern.rose",
                            "release.made",
                            "release.published",
                            "release.unpublished",
                            "release.withdrawn",
                            "job.ended",
                            "test",
                        ],
                    )
                ),
                name="annotate_delivery_known_event",
            ),
        ),
        migrations.AddConstraint(
            model_name="hook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("events", []), _negated=True),
                    (
                        "events__contained_by",
                        [
                            "round.finished",
                            "alarm.rose",
                            "alarm.fell",
                            "concern.rose",
                            "release.made",
                            "release.published",
                            "release.unpublished",
                            "release.withdrawn",
                            "job.ended",
                        ],
                    ),
                ),
                name="annotate_hook_known_events",
            ),
        ),
        migrations.AddField(
            model_name="concern",
            name="annotator",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="concerns",
                to="annotate.annotator",
            ),
        ),
        migrations.AddField(
            model_name="concern",
            name="collection",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="concerns",
                to="annotate.collection",
            ),
        ),
        migrations.AddField(
            model_name="concernevent",
            name="by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="concernevent",
            name="concern",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="events",
                to="annotate.concern",
            ),
        ),
        migrations.AddField(
            model_name="guardmark",
            name="by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="guardmark",
            name="collection",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="guard_marks",
                to="annotate.collection",
            ),
        ),
        migrations.AddIndex(
            model_name="concern",
            index=models.Index(
                condition=models.Q(("state", "open")),
                fields=["collection"],
                name="annotate_concern_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="concern",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "open")),
                fields=("annotator", "guard"),
                name="annotate_concern_one_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="concern",
            constraint=models.CheckConstraint(
                condition=models.Q(("guard__in", ["speed", "clip", "run", "gold"])),
                name="annotate_concern_known_guard",
            ),
        ),
        migrations.AddConstraint(
            model_name="concern",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "settled"])),
                name="annotate_concern_known_state",
            ),
        ),
        migrations.AddConstraint(
            model_name="concernevent",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["settled", "reopened"])),
                name="annotate_concernevent_known_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="guardmark",
            constraint=models.CheckConstraint(
                condition=models.Q(("guard__in", ["speed", "clip", "run", "gold"])),
                name="annotate_guardmark_known_guard",
            ),
        ),
        migrations.AddConstraint(
            model_name="guardmark",
            constraint=models.CheckConstraint(
                condition=models.Q(("mark__isnull", True), ("mark__gt", 0), _connector="OR"),
                name="annotate_guardmark_above_0",
            ),
        ),
        *[
            migrations.RunSQL(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION annotate_refuse_change();"
                f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION annotate_refuse_truncate()",
                f"DROP TRIGGER {table}_no_truncate ON {table};"
                f"DROP TRIGGER {table}_append_only ON {table}",
            )
            for table in APPEND_ONLY
        ],
        migrations.RunSQL(migrations.RunSQL.noop, FORGET_EVENT),  # last here is first in reverse
    ]
