"""An index of what somebody has left to do."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("annotate", "0019_gold_log")]

    operations = [
        migrations.AddIndex(
            model_name="handout",
            index=models.Index(condition=Q(answered_at=None), fields=["batch"], name="annotate_handout_to_do"),
        ),
    ]
