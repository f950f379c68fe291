"""What a sampled pool did not draw, kept from its opening on."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotate", "0010_query_groups"), ("pooling", "0003_run_columns")]

    operations = [
        migrations.CreateModel(
            "PoolStratum",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("stratum", models.PositiveSmallIntegerField()),
                ("n_pooled", models.PositiveIntegerField()),
                ("n_drawn", models.PositiveIntegerField()),
                (
                    "undrawn",
                    django.contrib.postgres.fields.ArrayField(
                        models.BigIntegerField(),
                        help_text="Keys of the targets, ascending.",
                        size=None,
                    ),
                ),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="strata",
                        to="pooling.pool",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotate.item",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "pool strata",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("pool", "source", "stratum"), name="pooling_poolstratum_unique"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            n_pooled=models.F("n_drawn")
                            + models.Func(
                                models.F("undrawn"),
                                function="cardinality",
                                output_field=models.IntegerField(),
                            )
                        ),
                        name="pooling_poolstratum_adds_up",
                    ),
                ],
            },
        ),
    ]
