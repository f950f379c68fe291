"""Training before judging: what it asks, the quiz, the pairs, the tries, and who was let in."""

from decimal import Decimal

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import annotate.models.judgments

# Tables that only grow, as in 0002_walls.
APPEND_ONLY = ("annotate_quiz", "annotate_quizattempt", "annotate_trainingdecision")


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0012_policy_engine"),
    ]

    operations = [
        migrations.CreateModel(
            name="Quiz",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("questions", models.JSONField(default=list, help_text="As annotate.core.quizzes.Question says.")),
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
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="quizzes", to="annotate.collection"
                    ),
                ),
                (
                    "guidelines",
                    models.ForeignKey(
                        help_text="The version that was current when it was written.",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotate.guidelines",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "quizzes",
            },
        ),
        migrations.CreateModel(
            name="QuizAttempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "choices",
                    models.JSONField(default=list, help_text="The option chosen for each question, counted from 0."),
                ),
                ("n_right", models.PositiveSmallIntegerField()),
                ("passed", models.BooleanField()),
                ("at", models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="quiz_attempts",
                        to="annotate.annotator",
                    ),
                ),
                (
                    "quiz",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="attempts", to="annotate.quiz"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Training",
            fields=[
                (
                    "collection",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="training",
                        serialize=False,
                        to="annotate.collection",
                    ),
                ),
                ("is_on", models.BooleanField(default=False)),
                (
                    "measure",
                    models.CharField(
                        choices=[("accuracy", "Accuracy"), ("spearman", "Spearman's rank correlation")],
                        default="accuracy",
                        max_length=8,
                    ),
                ),
                (
                    "pass_mark",
                    models.DecimalField(
                        decimal_places=3,
                        default=Decimal("0.8"),
                        max_digits=4,
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1),
                        ],
                    ),
                ),
                (
                    "quiz_mark",
                    models.DecimalField(
                        decimal_places=3,
                        default=Decimal("0.8"),
                        max_digits=4,
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1),
                        ],
                    ),
                ),
                (
                    "pairs_a_try",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Empty: all of them.",
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(2000),
                        ],
                    ),
                ),
                (
                    "max_tries",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        default=3,
                        help_text="Empty: no limit.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                    ),
                ),
                ("wait_minutes", models.PositiveIntegerField(default=0, help_text="Between two tries.")),
                ("needs_review", models.BooleanField(default=False)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("measure__in", ["accuracy", "spearman"])),
                        name="annotate_training_known_measure",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("pass_mark__gte", 0), ("pass_mark__lte", 1), ("quiz_mark__gte", 0), ("quiz_mark__lte", 1)
                        ),
                        name="annotate_training_mark_range",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("max_tries", None), ("max_tries__gte", 1), _connector="OR"),
                            models.Q(("pairs_a_try", None), ("pairs_a_try__gte", 1), _connector="OR"),
                        ),
                        name="annotate_training_at_least_one",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TrainingDecision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("passed", "Passed"),
                            ("admitted", "Admitted by a lead"),
                            ("exempted", "Exempt"),
                            ("sent_back", "Sent back"),
                        ],
                        max_length=9,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("at", models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="training_decisions",
                        to="annotate.annotator",
                    ),
                ),
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
            ],
        ),
        migrations.CreateModel(
            name="TrainingPair",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("grade", models.PositiveSmallIntegerField()),
                ("why", models.CharField(blank=True, max_length=2000)),
                ("anchor", models.CharField(blank=True, help_text="Of a heading of the guidelines.", max_length=120)),
                ("at", models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
                ("retired_at", models.DateTimeField(blank=True, null=True)),
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
                    "pair",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="training_pair", to="annotate.pair"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TrainingTry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "measure",
                    models.CharField(
                        choices=[("accuracy", "Accuracy"), ("spearman", "Spearman's rank correlation")], max_length=8
                    ),
                ),
                ("pass_mark", models.DecimalField(decimal_places=3, max_digits=4)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("n_answered", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("n_right", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "score",
                    models.FloatField(blank=True, help_text="Empty where the measure is not defined.", null=True),
                ),
                (
                    "passed",
                    models.BooleanField(blank=True, help_text="Empty: under way, or broken off by a lead.", null=True),
                ),
                (
                    "annotator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="training_tries",
                        to="annotate.annotator",
                    ),
                ),
                (
                    "batch",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="training_try", to="annotate.batch"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "training tries",
            },
        ),
        migrations.AddConstraint(
            model_name="quiz",
            constraint=models.UniqueConstraint(fields=("collection", "version"), name="annotate_quiz_unique_version"),
        ),
        migrations.AddConstraint(
            model_name="trainingdecision",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["passed", "admitted", "exempted", "sent_back"])),
                name="annotate_trainingdecision_known_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="trainingpair",
            constraint=models.CheckConstraint(
                condition=models.Q(("grade__lte", 100)), name="annotate_trainingpair_grade_range"
            ),
        ),
        migrations.AddConstraint(
            model_name="trainingtry",
            constraint=models.UniqueConstraint(
                fields=("annotator", "number"), name="annotate_trainingtry_unique_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="trainingtry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at", None), ("passed", None)), ("finished_at__isnull", False), _connector="OR"
                ),
                name="annotate_trainingtry_result_when_finished",
            ),
        ),
        migrations.AddConstraint(
            model_name="trainingtry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("passed", None),
                    models.Q(("n_answered__isnull", False), ("n_right__lte", models.F("n_answered"))),
                    _connector="OR",
                ),
                name="annotate_trainingtry_result_complete",
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
