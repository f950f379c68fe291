"""What people say of runs, and hidden runs: unique names, nothing hidden pooled, changes noted."""

import pytest

from annotate.models import Role
from pooling.core.files.papers import paper_address
from pooling.models import Run
from pooling.services.pools.checks import PoolError
from pooling.services.runs import descriptions
from pooling.services.runs.runs import BadName, RunExists
from tests import cast
from tests.pooling import factories
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def owned(collection, name, owner, **fields):
    run = factories.run(collection, name, {0: [1, 2]})
    Run.objects.filter(pk=run.pk).update(uploaded_by=owner, **fields)
    run.refresh_from_db()
    return run


def kinds(run):
    return [event.kind for event in run.events.order_by("pk")]


def test_renaming_and_describing_are_noted_with_who_and_what_it_was_before(collection):
    ada = cast.member(collection, Role.RESEARCHER)
    run = factories.run(collection, "A", {0: [1]})
    description = descriptions.RunDescription(
        "bm25 k1=0.9", "Lucene", "Lab", "https://doi.org/10.1145/1", ("sparse",), "defaults"
    )
    descriptions.describe_run(run=run, description=description, by=ada)
    assert descriptions.description_of(run) == description
    assert [(event.kind, event.note, event.by) for event in run.events.order_by("pk")] == [
        ("renamed", "before: A", ada),
        ("described", "system, team, paper, tags, description", ada),
    ]
    assert descriptions.describe_run(run=run, description=description, by=ada) == []


def test_a_name_that_is_taken_or_cannot_be_one_changes_nothing(collection):
    run, _ = factories.run(collection, "A", {0: [1]}), factories.run(collection, "B", {0: [2]})
    for name, error in (("B", RunExists), ("", BadName), ("a\tb", BadName)):
        with pytest.raises(error):
            descriptions.describe_run(
                run=run, description=descriptions.RunDescription(name, team="x"), by=None
            )
    run.refresh_from_db()
    assert (run.name, run.team, kinds(run)) == ("A", "", [])


def test_only_the_uploader_and_site_admins_know_of_a_hidden_run(collection):
    ada, bob = (cast.member(collection, Role.RESEARCHER) for _ in range(2))
    lead, admin = cast.member(collection, Role.LEAD), cast.user(is_superuser=True)
    run = owned(collection, "A", ada)
    descriptions.hide_run(run=run, by=ada)
    sees = {
        person: run in Run.objects.visible_to(person) for person in (ada, bob, lead, admin, None)
    }
    assert sees == {ada: True, bob: False, lead: False, admin: True, None: True}
    descriptions.publish_run(run=run, by=ada)
    assert run in Run.objects.visible_to(bob)
    assert kinds(run) == ["hidden", "published"]


def test_nobody_hides_the_run_of_another_and_none_is_hidden_once_it_is_pooled(collection):
    ada, bob = (cast.member(collection, Role.RESEARCHER) for _ in range(2))
    run = owned(collection, "A", ada)
    with pytest.raises(descriptions.NotUploader):
        descriptions.hide_run(run=run, by=bob)
    factories.draft(collection, [run])
    with pytest.raises(descriptions.RunInUse, match="part of a pool"):
        descriptions.hide_run(run=run, by=ada)
    assert not run.is_hidden


def test_a_hidden_run_cannot_be_pooled(collection):
    run = owned(collection, "A", cast.member(collection, Role.RESEARCHER), is_hidden=True)
    with pytest.raises(PoolError, match="hidden"):
        factories.draft(collection, [run])


def test_the_name_of_a_hidden_run_is_free_for_others_until_it_is_published(collection):
    ada, bob = (cast.member(collection, Role.RESEARCHER) for _ in range(2))
    hidden = owned(collection, "A", ada, is_hidden=True)
    public = owned(collection, "other", bob)
    descriptions.describe_run(run=public, description=descriptions.RunDescription("A"), by=bob)
    with pytest.raises(RunExists):
        descriptions.publish_run(run=hidden, by=ada)
    assert (hidden.is_hidden, public.is_hidden) == (True, False)
    with pytest.raises(RunExists):
        descriptions.describe_run(
            run=factories.run(collection, "B", {0: [1]}),
            description=descriptions.RunDescription("A"),
            by=bob,
        )


def test_a_file_is_read_again_by_its_rank_column_but_not_once_it_is_pooled(collection):
    run = factories.run(collection, "A", {0: [1, 2]})
    Run.objects.filter(pk=run.pk).update(file=run.file.name)
    descriptions.reread_run(run=run, score_type="rank", by=None)
    assert (run.state, run.score_type, run.rankings.count()) == ("received", "rank", 0)
    perform_work(run)
    assert (run.state, run.rankings.get().scores) == ("ready", [-1.0, -2.0])
    assert kinds(run) == ["reread"]
    factories.draft(collection, [run])
    with pytest.raises(descriptions.RunInUse, match="another name"):
        descriptions.reread_run(run=run, score_type="float32", by=None)


@pytest.mark.parametrize(
    "text",
    [
        "10.1145/582415.582418",
        "doi:10.1145/582415.582418",
        "https://dx.doi.org/10.1145/582415.582418",
    ],
)
def test_a_doi_becomes_an_address(text):
    assert paper_address(f" {text} ") == "https://doi.org/10.1145/582415.582418"


def test_an_address_stays_and_anything_else_is_refused():
    assert paper_address("https://arxiv.org/abs/2204.03359") == "https://arxiv.org/abs/2204.03359"
    assert paper_address(" ") == ""
    for text in ("javascript:alert(1)", "our paper", "http://", "https://x y.org/"):
        with pytest.raises(ValueError, match="DOI"):
            paper_address(text)
