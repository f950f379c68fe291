"""What a release of a collection must know: its licence, those to cite, and what may leave.

Texts and media stay where they are until a lead says otherwise.
"""

from django.db import migrations, models
from django.db.models import Q, Value


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0023_judgments_with_reasons"),
    ]

    operations = [
        migrations.AddField(
            model_name="collection",
            name="licence",
            field=models.CharField(
                db_default="CC-BY-4.0",
                default="CC-BY-4.0",
                help_text="SPDX identifier of the licence of its releases.",
                max_length=60,
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="creators",
            field=models.JSONField(
                blank=True,
                db_default=Value([], models.JSONField()),
                default=list,
                help_text="Those to cite, in their order: name, affiliation and ORCID.",
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="cite_as",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="How to cite it, in plain text.",
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="texts_may_leave",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Texts of its items are in a release.",
            ),
        ),
        migrations.AddField(
            model_name="collection",
            name="media_may_leave",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Names and addresses of its media are in a release.",
            ),
        ),
        migrations.AddConstraint(
            model_name="collection",
            constraint=models.CheckConstraint(
                condition=Q(licence__regex="^[A-Za-z0-9.+-]+$"),
                name="annotate_collection_licence_identifier",
            ),
        ),
    ]
