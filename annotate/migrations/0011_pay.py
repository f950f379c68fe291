"""What an hour of judging costs, for the price of what is left."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0010_import_query_sets")]

    operations = [
        migrations.AddField(
            "collection",
            "hourly_pay",
            models.DecimalField(
                max_digits=8, decimal_places=2, null=True, blank=True,
                validators=[django.core.validators.MinValueValidator(0)],
                help_text="What an hour of judging costs; empty where no money is shown.",
            ),
        ),
        migrations.AddField(
            "collection",
            "currency",
            models.CharField(max_length=12, default="EUR", help_text="The name of the money, as people read it."),
        ),
    ]
