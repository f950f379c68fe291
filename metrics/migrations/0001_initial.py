"""Numbers and alarms: the tables as the models describe them, and what only PostgreSQL can say."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from annotate.first_migration import FirstMigration

EVENTS_ONLY_GROW = """
CREATE TRIGGER metrics_alarmevent_append_only BEFORE UPDATE OR DELETE ON metrics_alarmevent
    FOR EACH ROW EXECUTE FUNCTION annotate_refuse_change()
"""


class Migration(FirstMigration):

    initial = True

    # The last of those that this one stands for. Each needed the one before it, and a single name is written down all
    # at once: a database has all of them, or this one is due, and stops at the first table that is there.
    replaces = [('metrics', '0005_alarms')]

    dependencies = [
        ('annotate', '0002_walls'),
        ('pooling', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Snapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='annotate.collection')),
                ('kind', models.CharField(max_length=30)),
                ('value', models.JSONField()),
                ('n_judgments', models.PositiveIntegerField()),
                ('inputs_sha256', models.CharField(max_length=64)),
                ('computed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'kind'), name='metrics_snapshot_unique_kind'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Block',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.collection')),
                ('number', models.BigIntegerField()),
                ('keys', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('numbers', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), help_text='How often each key counts.', size=None)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'number'), name='metrics_block_unique_number'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Tally',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.collection')),
                ('key', models.TextField()),
                ('n', models.BigIntegerField()),
            ],
            options={
                'verbose_name_plural': 'tallies',
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'key'), name='metrics_tally_unique_key'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Observation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='observations', to='annotate.collection')),
                ('kind', models.CharField(max_length=30)),
                ('n_judgments', models.PositiveIntegerField()),
                ('value', models.JSONField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'kind', 'n_judgments'), name='metrics_observation_unique_moment'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Score',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='pooling.run')),
                ('query_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='annotate.queryset')),
                ('reference_set', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, to='annotate.referenceset')),
                ('label_source', models.CharField(choices=[('people_over_reference', 'People over reference'), ('union', 'Union, larger grade'), ('people', 'People only'), ('reference', 'Reference only')], max_length=21)),
                ('measure', models.CharField(max_length=30)),
                ('threshold', models.PositiveSmallIntegerField()),
                ('mean', models.FloatField(null=True)),
                ('mean_with_positive', models.FloatField(help_text='Over the queries that have a positive; empty when none has.', null=True)),
                ('low', models.FloatField(null=True)),
                ('high', models.FloatField(null=True)),
                ('n_queries', models.PositiveIntegerField()),
                ('n_missing', models.PositiveIntegerField(help_text='Queries of the set that the run does not hold.')),
                ('n_with_positive', models.PositiveIntegerField()),
                ('per_query', models.BinaryField(help_text='float64, little endian, in the order of the query set.')),
                ('inputs_sha256', models.CharField(max_length=64)),
                ('computed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('run', 'query_set', 'reference_set', 'label_source', 'measure', 'threshold'), name='metrics_score_unique', nulls_distinct=False),
                    models.CheckConstraint(condition=models.Q(('label_source__in', ['people_over_reference', 'union', 'people', 'reference'])), name='metrics_score_known_source'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Alarm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='alarms', to='annotate.collection')),
                ('kind', models.CharField(choices=[('alpha', 'Alpha'), ('gold', 'Golds right'), ('speed', 'Active time a label')], max_length=5)),
                ('below', models.FloatField(help_text='Alpha, a share in per cent, or seconds.')),
                ('n_at_least', models.PositiveIntegerField(help_text='Pairs with two labels, golds or labels that it must rest on.')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('collection', 'kind', 'below', 'n_at_least'), name='metrics_alarm_unique'),
                    models.CheckConstraint(condition=models.Q(('kind__in', ['alpha', 'gold', 'speed'])), name='metrics_alarm_known_kind'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AlarmEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('alarm', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='metrics.alarm')),
                ('annotator', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.annotator')),
                ('kind', models.CharField(choices=[('rose', 'Rose'), ('fell', 'Fell')], max_length=4)),
                ('value', models.FloatField(blank=True, help_text='Empty where it was no longer defined.', null=True)),
                ('n', models.PositiveIntegerField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'indexes': [
                    models.Index(fields=['alarm', 'annotator', '-id'], name='metrics_alarmevent_last'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('kind__in', ['rose', 'fell'])), name='metrics_alarmevent_known_kind'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Download',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='downloads', to='annotate.collection')),
                ('kind', models.CharField(choices=[('qrels', 'Qrels'), ('beir', 'BEIR folder'), ('fire', 'Labels as JSON'), ('strata', 'Stratified qrels'), ('judgments', 'Judgments'), ('disputed', 'Disputed pairs'), ('cannot-judge', 'Cannot judge'), ('scores', 'Scores a query')], max_length=12)),
                ('parameters', models.JSONField(blank=True, default=dict, help_text='What its form was given.')),
                ('made_with', models.CharField(blank=True, help_text='The same in words.', max_length=500)),
                ('state', models.CharField(choices=[('asked', 'Being made'), ('done', 'Ready'), ('failed', 'Failed'), ('cancelled', 'Cancelled'), ('expired', 'Expired')], default='asked', max_length=9)),
                ('file', models.FileField(blank=True, max_length=255, upload_to='downloads/')),
                ('file_name', models.CharField(max_length=255)),
                ('n_bytes', models.PositiveBigIntegerField(blank=True, null=True)),
                ('n_rows', models.PositiveBigIntegerField(blank=True, null=True)),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('as_of', models.DateTimeField(blank=True, help_text='The moment of the database that it shows.', null=True)),
                ('run_ids', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), blank=True, default=list, help_text='Keys of the runs it names.', size=None)),
                ('error', models.CharField(blank=True, max_length=500)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'indexes': [
                    models.Index(fields=['collection', '-created_at'], name='metrics_download_newest'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('kind__in', ['qrels', 'beir', 'fire', 'strata', 'judgments', 'disputed', 'cannot-judge', 'scores'])), name='metrics_download_known_kind'),
                    models.CheckConstraint(condition=models.Q(models.Q(('file', ''), ('finished_at', None), ('state', 'asked')), models.Q(('finished_at__isnull', False), ('n_bytes__isnull', False), ('n_rows__isnull', False), ('state', 'done'), models.Q(('file', ''), _negated=True), models.Q(('sha256', ''), _negated=True)), models.Q(('file', ''), ('finished_at__isnull', False), ('state__in', ['failed', 'cancelled', 'expired'])), _connector='OR'), name='metrics_download_done_has_file'),
                ],
            },
        ),
        migrations.CreateModel(
            name='BoardView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='board_views', to='annotate.collection')),
                ('key', models.CharField(help_text='The hash of what was asked for.', max_length=64)),
                ('wanted', models.JSONField()),
                ('value', models.JSONField()),
                ('version', models.CharField(help_text='The version of the labels that it rests on.', max_length=64)),
                ('computed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'key'), name='metrics_boardview_unique_key'),
                ],
            },
        ),
        migrations.RunSQL(EVENTS_ONLY_GROW, "DROP TRIGGER metrics_alarmevent_append_only ON metrics_alarmevent"),
    ]
