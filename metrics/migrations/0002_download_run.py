"""A run as it was scored, to take away."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('metrics', '0001_initial'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='download',
            name='metrics_download_known_kind',
        ),
        migrations.AlterField(
            model_name='download',
            name='kind',
            field=models.CharField(choices=[('qrels', 'Qrels'), ('beir', 'BEIR folder'), ('fire', 'Labels as JSON'), ('strata', 'Stratified qrels'), ('judgments', 'Judgments'), ('disputed', 'Disputed pairs'), ('cannot-judge', 'Cannot judge'), ('scores', 'Scores a query'), ('run', 'Run as it was scored')], max_length=12),
        ),
        migrations.AddConstraint(
            model_name='download',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['qrels', 'beir', 'fire', 'strata', 'judgments', 'disputed', 'cannot-judge', 'scores', 'run'])), name='metrics_download_known_kind'),
        ),
    ]
