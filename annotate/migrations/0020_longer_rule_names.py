"""Room for the names of further rules; PostgreSQL rewrites no row for it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0019_counting_judgments"),
    ]

    operations = [
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
                max_length=24,
            ),
        ),
    ]
