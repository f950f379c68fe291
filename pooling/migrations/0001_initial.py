"""Runs and pools: the tables as the models describe them, and what only PostgreSQL can say."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from annotate.first_migration import FirstMigration

EVENTS_ONLY_GROW = """
CREATE TRIGGER pooling_runevent_append_only BEFORE UPDATE OR DELETE ON pooling_runevent
    FOR EACH ROW EXECUTE FUNCTION annotate_refuse_change()
"""
# PostgreSQL would spend most of the time of reading a run on packing its long arrays.
STORE_AS_THEY_ARE = "ALTER TABLE pooling_ranking ALTER targets SET STORAGE EXTERNAL, ALTER scores SET STORAGE EXTERNAL"


class Migration(FirstMigration):

    initial = True

    # The last of those that this one stands for. Each needed the one before it, and a single name is written down all
    # at once: a database has all of them, or this one is due, and stops at the first table that is there.
    replaces = [('pooling', '0005_rankings_uncompressed')]

    dependencies = [
        ('annotate', '0002_walls'),
    ]

    operations = [
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='annotate.collection')),
                ('name', models.CharField(max_length=80)),
                ('direction', models.CharField(choices=[('forward', 'Query to document'), ('reverse', 'Document to query')], max_length=7)),
                ('system', models.CharField(blank=True, max_length=80)),
                ('team', models.CharField(blank=True, max_length=80)),
                ('paper', models.CharField(blank=True, max_length=300)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=30), blank=True, default=list, size=None)),
                ('description', models.TextField(blank=True)),
                ('is_hidden', models.BooleanField(default=False, help_text='Only who uploaded it and site admins know of it.')),
                ('state', models.CharField(choices=[('received', 'Received'), ('ready', 'Ready'), ('rejected', 'Rejected')], default='received', max_length=8)),
                ('file', models.FileField(max_length=255, upload_to='runs/')),
                ('file_name', models.CharField(max_length=255)),
                ('sha256', models.CharField(max_length=64)),
                ('score_type', models.CharField(choices=[('float32', 'float32, as trec_eval 9'), ('float64', 'float64, as trec_eval 10'), ('rank', 'The rank column')], default='float32', max_length=7)),
                ('report', models.JSONField(blank=True, default=dict)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('uploaded_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
                ('marks_due', models.BooleanField(default=False, help_text="Retired or restored a moment ago; its pools' pairs wait to be gone through.")),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('is_hidden', False)), fields=('collection', 'name'), name='pooling_run_unique_name'),
                    models.UniqueConstraint(condition=models.Q(('is_hidden', True)), fields=('collection', 'name', 'uploaded_by'), name='pooling_run_unique_hidden_name', nulls_distinct=False),
                    models.CheckConstraint(condition=models.Q(('direction__in', ['forward', 'reverse'])), name='pooling_run_known_direction'),
                    models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', True), ('state', 'received')), models.Q(('finished_at__isnull', False), ('state__in', ['ready', 'rejected'])), _connector='OR'), name='pooling_run_finished_has_time'),
                    models.CheckConstraint(condition=models.Q(('score_type__in', ['float32', 'float64', 'rank'])), name='pooling_run_known_score_type'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RunEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='pooling.run')),
                ('kind', models.CharField(choices=[('renamed', 'Renamed'), ('described', 'Described'), ('hidden', 'Hidden'), ('published', 'Published'), ('retired', 'Retired'), ('restored', 'Brought back'), ('reread', 'Read again')], max_length=9)),
                ('note', models.CharField(blank=True, help_text='What it was before, or why.', max_length=400)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('kind__in', ['renamed', 'described', 'hidden', 'published', 'retired', 'restored', 'reread'])), name='pooling_runevent_known_kind'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Ranking',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rankings', to='pooling.run')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotate.item')),
                ('targets', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('scores', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), size=None)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('run', 'source'), name='pooling_ranking_unique_source'),
                    models.CheckConstraint(condition=models.Q(('targets__len', models.F('scores__len')), ('targets', []), _connector='OR'), name='pooling_ranking_as_many_scores'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Pool',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pools', to='annotate.collection')),
                ('name', models.CharField(max_length=80)),
                ('strategy', models.CharField(max_length=30)),
                ('parameters', models.JSONField(default=dict)),
                ('seed', models.PositiveBigIntegerField(default=0)),
                ('query_set', models.ForeignKey(blank=True, help_text='Only these source items; empty means all of them.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='pools', to='annotate.queryset')),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('opening', 'Opening'), ('open', 'Open'), ('closing', 'Closing'), ('closed', 'Closed'), ('reopening', 'Opening again'), ('failed', 'Failed')], default='draft', max_length=9)),
                ('round', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='pool', to='annotate.round')),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('error', models.CharField(blank=True, max_length=300)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('opened_at', models.DateTimeField(blank=True, null=True)),
                ('ordered_at', models.DateTimeField(blank=True, help_text='When the live order of its queue was last computed.', null=True)),
                ('runs', models.ManyToManyField(related_name='pools', to='pooling.run')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'name'), name='pooling_pool_unique_name'),
                    models.CheckConstraint(condition=models.Q(models.Q(('opened_at__isnull', True), ('state__in', ['draft', 'opening', 'failed'])), models.Q(('opened_at__isnull', False), ('round__isnull', False), ('state__in', ['open', 'closing', 'closed', 'reopening'])), _connector='OR'), name='pooling_pool_open_has_round'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PoolPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pool_pairs', to='pooling.pool')),
                ('pair', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pool_pairs', to='annotate.pair')),
                ('best_rank', models.PositiveIntegerField(blank=True, help_text='Empty where no run of the pool holds it.', null=True)),
                ('stratum', models.PositiveSmallIntegerField(default=0)),
                ('inclusion_probability', models.FloatField(default=1.0)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('pool', 'pair'), name='pooling_poolpair_unique'),
                    models.CheckConstraint(condition=models.Q(('inclusion_probability__gt', 0), ('inclusion_probability__lte', 1)), name='pooling_poolpair_probability_range'),
                    models.CheckConstraint(condition=models.Q(('best_rank__gte', 1)), name='pooling_poolpair_rank_from_1'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PoolSource',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pool_sources', to='pooling.pool')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotate.item')),
                ('stratum', models.PositiveSmallIntegerField(default=0)),
                ('inclusion_probability', models.FloatField(default=1.0)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('pool', 'item'), name='pooling_poolsource_unique'),
                    models.CheckConstraint(condition=models.Q(('inclusion_probability__gt', 0), ('inclusion_probability__lte', 1)), name='pooling_poolsource_probability_range'),
                ],
            },
        ),
        migrations.RunSQL(EVENTS_ONLY_GROW, "DROP TRIGGER pooling_runevent_append_only ON pooling_runevent"),
        migrations.RunSQL(
            STORE_AS_THEY_ARE,
            "ALTER TABLE pooling_ranking ALTER targets SET STORAGE EXTENDED, ALTER scores SET STORAGE EXTENDED",
        ),
    ]
