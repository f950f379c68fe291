"""Only who uploaded a run says whether releases may show its name and hold its file."""

import pytest
from django.core.files.base import ContentFile

from annotate.models import Role
from annotate.services.people import accounts
from pooling.models import Run
from pooling.sentences import RunSentences
from pooling.services.runs import publication, runs
from tests import cast
from tests.pooling import factories
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def uploaded(collection, by, **fields):
    upload = ContentFile(factories.lines({0: [1]}), "a.run")
    return runs.receive_run(
        collection=collection, name="A", direction="forward", upload=upload, by=by, **fields
    ).run


def events(run):
    return [(event.kind, event.by) for event in run.events.order_by("pk")]


def test_a_run_may_not_be_published_unless_its_uploader_says_so(collection):
    ada = cast.member(collection, Role.RESEARCHER)
    run = uploaded(collection, ada)
    assert (run.may_be_published, events(run)) == (False, [])
    for may_be_published in (True, True, False, True):
        publication.set_may_be_published(run=run, may_be_published=may_be_published, by=ada)
        assert run.may_be_published is may_be_published
    assert events(run) == [("releasable", ada), ("unreleasable", ada), ("releasable", ada)]


def test_an_upload_may_say_so_and_the_same_file_again_changes_nothing(collection):
    ada, bob = (cast.member(collection, Role.RESEARCHER) for _ in range(2))
    assert uploaded(collection, ada, may_be_published=True).may_be_published
    for person in (ada, bob):
        assert uploaded(collection, person).may_be_published
    assert Run.objects.get().uploaded_by == ada


def test_another_persons_upload_of_the_same_file_does_not_allow_it(collection):
    ada, bob = (cast.member(collection, Role.RESEARCHER) for _ in range(2))
    uploaded(collection, ada)
    assert not uploaded(collection, bob, may_be_published=True).may_be_published
    assert not Run.objects.get().may_be_published


def test_a_rejected_run_hands_nothing_that_was_allowed_to_the_next_file(collection):
    ada, bob = (cast.member(collection, Role.RESEARCHER) for _ in range(2))
    upload = ContentFile(b"no run", "a.run")
    run = runs.receive_run(
        collection=collection,
        name="A",
        direction="forward",
        upload=upload,
        by=ada,
        may_be_published=True,
    ).run
    perform_work(run)
    assert (run.state, run.may_be_published) == ("rejected", True)
    next_run = uploaded(collection, bob)
    assert (next_run.pk, next_run.uploaded_by, next_run.may_be_published) == (run.pk, bob, False)


def test_nobody_decides_for_an_uploader_not_leads_and_not_site_admins(collection):
    ada, bob = (cast.member(collection, Role.RESEARCHER) for _ in range(2))
    lead = cast.member(collection, Role.LEAD, cast.member(collection, Role.RESEARCHER))
    run = uploaded(collection, ada)
    for person in (bob, lead, cast.user(is_superuser=True)):
        assert not publication.may_allow(run=run, by=person)
        for may_be_published in (True, False):
            with pytest.raises(publication.MayNotAllow, match="Only who uploaded"):
                publication.set_may_be_published(
                    run=run, may_be_published=may_be_published, by=person
                )
    run.refresh_from_db()
    assert (run.may_be_published, events(run)) == (False, [])


def test_a_site_admin_decides_where_no_uploader_is_left(collection):
    bob, admin = cast.member(collection, Role.RESEARCHER), cast.user(is_superuser=True)
    gone = cast.member(collection, Role.RESEARCHER)
    loaded, orphaned = factories.run(collection, "loaded", {0: [1]}), uploaded(collection, gone)
    accounts.erase_person(user=gone)
    orphaned = Run.objects.get(pk=orphaned.pk)
    for run in (loaded, orphaned):
        assert RunSentences(run).releases_decider == "Only a site admin decides that."
        with pytest.raises(publication.MayNotAllow):
            publication.set_may_be_published(run=run, may_be_published=True, by=bob)
        publication.set_may_be_published(run=run, may_be_published=True, by=admin)
        assert (run.may_be_published, events(run)) == (True, [("releasable", admin)])


@pytest.mark.parametrize(
    ("is_hidden", "may_be_published", "sentence"),
    [
        (False, False, "It is called run-01, or the like, and its file is left out."),
        (False, True, "It may be published under its name, with its file."),
        (
            True,
            True,
            "None while it is hidden; then it may be published under its name, with its file.",
        ),
    ],
)
def test_a_run_says_what_releases_show_of_it(is_hidden, may_be_published, sentence):
    run = Run(is_hidden=is_hidden, may_be_published=may_be_published)
    assert RunSentences(run).releases == sentence
