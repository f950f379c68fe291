"""A run as it was scored, to take away; the upper bound of a score beside it."""

from django.db import migrations, models

# Upper bounds are made by a refresh, of which there may be none for long where nobody judges.
REFRESH = (
    "INSERT INTO annotate_change (collection_id) SELECT DISTINCT collection_id FROM pooling_run"
)


class Migration(migrations.Migration):
    dependencies = [
        ("metrics", "0001_initial"),
        ("pooling", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="score",
            name="best",
            field=models.FloatField(
                help_text="The mean as if every unjudged target were positive.", null=True
            ),
        ),
        migrations.AddField(
            model_name="score",
            name="per_query_best",
            field=models.BinaryField(
                help_text="The same as if every unjudged target were positive.", null=True
            ),
        ),
        migrations.RunSQL(REFRESH, migrations.RunSQL.noop),
        migrations.RemoveConstraint(
            model_name="download",
            name="metrics_download_known_kind",
        ),
        migrations.AlterField(
            model_name="download",
            name="kind",
            field=models.CharField(
                choices=[
                    ("qrels", "Qrels"),
                    ("beir", "BEIR folder"),
                    ("fire", "Labels as JSON"),
                    ("strata", "Stratified qrels"),
                    ("judgments", "Judgments"),
                    ("disputed", "Disputed pairs"),
                    ("cannot-judge", "Cannot judge"),
                    ("scores", "Scores a query"),
                    ("run", "Run as it was scored"),
                ],
                max_length=12,
            ),
        ),
        migrations.AddConstraint(
            model_name="download",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "qrels",
                            "beir",
                            "fire",
                            "strata",
                            "judgments",
                            "disputed",
                            "cannot-judge",
                            "scores",
                            "run",
                        ],
                    )
                ),
                name="metrics_download_known_kind",
            ),
        ),
    ]
