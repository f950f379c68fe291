"""Releases, and the walls that keep one as it was made."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import annotate.models.judgments

TABLES = ("metrics_release", "metrics_releasefile", "metrics_releaserun", "metrics_releaseevent")
APPEND_ONLY = ("metrics_releasefile", "metrics_releaseevent")
# Only its publication changes once it is made; withdrawing ends it, and takes its file and contents.
KEEP_RELEASE = """
CREATE FUNCTION metrics_refuse_release_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    publishing text[] := ARRAY['published_at', 'withdrawn_at', 'withdrawal_reason'];
    contents text[] := ARRAY['file', 'manifest'];
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('assayer.purge', true) <> ''
       AND current_user = (SELECT tableowner FROM pg_tables
                           WHERE schemaname = TG_TABLE_SCHEMA AND tablename = TG_TABLE_NAME) THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'DELETE' AND OLD.made_at IS NULL THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE' AND (OLD.made_at IS NULL
       OR OLD.withdrawn_at IS NULL AND NEW.withdrawn_at IS NULL AND NEW.withdrawal_reason = ''
          AND to_jsonb(NEW) - publishing = to_jsonb(OLD) - publishing
       OR OLD.withdrawn_at IS NULL AND NEW.withdrawn_at IS NOT NULL
          AND NEW.file = '' AND NEW.manifest = '{}'
          AND to_jsonb(NEW) - publishing - contents = to_jsonb(OLD) - publishing - contents) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a release that was made stays as it is: % refused', TG_OP
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'metrics_release_immutable';
END $$;
CREATE TRIGGER metrics_release_immutable BEFORE UPDATE OR DELETE ON metrics_release
    FOR EACH ROW EXECUTE FUNCTION metrics_refuse_release_change();
"""
# A run of a release may be deleted; its row under the alias stays.
KEEP_RUNS = """
CREATE FUNCTION metrics_refuse_release_run_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('assayer.purge', true) <> ''
       AND current_user = (SELECT tableowner FROM pg_tables
                           WHERE schemaname = TG_TABLE_SCHEMA AND tablename = TG_TABLE_NAME) THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.run_id IS NULL
       AND to_jsonb(NEW) - 'run_id' = to_jsonb(OLD) - 'run_id' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the runs of a release stay as they are: % refused', TG_OP
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'metrics_releaserun_immutable';
END $$;
CREATE TRIGGER metrics_releaserun_immutable BEFORE UPDATE OR DELETE ON metrics_releaserun
    FOR EACH ROW EXECUTE FUNCTION metrics_refuse_release_run_change();
"""
# Its files and runs come with it, in the transaction that makes it.
KEEP_COMPLETE = """
CREATE FUNCTION metrics_refuse_release_part() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM metrics_release
               WHERE id = NEW.release_id AND made_at IS NOT NULL) THEN
        RAISE EXCEPTION 'a release that was made gets no more files and runs: INSERT refused'
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_TABLE_NAME || '_complete';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER metrics_releasefile_complete BEFORE INSERT ON metrics_releasefile
    FOR EACH ROW EXECUTE FUNCTION metrics_refuse_release_part();
CREATE TRIGGER metrics_releaserun_complete BEFORE INSERT ON metrics_releaserun
    FOR EACH ROW EXECUTE FUNCTION metrics_refuse_release_part();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0023_judgments_with_reasons"),
        ("metrics", "0011_kept"),
        ("pooling", "0007_repeats_due"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Release",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.CharField(max_length=20)),
                ("title", models.CharField(max_length=200)),
                ("notes", models.TextField(blank=True)),
                (
                    "licence",
                    models.CharField(blank=True, help_text="Its SPDX identifier.", max_length=60),
                ),
                (
                    "creators",
                    models.JSONField(
                        blank=True, default=list, help_text="Name, affiliation and ORCID of each."
                    ),
                ),
                ("cite_as", models.TextField(blank=True)),
                (
                    "texts_leave",
                    models.BooleanField(default=False, help_text="Texts of items are in it."),
                ),
                (
                    "media_leave",
                    models.BooleanField(
                        default=False, help_text="Names and addresses of media are in it."
                    ),
                ),
                ("released_on", models.DateField(help_text="The day that its documents name.")),
                ("made_at", models.DateTimeField(blank=True, null=True)),
                (
                    "as_of",
                    models.DateTimeField(
                        blank=True, help_text="The moment of the database that it shows.", null=True
                    ),
                ),
                (
                    "manifest",
                    models.JSONField(
                        blank=True, default=dict, help_text="As in its manifest.json."
                    ),
                ),
                ("file", models.FileField(blank=True, max_length=255, upload_to="releases/")),
                ("file_name", models.CharField(max_length=255)),
                ("n_bytes", models.PositiveBigIntegerField(blank=True, null=True)),
                (
                    "sha256",
                    models.CharField(
                        blank=True, help_text="The checksum of its archive.", max_length=64
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("published_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawal_reason", models.TextField(blank=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="releases",
                        to="annotate.collection",
                    ),
                ),
                (
                    "work",
                    models.OneToOneField(
                        help_text="Its making.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="release",
                        to="annotate.work",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReleaseEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("made", "Made"),
                            ("published", "Published"),
                            ("unpublished", "No longer public"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        max_length=11,
                    ),
                ),
                ("note", models.TextField(blank=True, help_text="Why.")),
                ("at", models.DateTimeField(db_default=annotate.models.judgments.ClockTimestamp())),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="metrics.release",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReleaseFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "path",
                    models.CharField(help_text="In the folder of the release.", max_length=255),
                ),
                ("media_type", models.CharField(max_length=80)),
                ("about", models.CharField(help_text="Its content in a sentence.", max_length=300)),
                ("n_bytes", models.PositiveBigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("n_rows", models.PositiveBigIntegerField(blank=True, null=True)),
                (
                    "offset",
                    models.PositiveBigIntegerField(help_text="Of its first byte in the archive."),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="files",
                        to="metrics.release",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReleaseRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("alias", models.CharField(max_length=80)),
                ("shows_name", models.BooleanField()),
                ("holds_file", models.BooleanField()),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="metrics.release",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="pooling.run",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.UniqueConstraint(
                fields=("collection", "version"), name="metrics_release_unique_version"
            ),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("made_at", None),
                    models.Q(
                        ("as_of__isnull", False),
                        ("n_bytes__isnull", False),
                        models.Q(("sha256", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="metrics_release_made_has_facts",
            ),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("withdrawn_at", None),
                    models.Q(
                        ("made_at__isnull", False),
                        ("published_at", None),
                        ("withdrawn_at__isnull", False),
                        models.Q(("withdrawal_reason", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="metrics_release_withdrawal_has_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("published_at", None), ("made_at__isnull", False), _connector="OR"
                ),
                name="metrics_release_published_is_made",
            ),
        ),
        migrations.AddConstraint(
            model_name="releaseevent",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["made", "published", "unpublished", "withdrawn"])),
                name="metrics_releaseevent_known_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="releasefile",
            constraint=models.UniqueConstraint(
                fields=("release", "path"), name="metrics_releasefile_unique_path"
            ),
        ),
        migrations.AddConstraint(
            model_name="releaserun",
            constraint=models.UniqueConstraint(
                fields=("release", "alias"), name="metrics_releaserun_unique_alias"
            ),
        ),
        migrations.AddConstraint(
            model_name="releaserun",
            constraint=models.CheckConstraint(
                condition=models.Q(("holds_file", False), ("shows_name", True), _connector="OR"),
                name="metrics_releaserun_file_has_name",
            ),
        ),
        migrations.RunSQL(
            KEEP_RELEASE,
            "DROP TRIGGER metrics_release_immutable ON metrics_release;"
            "DROP FUNCTION metrics_refuse_release_change()",
        ),
        migrations.RunSQL(
            KEEP_COMPLETE,
            "DROP TRIGGER metrics_releasefile_complete ON metrics_releasefile;"
            "DROP TRIGGER metrics_releaserun_complete ON metrics_releaserun;"
            "DROP FUNCTION metrics_refuse_release_part()",
        ),
        migrations.RunSQL(
            KEEP_RUNS,
            "DROP TRIGGER metrics_releaserun_immutable ON metrics_releaserun;"
            "DROP FUNCTION metrics_refuse_release_run_change()",
        ),
        *[
            migrations.RunSQL(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION annotate_refuse_change()",
                f"DROP TRIGGER {table}_append_only ON {table}",
            )
            for table in APPEND_ONLY
        ],
        *[
            migrations.RunSQL(
                f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION annotate_refuse_truncate()",
                f"DROP TRIGGER {table}_no_truncate ON {table}",
            )
            for table in TABLES
        ],
    ]
