"""What is judged and by whom: the tables as the models describe them."""

import annotate.models.judgments
import django.contrib.auth.models
import django.contrib.auth.validators
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.utils.timezone
import uuid
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models

from annotate.first_migration import FirstMigration


class Migration(FirstMigration):

    initial = True

    # The last of those that this one stands for. Each needed the one before it, and a single name is written down all
    # at once: a database has all of them, or this one is due, and stops at the first table that is there.
    replaces = [('annotate', '0021_waiting_and_undos')]

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(django.db.models.functions.text.Lower('email'), condition=models.Q(('email', ''), _negated=True), name='annotate_user_unique_email'),
                ],
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='Collection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60)),
                ('name', models.CharField(max_length=120)),
                ('description', models.TextField(blank=True)),
                ('measurement', models.CharField(choices=[('nominal', 'Nominal'), ('ordinal', 'Ordinal'), ('interval', 'Interval'), ('ratio', 'Ratio')], default='ordinal', help_text='The level of measurement agreement is computed at.', max_length=8)),
                ('positive_from', models.PositiveSmallIntegerField(default=1, help_text='A pair is relevant when its grade is at least this.')),
                ('key', models.BinaryField(help_text='Secret of the keyed hashes that choose doubles and pseudonyms.', max_length=32)),
                ('hourly_pay', models.DecimalField(blank=True, decimal_places=2, help_text='What an hour of judging costs; empty where no money is shown.', max_digits=8, null=True, validators=[django.core.validators.MinValueValidator(0)])),
                ('currency', models.CharField(default='EUR', help_text='The name of the money, as people read it.', max_length=12)),
                ('scheme_frozen_at', models.DateTimeField(blank=True, null=True)),
                ('is_rehearsal', models.BooleanField(default=False)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('slug',), name='annotate_collection_unique_slug'),
                    models.CheckConstraint(condition=models.Q(('measurement__in', ['nominal', 'ordinal', 'interval', 'ratio'])), name='annotate_collection_known_measurement'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='annotate.collection')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('role', models.CharField(choices=[('annotator', 'Annotator'), ('lead', 'Lead'), ('researcher', 'Researcher')], max_length=12)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'user', 'role'), name='annotate_membership_unique'),
                    models.CheckConstraint(condition=models.Q(('role__in', ['annotator', 'lead', 'researcher'])), name='annotate_membership_known_role'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Annotator',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='annotators', to='annotate.collection')),
                ('pseudonym', models.CharField(max_length=32)),
                ('origin', models.CharField(choices=[('person', 'Person'), ('import', 'Import'), ('simulated', 'Simulated'), ('model', 'Model')], max_length=10)),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='annotators', to=settings.AUTH_USER_MODEL)),
                ('external_id', models.CharField(blank=True, max_length=255)),
                ('paused_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'pseudonym'), name='annotate_annotator_unique_pseudonym'),
                    models.UniqueConstraint(condition=models.Q(('user__isnull', False)), fields=('collection', 'user'), name='annotate_annotator_unique_user'),
                    models.UniqueConstraint(condition=models.Q(('external_id', ''), _negated=True), fields=('collection', 'origin', 'external_id'), name='annotate_annotator_unique_external_id'),
                    models.CheckConstraint(condition=models.Q(('origin__in', ['person', 'import', 'simulated', 'model'])), name='annotate_annotator_known_origin'),
                    models.CheckConstraint(condition=models.Q(('user__isnull', True), ('origin', 'person'), _connector='OR'), name='annotate_annotator_only_people_have_users'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='annotate.collection')),
                ('role', models.CharField(choices=[('annotator', 'Annotator'), ('lead', 'Lead'), ('researcher', 'Researcher')], max_length=12)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('token_sha256', models.CharField(max_length=64)),
                ('expires_at', models.DateTimeField()),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('accepted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('accepted_at', models.DateTimeField(blank=True, null=True)),
                ('by_mail', models.BooleanField(default=False, help_text='The link is made when it is sent, and shown to nobody else.')),
                ('mail_attempts', models.PositiveSmallIntegerField(default=0)),
                ('mailed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('token_sha256',), name='annotate_invitation_unique_token'),
                    models.CheckConstraint(condition=models.Q(('role__in', ['annotator', 'lead', 'researcher'])), name='annotate_invitation_known_role'),
                    models.CheckConstraint(condition=models.Q(('by_mail', False), models.Q(('email', ''), _negated=True), _connector='OR'), name='annotate_invitation_mail_has_address'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
                ('collection', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, to='annotate.collection')),
                ('name', models.CharField(max_length=80)),
                ('prefix', models.CharField(max_length=12)),
                ('sha256', models.CharField(max_length=64)),
                ('scopes', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('expires_at', models.DateTimeField()),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('sha256',), name='annotate_apitoken_unique_sha256'),
                ],
            },
        ),
        migrations.CreateModel(
            name='WorkerHeartbeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('name',), name='annotate_workerheartbeat_unique_name'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Level',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='levels', to='annotate.collection')),
                ('grade', models.PositiveSmallIntegerField()),
                ('key', models.CharField(max_length=1)),
                ('name', models.CharField(max_length=60)),
                ('sentence', models.CharField(blank=True, max_length=200)),
                ('colour', models.CharField(choices=[('slate', 'Slate'), ('amber', 'Amber'), ('green', 'Green'), ('blue', 'Blue'), ('violet', 'Violet'), ('red', 'Red'), ('teal', 'Teal')], default='slate', max_length=6)),
                ('reasons', models.JSONField(blank=True, default=list, help_text='Names of the reasons offered.')),
            ],
            options={
                'ordering': ['-grade'],
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'grade'), name='annotate_level_unique_grade'),
                    models.UniqueConstraint(fields=('collection', 'key'), name='annotate_level_unique_key'),
                    models.CheckConstraint(condition=models.Q(('grade__lte', 100)), name='annotate_level_grade_range'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Guidelines',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='guidelines', to='annotate.collection')),
                ('version', models.PositiveIntegerField()),
                ('markdown', models.TextField(blank=True)),
                ('wording', models.JSONField(default=list, help_text='Name and sentence of each level, as shown.')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'verbose_name_plural': 'guidelines',
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'version'), name='annotate_guidelines_unique_version'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Policy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='policies', to='annotate.collection')),
                ('version', models.PositiveIntegerField()),
                ('labels_per_pair', models.PositiveSmallIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ('double_share', models.DecimalField(decimal_places=4, default=Decimal('0.1'), help_text="Exact share of a round's new pairs that get one label more.", max_digits=5, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('ceiling', models.PositiveSmallIntegerField(default=3, help_text='Labels a pair may get when people disagree; then it is disputed.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(7)])),
                ('tolerance', models.PositiveSmallIntegerField(default=0, help_text='Largest distance of grades that still counts as agreement.')),
                ('stop_early', models.BooleanField(default=False, help_text='Of several labels a pair, ask for no more once two agree and the rule decides.')),
                ('rule', models.CharField(choices=[('majority', 'Majority'), ('unanimous', 'Unanimous'), ('median', 'Median'), ('model', 'Model of the annotators (Dawid and Skene)')], default='majority', max_length=9)),
                ('tie', models.CharField(choices=[('dispute', 'Dispute'), ('up', 'Larger grade'), ('down', 'Smaller grade')], default='dispute', max_length=7)),
                ('batch_candidates', models.PositiveSmallIntegerField(default=18, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(200)])),
                ('gold_positives', models.PositiveSmallIntegerField(default=1, validators=[django.core.validators.MaxValueValidator(20)])),
                ('gold_negatives', models.PositiveSmallIntegerField(default=1, validators=[django.core.validators.MaxValueValidator(20)])),
                ('lease_minutes', models.PositiveSmallIntegerField(default=30, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1440)])),
                ('grouped', models.BooleanField(default=True, help_text="One query's pairs come together instead of mixed.")),
                ('gold_action', models.CharField(choices=[('none', 'Count them only'), ('warn', 'Warn the person'), ('hold', 'Hold the batch for a lead'), ('reject', 'Reject the batch and ask for its labels again'), ('pause', 'Hold the batch and pause the person')], default='none', help_text="What happens when too few of a finished batch's golds are right.", max_length=6)),
                ('gold_pass', models.DecimalField(decimal_places=4, default=Decimal('0.75'), help_text="Smallest share of a batch's golds that must be right.", max_digits=5, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('repeat_share', models.DecimalField(decimal_places=4, default=Decimal('0'), help_text="Share of a person's own pairs that come back to the same person.", max_digits=5, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('repeat_after_days', models.PositiveSmallIntegerField(default=7, help_text='Days before a pair may come back.', validators=[django.core.validators.MaxValueValidator(365)])),
                ('max_share', models.DecimalField(decimal_places=4, default=Decimal('1'), help_text="Largest share of a round's pairs that one person may judge; 1 = no limit.", max_digits=5, validators=[django.core.validators.MinValueValidator(Decimal('0.0001')), django.core.validators.MaxValueValidator(1)])),
                ('ask_reasons', models.BooleanField(default=True, help_text='Levels ask for their reasons.')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'verbose_name_plural': 'policies',
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'version'), name='annotate_policy_unique_version'),
                    models.CheckConstraint(condition=models.Q(('labels_per_pair__gte', 1), ('labels_per_pair__lte', 5)), name='annotate_policy_labels_range'),
                    models.CheckConstraint(condition=models.Q(('double_share__gte', 0), ('double_share__lte', 1)), name='annotate_policy_share_range'),
                    models.CheckConstraint(condition=models.Q(('ceiling__gte', models.F('labels_per_pair')), ('ceiling__lte', 7)), name='annotate_policy_ceiling_range'),
                    models.CheckConstraint(condition=models.Q(('rule__in', ['majority', 'unanimous', 'median', 'model']), ('tie__in', ['dispute', 'up', 'down'])), name='annotate_policy_known_rule'),
                    models.CheckConstraint(condition=models.Q(models.Q(('rule', 'unanimous'), _negated=True), ('tie', 'dispute'), _connector='OR'), name='annotate_policy_unanimous_disputes'),
                    models.CheckConstraint(condition=models.Q(('gold_action__in', ['none', 'warn', 'hold', 'reject', 'pause'])), name='annotate_policy_known_gold_action'),
                    models.CheckConstraint(condition=models.Q(('gold_pass__gte', 0), ('gold_pass__lte', 1)), name='annotate_policy_gold_pass_range'),
                    models.CheckConstraint(condition=models.Q(('repeat_after_days__lte', 365), ('repeat_share__gte', 0), ('repeat_share__lte', 1)), name='annotate_policy_repeat_range'),
                    models.CheckConstraint(condition=models.Q(('max_share__gt', 0), ('max_share__lte', 1)), name='annotate_policy_max_share_range'),
                    models.CheckConstraint(condition=models.Q(('batch_candidates__gte', 1), ('lease_minutes__gte', 1)), name='annotate_policy_batch_range'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='annotate.collection')),
                ('side', models.CharField(choices=[('query', 'Query'), ('document', 'Document')], max_length=8)),
                ('external_id', models.CharField(max_length=255)),
                ('split', models.CharField(default='test', max_length=20)),
                ('warning', models.CharField(blank=True, max_length=200)),
                ('excluded_at', models.DateTimeField(blank=True, null=True)),
                ('excluded_reason', models.CharField(blank=True, max_length=200)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'side', 'external_id'), name='annotate_item_unique_external_id'),
                    models.UniqueConstraint(fields=('id', 'collection'), name='annotate_item_unique_in_collection'),
                    models.UniqueConstraint(fields=('id', 'collection', 'side'), name='annotate_item_unique_on_side'),
                    models.CheckConstraint(condition=models.Q(('side__in', ['query', 'document'])), name='annotate_item_known_side'),
                    models.CheckConstraint(condition=models.Q(('external_id', ''), _negated=True), name='annotate_item_external_id_not_blank'),
                    models.CheckConstraint(condition=models.Q(('excluded_at__isnull', True), models.Q(('excluded_reason', ''), _negated=True), _connector='OR'), name='annotate_item_exclusion_has_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Part',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='annotate.item')),
                ('position', models.PositiveSmallIntegerField()),
                ('kind', models.CharField(choices=[('text', 'Text'), ('html', 'HTML'), ('image', 'Image'), ('video', 'Video'), ('audio', 'Audio')], max_length=5)),
                ('text', models.TextField(blank=True)),
                ('path', models.CharField(blank=True, help_text="Relative to the collection's media folder, or a URL.", max_length=500)),
                ('start', models.FloatField(blank=True, null=True)),
                ('end', models.FloatField(blank=True, null=True)),
            ],
            options={
                'ordering': ['position'],
                'constraints': [
                    models.UniqueConstraint(fields=('item', 'position'), name='annotate_part_unique_position'),
                    models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ['text', 'html']), ('path', ''), models.Q(('text', ''), _negated=True)), models.Q(('kind__in', ['image', 'video', 'audio']), models.Q(('path', ''), _negated=True)), _connector='OR'), name='annotate_part_has_content'),
                    models.CheckConstraint(condition=models.Q(('start__isnull', True), ('end__isnull', True), ('end__gt', models.F('start')), _connector='OR'), name='annotate_part_ends_after_start'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ReferenceSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reference_sets', to='annotate.collection')),
                ('name', models.CharField(max_length=60)),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'name'), name='annotate_referenceset_unique_name'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ReferenceLabel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reference_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='labels', to='annotate.referenceset')),
                ('query', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.item')),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.item')),
                ('grade', models.PositiveSmallIntegerField()),
                ('stratum', models.PositiveSmallIntegerField(blank=True, help_text='The part of a sampled pool that it was drawn from.', null=True)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('reference_set', 'query', 'document'), name='annotate_referencelabel_unique_pair'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Undrawn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reference_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='undrawn', to='annotate.referenceset')),
                ('query', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.item')),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.item')),
                ('stratum', models.PositiveSmallIntegerField()),
            ],
            options={
                'verbose_name_plural': 'undrawn',
                'constraints': [
                    models.UniqueConstraint(fields=('reference_set', 'query', 'document'), name='annotate_undrawn_unique_pair'),
                ],
            },
        ),
        migrations.CreateModel(
            name='QuerySet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='query_sets', to='annotate.collection')),
                ('name', models.CharField(max_length=60)),
                ('direction', models.CharField(choices=[('forward', 'Query to document'), ('reverse', 'Document to query')], max_length=7)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'direction', 'name'), name='annotate_queryset_unique_name'),
                    models.CheckConstraint(condition=models.Q(('direction__in', ['forward', 'reverse'])), name='annotate_queryset_known_direction'),
                ],
            },
        ),
        migrations.CreateModel(
            name='QuerySetItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('query_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='annotate.queryset')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.item')),
                ('part', models.CharField(choices=[('source', 'Source'), ('gallery', 'Gallery')], default='source', max_length=7)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('query_set', 'item', 'part'), name='annotate_querysetitem_unique'),
                    models.CheckConstraint(condition=models.Q(('part__in', ['source', 'gallery'])), name='annotate_querysetitem_known_part'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Import',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='imports', to='annotate.collection')),
                ('kind', models.CharField(choices=[('items', 'Items'), ('reference', 'Reference labels'), ('judgments', 'Judgments'), ('query_set', 'Query set')], max_length=12)),
                ('parameters', models.JSONField(blank=True, default=dict, help_text='How the file is read, as its form says it.')),
                ('file', models.FileField(blank=True, help_text='Blank for a file the operator read where it lay.', max_length=255, upload_to='imports/')),
                ('file_name', models.CharField(max_length=255)),
                ('sha256', models.CharField(blank=True, help_text='Blank for a folder.', max_length=64)),
                ('media_file', models.FileField(blank=True, max_length=255, upload_to='imports/')),
                ('media_name', models.CharField(blank=True, max_length=255)),
                ('media_sha256', models.CharField(blank=True, max_length=64)),
                ('state', models.CharField(choices=[('received', 'Received'), ('done', 'Done'), ('rejected', 'Rejected'), ('cancelled', 'Cancelled')], default='received', max_length=9)),
                ('report', models.JSONField(blank=True, default=dict)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'indexes': [
                    models.Index(fields=['collection', '-created_at'], name='annotate_import_newest'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('kind__in', ['items', 'reference', 'judgments', 'query_set'])), name='annotate_import_known_kind'),
                    models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('state', 'received')), models.Q(('finished_at__isnull', False), ('state__in', ['done', 'rejected', 'cancelled'])), _connector='OR'), name='annotate_import_finished_has_time'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Cancellation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotate.collection')),
                ('kind', models.CharField(help_text='What kind of job: run, pool, import, download.', max_length=20)),
                ('object_id', models.PositiveBigIntegerField(help_text='The key of the row the job works on.')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('asked_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('kind', 'object_id'), name='annotate_cancellation_unique_job'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Pair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pairs', to='annotate.collection')),
                ('query', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pairs_as_query', to='annotate.item')),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pairs_as_document', to='annotate.item')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('query', 'document'), name='annotate_pair_unique'),
                    models.UniqueConstraint(fields=('id', 'collection'), name='annotate_pair_unique_in_collection'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Round',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='annotate.collection')),
                ('policy', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='annotate.policy')),
                ('kind', models.CharField(choices=[('pool', 'Pool'), ('training', 'Training'), ('gold', 'Gold'), ('import', 'Import')], max_length=8)),
                ('name', models.CharField(max_length=120)),
                ('state', models.CharField(choices=[('opening', 'Opening'), ('open', 'Open'), ('closing', 'Closing'), ('closed', 'Closed')], default='open', max_length=7)),
                ('priority', models.SmallIntegerField(default=0)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('following_since', models.DateTimeField(blank=True, help_text='Since then its resolutions are being brought under another policy; empty: they follow it.', null=True)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'kind', 'name'), name='annotate_round_unique_name'),
                    models.UniqueConstraint(fields=('id', 'collection'), name='annotate_round_unique_in_collection'),
                    models.CheckConstraint(condition=models.Q(('kind__in', ['pool', 'training', 'gold', 'import'])), name='annotate_round_known_kind'),
                    models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', True), ('state__in', ['opening', 'open'])), models.Q(('closed_at__isnull', False), ('state__in', ['closing', 'closed'])), _connector='OR'), name='annotate_round_closed_has_time'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RoundPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='round_pairs', to='annotate.round')),
                ('pair', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='round_pairs', to='annotate.pair')),
                ('n_wanted', models.PositiveSmallIntegerField()),
                ('dropped_at', models.DateTimeField(blank=True, help_text='Since then the round wants no more labels of this pair.', null=True)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('pair', 'round'), name='annotate_roundpair_unique'),
                    models.CheckConstraint(condition=models.Q(('n_wanted__gte', 1)), name='annotate_roundpair_wants_some'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotate.collection')),
                ('round', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='annotate.round')),
                ('pair', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='annotate.pair')),
                ('purpose', models.CharField(choices=[('label', 'Label'), ('gold', 'Gold'), ('training', 'Training'), ('repeat', 'Repeat'), ('adjudication', 'Adjudication'), ('import', 'Import')], max_length=12)),
                ('number', models.PositiveSmallIntegerField()),
                ('why', models.CharField(choices=[('first', 'First label'), ('double', 'Planned double'), ('disagreement', 'Disagreement'), ('top-up', 'Replaces a withdrawn label')], default='first', max_length=12)),
                ('state', models.CharField(choices=[('free', 'Free'), ('held', 'Held'), ('done', 'Done'), ('withdrawn', 'Withdrawn')], default='free', max_length=9)),
                ('annotator', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='annotate.annotator')),
                ('leased_until', models.DateTimeField(blank=True, null=True)),
                ('queue_key', models.BigIntegerField(default=0, help_text="Place in the round's queue, from a keyed hash; people enter at random.")),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('purpose', 'label'), ('state__in', ['free', 'held'])), fields=['round', 'queue_key'], name='annotate_seat_queue'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('purpose__in', ['label', 'import', 'adjudication'])), fields=('pair', 'purpose', 'number'), name='annotate_seat_unique_number'),
                    models.UniqueConstraint(condition=models.Q(('purpose__in', ['label', 'import'])), fields=('annotator', 'pair'), name='annotate_seat_unique_annotator'),
                    models.UniqueConstraint(condition=models.Q(('purpose__in', ['gold', 'training', 'repeat'])), fields=('annotator', 'pair', 'purpose', 'round'), name='annotate_seat_unique_check'),
                    models.CheckConstraint(condition=models.Q(('purpose__in', ['label', 'gold', 'training', 'repeat', 'adjudication', 'import'])), name='annotate_seat_known_purpose'),
                    models.CheckConstraint(condition=models.Q(('why__in', ['first', 'double', 'disagreement', 'top-up'])), name='annotate_seat_known_why'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='batches', to='annotate.collection')),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='batches', to='annotate.annotator')),
                ('number', models.PositiveIntegerField()),
                ('opened_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('settled_at', models.DateTimeField(blank=True, help_text='From then on its answers can no longer be changed.', null=True)),
                ('verdict', models.CharField(blank=True, choices=[('accepted', 'Accepted'), ('rejected', 'Rejected'), ('held', 'Held for a lead'), ('requeued', 'Asked again')], max_length=8)),
                ('grouped', models.BooleanField(blank=True, help_text="Whether one query's pairs were handed out together, or mixed.", null=True)),
                ('n_golds', models.PositiveSmallIntegerField(blank=True, help_text='Golds it was checked by when it was finished; empty = not checked yet.', null=True)),
                ('n_golds_right', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('gold_action', models.CharField(blank=True, choices=[('none', 'Count them only'), ('warn', 'Warn the person'), ('hold', 'Hold the batch for a lead'), ('reject', 'Reject the batch and ask for its labels again'), ('pause', 'Hold the batch and pause the person')], db_default='', default='', help_text='What its golds called for when checked.', max_length=6)),
            ],
            options={
                'verbose_name_plural': 'batches',
                'indexes': [
                    models.Index(condition=models.Q(('verdict', 'held'), models.Q(('verdict', ''), models.Q(('gold_action', ''), _negated=True)), _connector='OR'), fields=['collection', 'id'], name='annotate_batch_waiting'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('annotator', 'number'), name='annotate_batch_unique_number'),
                    models.UniqueConstraint(condition=models.Q(('finished_at__isnull', True)), fields=('annotator',), name='annotate_batch_one_open'),
                    models.CheckConstraint(condition=models.Q(('verdict__in', ['', 'accepted', 'rejected', 'held', 'requeued'])), name='annotate_batch_known_verdict'),
                    models.CheckConstraint(condition=models.Q(models.Q(('n_golds', None), ('n_golds_right', None)), models.Q(('n_golds__isnull', False), ('n_golds_right__isnull', False), ('n_golds_right__lte', models.F('n_golds'))), _connector='OR'), name='annotate_batch_golds_counted'),
                    models.CheckConstraint(condition=models.Q(('gold_action__in', ['', 'none', 'warn', 'hold', 'reject', 'pause'])), name='annotate_batch_known_gold_action'),
                ],
            },
        ),
        migrations.CreateModel(
            name='HandOut',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('batch', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hand_outs', to='annotate.batch')),
                ('seat', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hand_outs', to='annotate.seat')),
                ('position', models.PositiveSmallIntegerField()),
                ('token', models.UUIDField(default=uuid.uuid4)),
                ('shown_at', models.DateTimeField(blank=True, null=True)),
                ('deferred_at', models.DateTimeField(blank=True, null=True)),
                ('answered_at', models.DateTimeField(blank=True, help_text='Judged, reported, or no longer wanted; empty = still to do.', null=True)),
            ],
            options={
                'ordering': ['position'],
                'indexes': [
                    models.Index(condition=models.Q(('answered_at', None)), fields=['batch'], name='annotate_handout_to_do'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('batch', 'position'), name='annotate_handout_unique_position'),
                    models.UniqueConstraint(fields=('batch', 'seat'), name='annotate_handout_unique_seat'),
                    models.UniqueConstraint(fields=('token',), name='annotate_handout_unique_token'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Gold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='golds', to='annotate.collection')),
                ('pair', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='golds', to='annotate.pair')),
                ('grade', models.PositiveSmallIntegerField()),
                ('is_positive', models.BooleanField()),
                ('origin', models.CharField(choices=[('reference', 'Reference positive'), ('random', "Random negative outside every run's top"), ('curated', 'Curated')], max_length=9)),
                ('explanation', models.TextField(blank=True)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('pair',), name='annotate_gold_unique_pair'),
                    models.CheckConstraint(condition=models.Q(('origin__in', ['reference', 'random', 'curated'])), name='annotate_gold_known_origin'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='annotate.collection')),
                ('pair', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='annotate.pair')),
                ('hand_out', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='annotate.handout')),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='annotate.annotator')),
                ('submission_id', models.UUIDField()),
                ('kind', models.CharField(choices=[('cannot_judge', 'Cannot judge'), ('escalated', 'Escalated')], max_length=12)),
                ('reason', models.CharField(blank=True, max_length=60)),
                ('note', models.CharField(blank=True, max_length=1000)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('settled_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('settled_at', None)), fields=['collection', 'kind', 'pair'], name='annotate_report_open'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('annotator', 'submission_id'), name='annotate_report_unique_submission'),
                    models.CheckConstraint(condition=models.Q(('kind__in', ['cannot_judge', 'escalated'])), name='annotate_report_known_kind'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Judgment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='annotate.collection')),
                ('pair', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='annotate.pair')),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='annotate.annotator')),
                ('hand_out', models.ForeignKey(blank=True, help_text='Empty for imported judgments and adjudications.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='annotate.handout')),
                ('purpose', models.CharField(choices=[('label', 'Label'), ('gold', 'Gold'), ('training', 'Training'), ('repeat', 'Repeat'), ('adjudication', 'Adjudication'), ('import', 'Import')], max_length=12)),
                ('level', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='annotate.level')),
                ('guidelines', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='annotate.guidelines')),
                ('submission_id', models.UUIDField()),
                ('supersedes', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='superseded_by', to='annotate.judgment')),
                ('reasons', models.JSONField(default=list)),
                ('active_ms', models.PositiveIntegerField(blank=True, null=True)),
                ('grouped', models.BooleanField(blank=True, help_text="Whether it was handed out within one query's run of pairs, or mixed.", null=True)),
                ('played_ms', models.PositiveIntegerField(blank=True, help_text='How much of its clips was played.', null=True)),
                ('n_replays', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('n_changes', models.PositiveSmallIntegerField(blank=True, help_text='Changes of mind on the card before the answer.', null=True)),
                ('shown_at', models.DateTimeField(blank=True, null=True)),
                ('at', models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
            ],
            options={
                'indexes': [
                    models.Index(fields=['annotator', 'at'], name='annotate_judgment_by_day'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('annotator', 'submission_id'), name='annotate_judgment_unique_submission'),
                    models.UniqueConstraint(condition=models.Q(('purpose__in', ['label', 'import']), ('supersedes__isnull', True)), fields=('annotator', 'pair'), name='annotate_judgment_one_chain'),
                    models.CheckConstraint(condition=models.Q(('active_ms__isnull', True), ('active_ms__lte', 3600000), _connector='OR'), name='annotate_judgment_active_range'),
                    models.CheckConstraint(condition=models.Q(models.Q(('played_ms__isnull', True), ('played_ms__lte', 3600000), _connector='OR'), models.Q(('n_replays__isnull', True), ('n_replays__lte', 1000), _connector='OR'), models.Q(('n_changes__isnull', True), ('n_changes__lte', 1000), _connector='OR')), name='annotate_judgment_handling_range'),
                    models.CheckConstraint(condition=models.Q(('hand_out__isnull', False), ('purpose__in', ['import', 'adjudication']), _connector='OR'), name='annotate_judgment_handed_out'),
                ],
            },
        ),
        migrations.CreateModel(
            name='JudgmentComment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('judgment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='comment', to='annotate.judgment')),
                ('text', models.CharField(max_length=2000)),
            ],
        ),
        migrations.CreateModel(
            name='JudgmentEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('judgment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='annotate.judgment')),
                ('kind', models.CharField(choices=[('undone', 'Undone'), ('withdrawn', 'Withdrawn'), ('restored', 'Restored')], max_length=9)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('submission_id', models.UUIDField(blank=True, help_text='Of an undo, made by the browser: the same one again does nothing.', null=True)),
                ('at', models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('kind__in', ['undone', 'withdrawn', 'restored'])), name='annotate_judgmentevent_known_kind'),
                    models.UniqueConstraint(fields=('judgment', 'submission_id'), name='annotate_judgmentevent_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Resolution',
            fields=[
                ('pair', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='resolution', serialize=False, to='annotate.pair')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='resolutions', to='annotate.collection')),
                ('status', models.CharField(choices=[('single', 'Single'), ('agreed', 'Agreed'), ('majority', 'Majority'), ('median', 'Median'), ('adjudicated', 'Adjudicated'), ('model', 'Model'), ('waiting', 'Waits for another label'), ('disputed', 'Disputed'), ('escalated', 'Escalated')], max_length=11)),
                ('grade', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('n_labels', models.PositiveSmallIntegerField()),
                ('policy', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotate.policy')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('status', 'disputed')), fields=['collection', 'pair'], name='annotate_resolution_disputed'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('grade__isnull', True), ('status__in', ['waiting', 'disputed', 'escalated'])), models.Q(('grade__isnull', False), ('status__in', ['single', 'agreed', 'majority', 'median', 'adjudicated', 'model'])), _connector='OR'), name='annotate_resolution_grade_by_status'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Change',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='annotate.collection')),
                ('pair', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotate.pair')),
                ('at', models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
            ],
            options={
                'indexes': [
                    models.Index(fields=['collection', 'id'], name='annotate_change_queue'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ReviewAction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='review_actions', to='annotate.collection')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('kind', models.CharField(choices=[('adjudicated', 'Adjudicated'), ('adjudication_undone', 'Adjudication undone'), ('batch_accepted', 'Batch accepted'), ('batch_rejected', 'Batch rejected'), ('batch_requeued', 'Batch asked again'), ('batch_reopened', 'Verdict taken back'), ('labels_withdrawn', 'Labels withdrawn'), ('labels_restored', 'Labels restored'), ('paused', 'Person paused'), ('resumed', 'Person resumed'), ('reports_settled', 'Returned to the queue'), ('reports_reopened', 'Reports opened again'), ('pair_excluded', 'Pair excluded'), ('pair_restored', 'Pair taken back in'), ('item_excluded', 'Item excluded'), ('item_restored', 'Item taken back in'), ('gold_added', 'Gold added'), ('gold_retired', 'Gold retired'), ('gold_restored', 'Gold brought back'), ('golds_made', 'Golds made')], max_length=20)),
                ('annotator', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='review_actions', to='annotate.annotator')),
                ('batch', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='review_actions', to='annotate.batch')),
                ('pair', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='review_actions', to='annotate.pair')),
                ('item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='review_actions', to='annotate.item')),
                ('n_labels', models.PositiveIntegerField(default=0, help_text='Labels that it was to take out of the count, or put back.')),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('at', models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
            ],
            options={
                'indexes': [
                    models.Index(fields=['collection', 'id'], name='annotate_review_log'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('kind__in', ['adjudicated', 'adjudication_undone', 'batch_accepted', 'batch_rejected', 'batch_requeued', 'batch_reopened', 'labels_withdrawn', 'labels_restored', 'paused', 'resumed', 'reports_settled', 'reports_reopened', 'pair_excluded', 'pair_restored', 'item_excluded', 'item_restored', 'gold_added', 'gold_retired', 'gold_restored', 'golds_made'])), name='annotate_reviewaction_known_kind'),
                    models.CheckConstraint(condition=models.Q(('annotator__isnull', False), ('pair__isnull', False), ('item__isnull', False), ('kind', 'golds_made'), _connector='OR'), name='annotate_reviewaction_about_something'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ReviewWork',
            fields=[
                ('action', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='work', serialize=False, to='annotate.reviewaction')),
                ('since', models.DateTimeField(blank=True, help_text='Answers of a person from then on; when an item was left out.', null=True)),
                ('until', models.DateTimeField(blank=True, null=True)),
                ('n_total', models.PositiveIntegerField(help_text='Rows it was about when it was decided.')),
                ('n_done', models.PositiveIntegerField(default=0)),
                ('n_surplus', models.PositiveIntegerField(default=0, help_text='Labels whose place others had taken.')),
                ('cursor', models.BigIntegerField(default=0, help_text='The last row done, in the order of the keys.')),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('finished_at', None)), fields=['action'], name='annotate_reviewwork_under_way'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PairExclusion',
            fields=[
                ('pair', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='exclusion', serialize=False, to='annotate.pair')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pair_exclusions', to='annotate.collection')),
                ('reason', models.CharField(max_length=200)),
                ('at', models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='annotate_pairexclusion_has_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Training',
            fields=[
                ('collection', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='training', serialize=False, to='annotate.collection')),
                ('is_on', models.BooleanField(default=False)),
                ('measure', models.CharField(choices=[('accuracy', 'Accuracy'), ('spearman', "Spearman's rank correlation")], default='accuracy', max_length=8)),
                ('pass_mark', models.DecimalField(decimal_places=3, default=Decimal('0.8'), max_digits=4, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('quiz_mark', models.DecimalField(decimal_places=3, default=Decimal('0.8'), max_digits=4, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('pairs_a_try', models.PositiveSmallIntegerField(blank=True, help_text='Empty: all of them.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(2000)])),
                ('max_tries', models.PositiveSmallIntegerField(blank=True, default=3, help_text='Empty: no limit.', null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('wait_minutes', models.PositiveIntegerField(default=0, help_text='Between two tries.')),
                ('needs_review', models.BooleanField(default=False)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('measure__in', ['accuracy', 'spearman'])), name='annotate_training_known_measure'),
                    models.CheckConstraint(condition=models.Q(('pass_mark__gte', 0), ('pass_mark__lte', 1), ('quiz_mark__gte', 0), ('quiz_mark__lte', 1)), name='annotate_training_mark_range'),
                    models.CheckConstraint(condition=models.Q(models.Q(('max_tries', None), ('max_tries__gte', 1), _connector='OR'), models.Q(('pairs_a_try', None), ('pairs_a_try__gte', 1), _connector='OR')), name='annotate_training_at_least_one'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Quiz',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='quizzes', to='annotate.collection')),
                ('version', models.PositiveIntegerField()),
                ('guidelines', models.ForeignKey(help_text='The version that was current when it was written.', on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotate.guidelines')),
                ('questions', models.JSONField(default=list, help_text='As annotate.core.training.quizzes.Question says.')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
            ],
            options={
                'verbose_name_plural': 'quizzes',
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'version'), name='annotate_quiz_unique_version'),
                ],
            },
        ),
        migrations.CreateModel(
            name='QuizAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quiz_attempts', to='annotate.annotator')),
                ('quiz', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='annotate.quiz')),
                ('choices', models.JSONField(default=list, help_text='The option chosen for each question, counted from 0.')),
                ('n_right', models.PositiveSmallIntegerField()),
                ('passed', models.BooleanField()),
                ('at', models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
            ],
        ),
        migrations.CreateModel(
            name='TrainingPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pair', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='training_pair', to='annotate.pair')),
                ('grade', models.PositiveSmallIntegerField()),
                ('why', models.CharField(blank=True, max_length=2000)),
                ('anchor', models.CharField(blank=True, help_text='Of a heading of the guidelines.', max_length=120)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('at', models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('grade__lte', 100)), name='annotate_trainingpair_grade_range'),
                ],
            },
        ),
        migrations.CreateModel(
            name='TrainingTry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='training_tries', to='annotate.annotator')),
                ('number', models.PositiveSmallIntegerField()),
                ('batch', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='training_try', to='annotate.batch')),
                ('measure', models.CharField(choices=[('accuracy', 'Accuracy'), ('spearman', "Spearman's rank correlation")], max_length=8)),
                ('pass_mark', models.DecimalField(decimal_places=3, max_digits=4)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('n_answered', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('n_right', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('score', models.FloatField(blank=True, help_text='Empty where the measure is not defined.', null=True)),
                ('passed', models.BooleanField(blank=True, help_text='Empty: under way, or broken off by a lead.', null=True)),
            ],
            options={
                'verbose_name_plural': 'training tries',
                'constraints': [
                    models.UniqueConstraint(fields=('annotator', 'number'), name='annotate_trainingtry_unique_number'),
                    models.CheckConstraint(condition=models.Q(models.Q(('finished_at', None), ('passed', None)), ('finished_at__isnull', False), _connector='OR'), name='annotate_trainingtry_result_when_finished'),
                    models.CheckConstraint(condition=models.Q(('passed', None), models.Q(('n_answered__isnull', False), ('n_right__lte', models.F('n_answered'))), _connector='OR'), name='annotate_trainingtry_result_complete'),
                ],
            },
        ),
        migrations.CreateModel(
            name='TrainingDecision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='training_decisions', to='annotate.annotator')),
                ('kind', models.CharField(choices=[('passed', 'Passed'), ('admitted', 'Admitted by a lead'), ('exempted', 'Exempt'), ('sent_back', 'Sent back')], max_length=9)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('at', models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('kind__in', ['passed', 'admitted', 'exempted', 'sent_back'])), name='annotate_trainingdecision_known_kind'),
                ],
            },
        ),
        migrations.AddField(
            model_name='seat',
            name='judgment',
            field=models.OneToOneField(blank=True, help_text='The judgment that counts for this seat.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='seat', to='annotate.judgment'),
        ),
        migrations.AddConstraint(
            model_name='seat',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('annotator', None), ('judgment', None), ('leased_until', None), ('state', 'free')), models.Q(('annotator__isnull', False), ('judgment', None), ('leased_until__isnull', False), ('state', 'held')), models.Q(('annotator__isnull', False), ('judgment__isnull', False), ('leased_until', None), ('state', 'done')), models.Q(('judgment', None), ('leased_until', None), ('state', 'withdrawn')), _connector='OR'), name='annotate_seat_state_consistent'),
        ),
    ]
