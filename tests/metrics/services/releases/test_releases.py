"""What becomes of releases: requested, made anew, discarded, withdrawn, and never changed."""

import json

import pytest
from django.core.files.storage import default_storage
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotate.models import Collection, Work
from annotate.services.background import works
from annotate.services.collection.lifecycle import purging
from annotate.services.people import accounts
from metrics.models import Release, ReleaseEvent, ReleaseEventKind, ReleaseFile, ReleaseRun
from metrics.services.releases import making, releases
from pooling.models import Run
from pooling.services.runs import deletion
from tests import cast
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import (
    archive,
    forget_releases,
    made_release,
    request_release,
)
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
FROZEN = {
    "version": "2.0",
    "title": "Another",
    "notes": "More",
    "licence": "MIT",
    "creators": [{"name": "Eve"}],
    "cite_as": "Eve 2026",
    "texts_leave": True,
    "media_leave": True,
    "released_on": "2026-03-06",
    "made_at": None,
    "as_of": timezone.now(),
    "manifest": {},
    "file": "",
    "file_name": "x.zip",
    "n_bytes": 1,
    "sha256": "0" * 64,
    "created_at": timezone.now(),
}


@pytest.fixture
def study() -> Collection:
    return studies.unordered_study()


def test_a_version_is_taken_once(study):
    request_release(study)
    with pytest.raises(releases.VersionTaken, match=r"a release 1\.0 already"):
        request_release(study)
    assert study.releases.count() == 1


def test_a_release_takes_what_the_collection_says_of_itself(study):
    Collection.objects.filter(pk=study.pk).update(
        licence="CC0-1.0",
        creators=[{"name": "Ada", "affiliation": "", "orcid": ""}],
        cite_as="Ada 2026",
        texts_may_leave=True,
    )
    release = request_release(study)
    Collection.objects.filter(pk=study.pk).update(licence="MIT", cite_as="")
    release.refresh_from_db()
    assert (release.licence, release.cite_as) == ("CC0-1.0", "Ada 2026")
    assert release.creators[0]["name"] == "Ada"
    assert (release.texts_leave, release.media_leave) == (True, False)


def test_one_that_is_asked_for_once_more_takes_what_the_collection_says_then(study):
    Collection.objects.filter(pk=study.pk).update(texts_may_leave=True)
    release = request_release(study)
    works.cancel(work=release.making, by=None)
    Collection.objects.filter(pk=study.pk).update(texts_may_leave=False, licence="MIT")
    release = releases.request_again(release=release, by=None)
    assert (release.texts_leave, release.licence) == (False, "MIT")


def test_a_cancelled_release_can_be_made_once_more(study):
    release = request_release(study)
    works.cancel(work=release.making, by=None)
    release = releases.request_again(release=release, by=None)
    works.perform(work=release.making)
    release.refresh_from_db()
    assert release.state_text == "Made"
    assert archive(release)


def test_a_cancelled_release_can_be_discarded_and_its_version_is_free(study):
    release = request_release(study)
    works.cancel(work=release.making, by=None)
    releases.discard(release=release)
    assert made_release(study).version == "1.0"


@pytest.mark.parametrize(
    "act", [releases.discard, lambda release: releases.request_again(release=release, by=None)]
)
def test_a_release_that_is_made_or_under_way_is_neither_discarded_nor_made_again(study, act):
    with pytest.raises(releases.ReleaseRefused, match="stays as it is"):
        act(release=request_release(study))
    with pytest.raises(releases.ReleaseRefused, match="stays as it is"):
        act(release=made_release(study, "2.0"))


@pytest.mark.parametrize("field", FROZEN)
def test_the_database_refuses_a_change_of_what_was_made(study, field):
    release = made_release(study)
    with pytest.raises(IntegrityError, match="stays as it is"), transaction.atomic():
        Release.objects.filter(pk=release.pk).update(**{field: FROZEN[field]})


def test_every_other_field_may_not_change_either():
    names = {field.name for field in Release._meta.concrete_fields}
    changing = {"published_at", "withdrawn_at", "withdrawal_reason"}
    keys = {"id", "collection", "work", "by"}
    assert names - changing - keys == set(FROZEN)


@pytest.mark.parametrize("model", [Release, ReleaseFile, ReleaseRun, ReleaseEvent])
def test_the_database_refuses_to_delete_what_was_made(study, model):
    made_release(study)
    table = model._meta.db_table
    with connection.cursor() as cursor:
        for statement in (f"DELETE FROM {table}", f"TRUNCATE {table} CASCADE"):
            with pytest.raises(IntegrityError), transaction.atomic():
                cursor.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE metrics_releasefile SET sha256 = ''",
        "UPDATE metrics_releaserun SET alias = 'bm25'",
        "UPDATE metrics_releaseevent SET note = 'x'",
    ],
)
def test_the_database_refuses_to_change_its_files_runs_and_events(study, statement):
    made_release(study)
    with connection.cursor() as cursor, pytest.raises(IntegrityError), transaction.atomic():
        cursor.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO metrics_releasefile (release_id, path, media_type, about, n_bytes, sha256,"
        " \"offset\") SELECT id, 'x', '', '', 1, '', 1 FROM metrics_release",
        "INSERT INTO metrics_releaserun (release_id, alias, shows_name, holds_file)"
        " SELECT id, 'x', false, false FROM metrics_release",
        "UPDATE metrics_release SET withdrawal_reason = 'x'",
        "UPDATE metrics_release SET withdrawn_at = now(), withdrawal_reason = 'x'",
    ],
)
def test_the_database_refuses_further_parts_and_half_withdrawals(study, statement):
    made_release(study)
    with connection.cursor() as cursor, pytest.raises(IntegrityError), transaction.atomic():
        cursor.execute(statement)


@pytest.mark.parametrize(
    "change", [{"is_hidden": True}, {"may_be_published": False}], ids=["hidden", "taken back"]
)
def test_a_run_that_is_hidden_or_taken_back_while_it_is_made_ends_it(study, monkeypatch, change):
    run = study.runs.earliest("pk")
    Run.objects.filter(pk=run.pk).update(may_be_published=True)
    store = making._store

    def store_later(*arguments):
        Run.objects.filter(pk=run.pk).update(**change)
        store(*arguments)

    monkeypatch.setattr(making, "_store", store_later)
    release = perform_work(request_release(study))
    assert (release.making.state, release.made_at) == (Work.State.FAILED, None)
    assert "hidden or may not be published" in release.making.error
    assert not default_storage.exists(release.stored_name)


def test_a_cancellation_at_the_very_end_leaves_nothing(study, monkeypatch):
    store = making._store

    def store_later(release, work, folder):
        works.cancel(work=work, by=None)
        store(release, work, folder)

    monkeypatch.setattr(making, "_store", store_later)
    release = perform_work(request_release(study))
    assert (release.making.state, release.made_at) == (Work.State.CANCELLED, None)
    assert not default_storage.exists(release.stored_name)
    assert not release.files.exists()


def test_a_run_of_a_release_can_be_deleted_and_its_alias_stays(study):
    made_release(study)
    run = study.runs.first()
    row = ReleaseRun.objects.get(run=run)
    deletion.delete_run(run=run, by=None)
    row.refresh_from_db()
    assert (row.run_id, row.alias) == (None, row.alias)


def test_a_withdrawn_release_leaves_its_checksums_and_the_reason(study):
    release = made_release(study)
    name, sha256 = release.file.name, release.sha256
    checksums = dict(release.files.values_list("path", "sha256"))
    lead = cast.user("lead")
    releases.withdraw(release=release, reason="A text was not ours.", by=lead)
    release.refresh_from_db()
    assert not default_storage.exists(name)
    assert (release.file.name, release.manifest, release.sha256) == ("", {}, sha256)
    assert dict(release.files.values_list("path", "sha256")) == checksums
    assert (release.state_text, release.withdrawal_reason) == ("Withdrawn", "A text was not ours.")
    event = release.events.last()
    assert (event.kind, event.by, event.note) == (
        ReleaseEventKind.WITHDRAWN,
        lead,
        "A text was not ours.",
    )
    with pytest.raises(releases.ReleaseRefused, match="not there to be withdrawn"):
        releases.withdraw(release=release, reason="again", by=lead)
    with pytest.raises(IntegrityError), transaction.atomic():
        Release.objects.filter(pk=release.pk).update(withdrawn_at=None, withdrawal_reason="")


def test_an_erased_annotator_stays_in_it_by_her_pseudonym(study):
    """Neither the release that is there nor the next one differs, and no name was in either."""
    before = archive(made_release(study))
    for annotator in study.annotators.all():
        accounts.erase_person(user=annotator.user)
    assert archive(study.releases.get()) == before
    forget_releases(study)
    assert archive(made_release(study)) == before


def test_a_purged_collection_takes_its_releases_with_it(study):
    release = made_release(study)
    name = release.file.name
    purging.purge_collection(collection=study)
    assert not Release.objects.exists()
    assert not default_storage.exists(name)


def test_the_manifest_of_the_row_is_that_of_the_folder(study):
    release = made_release(study)
    assert release.manifest == json.loads(json.dumps(release.manifest))
    assert release.manifest["version"] == "1.0"
    assert release.making.state == Work.State.DONE
