"""The moment at which a person closed the tour, which her first page shows until then.

People who judged before there was a tour, or lead or research somewhere, know their way: to them it
counts as closed. It is shown to those alone who have an account and did nothing with it so far.
"""

from django.db import migrations, models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now


def close_for_the_experienced(apps, schema_editor):
    """Close the tour for whoever judged, leads or researches."""
    judgments = apps.get_model("annotate", "Judgment").objects.filter(
        annotator__user=OuterRef("pk")
    )
    memberships = apps.get_model("annotate", "Membership").objects.filter(
        user=OuterRef("pk"), role__in=("lead", "researcher")
    )
    people = apps.get_model("annotate", "User").objects.filter(
        Q(Exists(judgments)) | Q(Exists(memberships)) | Q(is_superuser=True)
    )
    people.update(tour_closed_at=Now())


class Migration(migrations.Migration):
    dependencies = [("annotate", "0027_webhooks")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="tour_closed_at",
            field=models.DateTimeField(
                blank=True, help_text="Until then her first page shows the tour.", null=True
            ),
        ),
        migrations.RunPython(close_for_the_experienced, migrations.RunPython.noop),
    ]
