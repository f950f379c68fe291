"""A resolution rule more: a model of the annotators."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("annotate", "0007_imports")]

    operations = [
        migrations.AlterField(
            "policy",
            "rule",
            models.CharField(
                choices=[
                    ("majority", "Majority"),
                    ("median", "Median"),
                    ("model", "Model of the annotators (Dawid and Skene)"),
                ],
                default="majority",
                max_length=8,
            ),
        ),
        migrations.RemoveConstraint("policy", "annotate_policy_known_rule"),
        migrations.AddConstraint(
            "policy",
            models.CheckConstraint(
                condition=Q(rule__in=["majority", "median", "model"], tie__in=["dispute", "up", "down"]),
                name="annotate_policy_known_rule",
            ),
        ),
    ]
