"""A purged collection leaves nothing behind, and the one beside it is not touched."""

from io import StringIO

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from annotate.checks.check import run
from annotate.models import Collection, Judgment, Level, User
from annotate.services import purging
from annotate.services.media import media_folder
from config.management.commands.fsck import CHECKS
from config.management.commands.purge_collection import APPS
from pooling.models import Run
from tests import campaigns

pytestmark = pytest.mark.django_db


def rows():
    """How many rows each table of the product has, people apart."""
    models = [model for label in APPS for model in apps.get_app_config(label).get_models(include_auto_created=True)]
    return {model.__name__: model.objects.count() for model in models if model is not User and model._meta.managed}


def test_every_row_of_the_collection_goes_and_no_other():
    campaigns.campaign("kept")
    before = rows()
    collection = campaigns.campaign("made").collection
    with_both = rows()
    counts = purging.purge_collection(collection=collection, app_labels=APPS)
    assert rows() == before
    assert sum(counts.values()) == sum(with_both.values()) - sum(before.values())
    assert [finding.lines for finding in run(CHECKS)] == []


def test_the_campaign_of_the_tests_fills_every_table_that_belongs_to_a_collection():
    campaigns.campaign("made")
    filled = {model for model, n in rows().items() if n}
    held = {model.__name__ for label in APPS for model, _ in purging._own(label)}
    assert held - filled == set()


def test_files_of_the_collection_go_too(campaign, media_root, django_capture_on_commit_callbacks):
    campaign.run.file.save("bm25.run", ContentFile(b"1 Q0 d 1 0.5 x"))
    file = campaign.run.file.path
    folder = media_folder(campaign.collection)
    folder.mkdir(parents=True)
    (folder / "a.webm").write_bytes(b"x")
    with django_capture_on_commit_callbacks(execute=True):
        purging.purge_collection(collection=campaign.collection, app_labels=APPS)
    assert not folder.exists()
    assert not Run._meta.get_field("file").storage.exists(file)


def test_after_a_purge_judgments_cannot_be_deleted_again():
    kept = campaigns.campaign("kept").collection
    with transaction.atomic():
        purging.purge_collection(collection=campaigns.campaign("made").collection, app_labels=APPS)
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('assayer.purge', '', true)")  # as the end of the transaction does
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        Judgment.objects.filter(collection=kept)._raw_delete("default")


def test_a_role_that_does_not_own_the_tables_deletes_nothing():
    collection = campaigns.campaign("made").collection
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE lodger; GRANT ALL ON ALL TABLES IN SCHEMA public TO lodger; SET ROLE lodger")
    try:
        with pytest.raises(purging.NotOwner, match="does not own"):
            purging.purge_collection(collection=collection, app_labels=APPS)
        with connection.cursor() as cursor:
            cursor.execute("SET assayer.purge = 'made'")
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            Judgment.objects.filter(collection=collection)._raw_delete("default")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE; RESET assayer.purge")


def test_the_command_wants_to_be_meant():
    campaigns.campaign("made")
    with pytest.raises(CommandError, match="judgments; add --yes"):
        call_command("purge_collection", "made")
    with pytest.raises(CommandError, match='no collection "nothing"'):
        call_command("purge_collection", "nothing", "--yes")
    out = StringIO()
    call_command("purge_collection", "made", "--yes", stdout=out)
    assert out.getvalue().startswith('Deleted "made": ')
    assert not Collection.objects.exists()
    assert not Level.objects.exists()
