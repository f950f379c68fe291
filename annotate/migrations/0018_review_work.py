"""How far decisions about many labels or pairs have been carried out."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0016_invitations_by_mail")]

    operations = [
        migrations.AlterField(
            model_name="reviewaction",
            name="n_labels",
            field=models.PositiveIntegerField(
                default=0, help_text="Labels that it was to take out of the count, or put back."
            ),
        ),
        migrations.CreateModel(
            name="ReviewWork",
            fields=[
                (
                    "action",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="work",
                        serialize=False,
                        to="annotate.reviewaction",
                    ),
                ),
                (
                    "since",
                    models.DateTimeField(
                        blank=True,
                        help_text="Answers of a person from then on; when an item was left out.",
                        null=True,
                    ),
                ),
                ("until", models.DateTimeField(blank=True, null=True)),
                ("n_total", models.PositiveIntegerField(help_text="Rows it was about when it was decided.")),
                ("n_done", models.PositiveIntegerField(default=0)),
                (
                    "n_surplus",
                    models.PositiveIntegerField(default=0, help_text="Labels whose place others had taken."),
                ),
                ("cursor", models.BigIntegerField(default=0, help_text="The last row done, in the order of the keys.")),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("finished_at", None)),
                        fields=["action"],
                        name="annotate_reviewwork_under_way",
                    )
                ],
            },
        ),
    ]
