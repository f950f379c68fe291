"""What a policy may ask for besides labels, and what is kept of batches and answers for it."""

from decimal import Decimal

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0011_pay"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="batch",
            name="annotate_batch_known_verdict",
        ),
        migrations.RemoveConstraint(
            model_name="policy",
            name="annotate_policy_known_rule",
        ),
        migrations.AddField(
            model_name="batch",
            name="gold_action",
            field=models.CharField(
                blank=True,
                choices=[
                    ("none", "Count them only"),
                    ("warn", "Warn the person"),
                    ("hold", "Hold the batch for a lead"),
                    ("reject", "Reject the batch and ask for its labels again"),
                    ("pause", "Hold the batch and pause the person"),
                ],
                db_default="",
                default="",
                help_text="What its golds called for when checked.",
                max_length=6,
            ),
        ),
        migrations.AddField(
            model_name="batch",
            name="grouped",
            field=models.BooleanField(
                blank=True, help_text="Whether one query's pairs were handed out together, or mixed.", null=True
            ),
        ),
        migrations.AddField(
            model_name="batch",
            name="n_golds",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Golds it was checked by when it was finished; empty = not checked yet.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="batch",
            name="n_golds_right",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="judgment",
            name="grouped",
            field=models.BooleanField(
                blank=True, help_text="Whether it was handed out within one query's run of pairs, or mixed.", null=True
            ),
        ),
        migrations.AddField(
            model_name="judgment",
            name="n_changes",
            field=models.PositiveSmallIntegerField(
                blank=True, help_text="Changes of mind on the card before the answer.", null=True
            ),
        ),
        migrations.AddField(
            model_name="judgment",
            name="n_replays",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="judgment",
            name="played_ms",
            field=models.PositiveIntegerField(blank=True, help_text="How much of its clips was played.", null=True),
        ),
        migrations.AddField(
            model_name="policy",
            name="ask_reasons",
            field=models.BooleanField(default=True, help_text="Levels ask for their reasons."),
        ),
        migrations.AddField(
            model_name="policy",
            name="gold_action",
            field=models.CharField(
                choices=[
                    ("none", "Count them only"),
                    ("warn", "Warn the person"),
                    ("hold", "Hold the batch for a lead"),
                    ("reject", "Reject the batch and ask for its labels again"),
                    ("pause", "Hold the batch and pause the person"),
                ],
                default="none",
                help_text="What happens when too few of a finished batch's golds are right.",
                max_length=6,
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="gold_pass",
            field=models.DecimalField(
                decimal_places=4,
                default=Decimal("0.75"),
                help_text="Smallest share of a batch's golds that must be right.",
                max_digits=5,
                validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="max_share",
            field=models.DecimalField(
                decimal_places=4,
                default=Decimal("1"),
                help_text="Largest share of a round's pairs that one person may judge; 1 = no limit.",
                max_digits=5,
                validators=[
                    django.core.validators.MinValueValidator(Decimal("0.0001")),
                    django.core.validators.MaxValueValidator(1),
                ],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="repeat_after_days",
            field=models.PositiveSmallIntegerField(
                default=7,
                help_text="Days before a pair may come back.",
                validators=[django.core.validators.MaxValueValidator(365)],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="repeat_share",
            field=models.DecimalField(
                decimal_places=4,
                default=Decimal("0"),
                help_text="Share of a person's own pairs that come back to the same person.",
                max_digits=5,
                validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="stop_early",
            field=models.BooleanField(
                default=False,
                help_text="Of several labels a pair, ask for no more once two agree and the rule decides.",
            ),
        ),
        migrations.AddField(
            model_name="round",
            name="following_since",
            field=models.DateTimeField(
                blank=True,
                help_text="Since then its resolutions are being brought under another policy; empty: they follow it.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="batch",
            name="verdict",
            field=models.CharField(
                blank=True,
                choices=[("accepted", "Accepted"), ("rejected", "Rejected"), ("held", "Held for a lead")],
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="policy",
            name="rule",
            field=models.CharField(
                choices=[
                    ("majority", "Majority"),
                    ("unanimous", "Unanimous"),
                    ("median", "Median"),
                    ("model", "Model of the annotators (Dawid and Skene)"),
                ],
                default="majority",
                max_length=9,
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
                condition=models.Q(("verdict__in", ["", "accepted", "rejected", "held"])),
                name="annotate_batch_known_verdict",
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("n_golds", None), ("n_golds_right", None)),
                    models.Q(
                        ("n_golds__isnull", False),
                        ("n_golds_right__isnull", False),
                        ("n_golds_right__lte", models.F("n_golds")),
                    ),
                    _connector="OR",
                ),
                name="annotate_batch_golds_counted",
            ),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
                condition=models.Q(("gold_action__in", ["", "none", "warn", "hold", "reject", "pause"])),
                name="annotate_batch_known_gold_action",
            ),
        ),
        migrations.AddConstraint(
            model_name="judgment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("played_ms__isnull", True), ("played_ms__lte", 3600000), _connector="OR"),
                    models.Q(("n_replays__isnull", True), ("n_replays__lte", 1000), _connector="OR"),
                    models.Q(("n_changes__isnull", True), ("n_changes__lte", 1000), _connector="OR"),
                ),
                name="annotate_judgment_handling_range",
            ),
        ),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("rule__in", ["majority", "unanimous", "median", "model"]), ("tie__in", ["dispute", "up", "down"])
                ),
                name="annotate_policy_known_rule",
            ),
        ),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.CheckConstraint(
                condition=models.Q(models.Q(("rule", "unanimous"), _negated=True), ("tie", "dispute"), _connector="OR"),
                name="annotate_policy_unanimous_disputes",
            ),
        ),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.CheckConstraint(
                condition=models.Q(("gold_action__in", ["none", "warn", "hold", "reject", "pause"])),
                name="annotate_policy_known_gold_action",
            ),
        ),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.CheckConstraint(
                condition=models.Q(("gold_pass__gte", 0), ("gold_pass__lte", 1)), name="annotate_policy_gold_pass_range"
            ),
        ),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.CheckConstraint(
                condition=models.Q(("repeat_after_days__lte", 365), ("repeat_share__gte", 0), ("repeat_share__lte", 1)),
                name="annotate_policy_repeat_range",
            ),
        ),
        migrations.AddConstraint(
            model_name="policy",
            constraint=models.CheckConstraint(
                condition=models.Q(("max_share__gt", 0), ("max_share__lte", 1)), name="annotate_policy_max_share_range"
            ),
        ),
    ]
