"""The strata of sampled reference sets, and what they pooled but did not draw."""

import django.db.models.deletion
from django.db import migrations, models

_PARTS = [
    ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
    ("stratum", models.PositiveSmallIntegerField()),
]


def _key(model: str, related_name: str) -> models.ForeignKey:
    return models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name=related_name, to=model)


class Migration(migrations.Migration):
    dependencies = [("annotate", "0008_model_rule")]

    operations = [
        migrations.AddField(
            "referencelabel",
            "stratum",
            models.PositiveSmallIntegerField(
                blank=True, help_text="The part of a sampled pool that it was drawn from.", null=True
            ),
        ),
        migrations.CreateModel(
            "Undrawn",
            [
                *_PARTS,
                ("reference_set", _key("annotate.referenceset", "undrawn")),
                ("query", _key("annotate.item", "+")),
                ("document", _key("annotate.item", "+")),
            ],
            {
                "verbose_name_plural": "undrawn",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("reference_set", "query", "document"), name="annotate_undrawn_unique_pair"
                    )
                ],
            },
        ),
    ]
