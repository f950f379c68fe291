"""A wish to cancel stands in the row of the work."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0014_import_and_review_works"),
    ]

    operations = [
        migrations.DeleteModel(
            name="Cancellation",
        ),
    ]
