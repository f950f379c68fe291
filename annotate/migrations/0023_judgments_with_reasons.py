"""An index of the judgments that name reasons, for the page of comments.

Rows stay as they are; while it is made, some seconds for a million judgments, answers wait.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0022_media_checksums"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="judgment",
            index=models.Index(
                condition=models.Q(("reasons", []), _negated=True),
                fields=["collection", "id"],
                name="annotate_judgment_with_reasons",
            ),
        ),
    ]
