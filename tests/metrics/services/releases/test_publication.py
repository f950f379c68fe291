"""A release becomes public, or not, and is taken back."""

import pytest
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction

from annotate.models import Collection, Delivery
from annotate.models.programs.hooks import EVENT_NAMES
from annotate.services.webhooks import hooks
from metrics.models import Release, ReleaseEventKind
from metrics.services.releases import publication, releases
from metrics.services.releases.publication import publication_preview, publish, unpublish
from metrics.services.releases.releases import ReleaseRefused
from pooling.models import Run
from pooling.services.runs import deletion
from tests import cast
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import (
    made_release,
    published_release,
    request_release,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


@pytest.fixture
def study() -> Collection:
    return studies.unordered_study()


def test_a_release_is_published_and_taken_back_and_each_step_is_kept(study):
    hooks.create_hook(
        collection=study,
        url="https://hooks.example.org/x",
        events=[name for name in EVENT_NAMES if name.startswith(("release.", "job."))],
        by=None,
    )
    release, lead = made_release(study), cast.user("lead")
    publish(release=release, by=lead)
    release.refresh_from_db()
    assert release.state_text == "Public"
    unpublish(release=release, by=lead)
    publish(release=release, by=None)
    steps = list(release.events.order_by("pk").values_list("kind", "by"))
    assert steps == [
        (ReleaseEventKind.MADE, None),
        (ReleaseEventKind.PUBLISHED, lead.pk),
        (ReleaseEventKind.UNPUBLISHED, lead.pk),
        (ReleaseEventKind.PUBLISHED, None),
    ]
    releases.withdraw(release=release, reason="was wrong", by=lead)
    deliveries = list(Delivery.objects.order_by("pk"))
    assert sorted(delivery.event for delivery in deliveries[:2]) == ["job.ended", "release.made"]
    assert [delivery.event for delivery in deliveries[2:]] == [
        "release.published",
        "release.unpublished",
        "release.published",
        "release.withdrawn",
    ]
    address = f"http://127.0.0.1:8000/api/v1/collections/{study.slug}/releases/{release.version}/"
    facts = {"collection": study.slug, "version": release.version, "url": address}
    assert all(row.data == facts for row in deliveries if row.event != "job.ended")
    (job,) = [row.data for row in deliveries if row.event == "job.ended"]
    assert job == {
        "collection": study.slug,
        "job": release.work_id,
        "kind": "release",
        "state": "done",
        "url": f"http://127.0.0.1:8000/api/v1/jobs/{release.work_id}/",
    }


def test_no_step_is_done_twice(study):
    release = published_release(study)
    with pytest.raises(ReleaseRefused, match="public already"):
        publish(release=release, by=None)
    unpublish(release=release, by=None)
    with pytest.raises(ReleaseRefused, match="not public"):
        unpublish(release=release, by=None)
    assert release.events.count() == 3


def test_one_that_is_not_made_or_is_withdrawn_is_not_published(study):
    with pytest.raises(ReleaseRefused, match="not made, or it is withdrawn"):
        publish(release=request_release(study), by=None)
    release = made_release(study, "2.0")
    releases.withdraw(release=release, reason="A text was not ours.", by=None)
    with pytest.raises(ReleaseRefused, match="not made, or it is withdrawn"):
        publish(release=release, by=None)


def test_one_without_its_archive_is_not_published(study):
    release = made_release(study)
    default_storage.delete(release.file.name)
    with pytest.raises(ReleaseRefused, match="archive is not in the store"):
        publish(release=release, by=None)


@pytest.mark.parametrize(
    ("change", "is_refused"),
    [
        ({"is_hidden": True}, True),
        ({"may_be_published": False}, True),
        ({"name": "called otherwise"}, False),
    ],
    ids=["hidden", "taken back", "renamed"],
)
def test_what_an_uploader_took_back_since_is_not_published(study, change, is_refused):
    run = study.runs.earliest("pk")
    Run.objects.filter(pk=run.pk).update(may_be_published=True)
    release = made_release(study)
    Run.objects.filter(pk=run.pk).update(**change)
    faults = publication_preview(release=release).faults
    assert [run.name in fault for fault in faults] == [True] * is_refused
    if is_refused:
        with pytest.raises(ReleaseRefused, match=run.name):
            publish(release=release, by=None)
    else:
        publish(release=release, by=None)


def test_a_run_under_an_alias_that_may_not_be_named_is_no_hindrance(study):
    Run.objects.update(may_be_published=False)
    publish(release=made_release(study), by=None)
    deletion.delete_run(run=study.runs.first(), by=None)
    assert publication.publication_faults(release=made_release(study, "1.1")) == []


def test_a_withdrawn_release_is_public_no_more(study):
    release = published_release(study)
    releases.withdraw(release=release, reason="A text was not ours.", by=None)
    release.refresh_from_db()
    assert release.published_at is None
    with pytest.raises(IntegrityError), transaction.atomic():
        Release.objects.filter(pk=release.pk).update(published_at=release.made_at)


def test_everybody_is_shown_public_releases_and_those_that_were_so_when_withdrawn(study):
    shown_versions = {"public": True, "stone": True, "back": False, "inner": False, "never": False}
    rows = {name: made_release(study, f"1.{name}") for name in shown_versions}
    for name in ("public", "stone", "back"):
        publish(release=rows[name], by=None)
    unpublish(release=rows["back"], by=None)
    for name in ("stone", "back", "never"):
        releases.withdraw(release=rows[name], reason="Because.", by=None)
    shown = set(Release.objects.shown_to_everybody().values_list("version", flat=True))
    assert shown == {f"1.{name}" for name, is_shown in shown_versions.items() if is_shown}


def test_the_preview_tells_what_becomes_public(study):
    run = study.runs.earliest("pk")
    Run.objects.filter(pk=run.pk).update(may_be_published=True)
    Collection.objects.filter(pk=study.pk).update(
        texts_may_leave=True,
        creators=[{"name": name, "affiliation": "", "orcid": ""} for name in ("Ada", "Eve")],
    )
    preview = publication_preview(release=made_release(study))
    assert {"README.md", "CITATION.cff"} <= {file.path for file in preview.documents}
    assert "qrels/qrels.parquet" in {file.path for file in preview.tables}
    assert len(preview.documents) + len(preview.tables) == preview.release.files.count()
    assert preview.named_runs_text.endswith(f"let it be: {run.name}.")
    assert preview.aliases_text.startswith("Under an alias: run-01")
    assert preview.contents_text.startswith(
        "Texts of items are in it. Names and addresses of media are not"
    )
    assert preview.creators_text == "To cite: Ada; Eve."
    assert preview.licence_text == "Its licence is CC-BY-4.0."


def test_the_preview_says_what_is_not_there(study):
    study.runs.all().delete()
    release = made_release(study)
    release.licence, release.creators = "", []
    preview = publication_preview(release=release)
    assert preview.licence_text.startswith("It has no licence")
    assert preview.creators_text.startswith("It names no creator")
    assert preview.named_runs_text == "No run stands under its own name."
    assert preview.aliases_text == "No run stands under an alias."
