"""The marks that alpha is held to, for each collection; those that exist keep the conventional ones."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0031_previews"),
    ]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="firm_alpha",
            field=models.FloatField(
                db_default=0.8, default=0.8, help_text="Conclusions are firm from this alpha on."
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="tentative_alpha",
            field=models.FloatField(
                db_default=0.667,
                default=0.667,
                help_text="Conclusions are tentative from this alpha on.",
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("firm_alpha__gt", models.F("tentative_alpha")),
                    ("firm_alpha__lte", 1),
                    ("tentative_alpha__gt", 0),
                ),
                name="annotate_collection_alpha_marks",
            ),
        ),
    ]
