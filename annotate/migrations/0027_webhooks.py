"""Webhooks and their messages. Two new tables; no row that exists changes."""

import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0026_resolution_moments"),
    ]

    operations = [
        migrations.CreateModel(
            name="Hook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.CharField(max_length=1000)),
                (
                    "events",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=24), size=None
                    ),
                ),
                ("secret", models.TextField(help_text="Encrypted under SECRET_KEY.")),
                (
                    "earlier_secret",
                    models.TextField(
                        blank=True, help_text="Those before, which sign too for a day."
                    ),
                ),
                ("secret_changed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "n_failures",
                    models.PositiveIntegerField(
                        default=0, help_text="Attempts that failed since the last that did not."
                    ),
                ),
                ("failing_since", models.DateTimeField(blank=True, null=True)),
                ("rests_until", models.DateTimeField(blank=True, null=True)),
                ("off_at", models.DateTimeField(blank=True, null=True)),
                (
                    "off_why",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("lead", "Switched off by a lead"),
                            ("failing", "Switched off: it failed for days"),
                            ("gone", "Switched off: its receiver answered 410, gone for good"),
                        ],
                        max_length=7,
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hooks",
                        to="annotate.collection",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("message_id", models.UUIDField(default=uuid.uuid4, editable=False)),
                (
                    "event",
                    models.CharField(
                        choices=[
                            ("round.finished", "No pair of a pool waits for labels any more"),
                            ("alarm.rose", "An alarm rises"),
                            ("alarm.fell", "An alarm falls"),
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
                ("data", models.JSONField(help_text="The ids and addresses of its subject.")),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        help_text="When it happened.",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("delivered", "Delivered"),
                            ("failed", "Failed"),
                        ],
                        default="waiting",
                        max_length=9,
                    ),
                ),
                (
                    "n_attempts",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Since it was requested, by the event or by a lead."
                    ),
                ),
                (
                    "attempts",
                    models.JSONField(
                        blank=True, default=list, help_text="The newest, oldest first."
                    ),
                ),
                ("next_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "hook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="annotate.hook",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "deliveries",
            },
        ),
        migrations.AddConstraint(
            model_name="hook",
            constraint=models.UniqueConstraint(
                fields=("collection", "url"), name="annotate_hook_unique_url"
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
        migrations.AddConstraint(
            model_name="hook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("off_at", None), ("off_why", "")),
                    models.Q(
                        ("off_at__isnull", False), ("off_why__in", ["lead", "failing", "gone"])
                    ),
                    _connector="OR",
                ),
                name="annotate_hook_off_has_reason",
            ),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(
                condition=models.Q(("state", "waiting")),
                fields=["next_at"],
                name="annotate_delivery_waiting",
            ),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.UniqueConstraint(
                fields=("message_id",), name="annotate_delivery_unique_message"
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
            model_name="delivery",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended_at", None), ("next_at__isnull", False), ("state", "waiting")),
                    models.Q(
                        ("ended_at__isnull", False),
                        ("next_at", None),
                        ("state__in", ("delivered", "failed")),
                    ),
                    _connector="OR",
                ),
                name="annotate_delivery_ended_has_time",
            ),
        ),
    ]
