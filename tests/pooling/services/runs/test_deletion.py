"""Runs in no pool are deleted with all their rows and files; others stay."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, connection, transaction

from annotate.checks.check import run as findings
from annotate.models import ApiToken, Change, Role, Work
from annotate.services.background.workers import try_lock
from annotate.services.collection.query_sets import complete_query_sets
from config.management.commands.fsck import CHECKS
from metrics.models import Score
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.numbers import refresh
from pooling.models import Pool, Ranking, Run, RunEvent
from pooling.services.pools import run_retirement
from pooling.services.pools.checks import PoolError
from pooling.services.runs import deletion, descriptions, holds, runs
from tests import cast
from tests.metrics.services.leaderboard import boards
from tests.pooling import factories
from tests.servers.databases import run_concurrently
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


@pytest.fixture
def collection():
    with_items = factories.collection()
    complete_query_sets(collection=with_items)
    return with_items


def test_a_run_in_no_pool_goes_with_its_file_rankings_scores_and_events(
    collection, django_capture_on_commit_callbacks
):
    run, other = (factories.run(collection, name, {0: [1, 2], 1: [3]}) for name in ("a", "b"))
    descriptions.hide_run(run=run, by=cast.user(is_superuser=True))
    descriptions.publish_run(run=run, by=cast.user(is_superuser=True))
    descriptions.hide_run(run=other, by=cast.user(is_superuser=True))
    refresh.refresh(collection=collection)
    assert Score.objects.filter(run=run).exists()
    file = run.file
    with django_capture_on_commit_callbacks(execute=True):
        deletion.delete_run(run=run, by=None)
    assert list(Run.objects.all()) == [other]
    assert list(Work.objects.all()) == [other.work]
    assert not file.storage.exists(file.name)
    assert set(Ranking.objects.values_list("run", flat=True)) == {other.pk}
    assert set(Score.objects.values_list("run", flat=True)) == {other.pk}
    assert set(RunEvent.objects.values_list("run", flat=True)) == {other.pk}
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        RunEvent.objects.all()._raw_delete(using="default")  # the door is shut again
    assert Change.objects.filter(collection=collection).exists()
    refresh.refresh(collection=collection)
    assert [finding.lines for finding in findings(CHECKS)] == []
    factories.run(collection, "a", {0: [5]})  # its name is free


def test_a_rejected_run_goes_and_no_number_moves(collection):
    upload = SimpleUploadedFile("x.run", b"nonsense\n")
    run = runs.receive_run(collection=collection, name="x", direction="forward", upload=upload).run
    with pytest.raises(deletion.RunUndeletable, match="waits to be read"):
        deletion.delete_run(run=run, by=None)
    perform_work(run)
    Change.objects.all().delete()
    deletion.delete_run(run=run, by=None)
    assert not Run.objects.exists()
    assert not Change.objects.exists()


@pytest.mark.parametrize("is_open", [True, False])
def test_a_run_in_a_pool_stays_whatever_became_of_it(collection, is_open):
    run = factories.run(collection, "a", {0: [1]})
    (factories.opened if is_open else factories.draft)(collection, [run])
    run_retirement.retire_run(run=run, by=None)
    with pytest.raises(
        deletion.RunUndeletable, match=r"is in a pool \(first\), so it stays; it can be retired"
    ):
        deletion.delete_run(run=run, by=None)
    assert Run.objects.get().rankings.count() == 1


def test_a_run_that_was_accepted_or_retired_and_is_in_no_pool_goes(collection):
    run = factories.run(collection, "a", {0: [1]})
    Run.objects.filter(pk=run.pk).update(on_hold_since="2024-01-01T00:00Z")
    holds.accept_run(run=run, by=None)
    run_retirement.retire_run(run=run, by=None)
    deletion.delete_run(run=run, by=None)
    assert not Run.objects.exists()
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('assayer.purge', true)")
        assert cursor.fetchone()[0] == ""


@pytest.mark.django_db(transaction=True)
def test_a_run_that_somebody_is_at_stays():
    run = factories.run(factories.collection(), "a", {0: [1]})

    def delete(_):
        with pytest.raises(deletion.RunUndeletable, match="at this moment"):
            deletion.delete_run(run=run, by=None)

    with try_lock(run):
        run_concurrently(delete, [1])
    assert Run.objects.filter(pk=run.pk).exists()


def test_every_page_stands_before_and_after_the_numbers_follow(client, collection):
    doomed, *_ = [
        factories.run(collection, name, {0: [1, 2], 1: [3], 2: [4], 3: [5]})
        for name in ("a", "b", "c")
    ]
    factories.opened(collection, list(Run.objects.exclude(pk=doomed.pk)))
    factories.reference(collection, [(0, 1), (2, 4)])
    refresh.refresh(collection=collection)
    client.force_login(cast.user(is_superuser=True))
    start, pool = f"/c/{collection.slug}", Pool.objects.get()
    pages = [
        "results/leaderboard/",
        f"results/leaderboard/compare/?first={doomed.pk}",
        "dashboard/",
        "results/explorer/",
        "results/downloads/",
    ]
    pages += ["results/runs/"]
    pages += [f"judging/pools/{page}/" for page in ("new", pool.pk, f"{pool.pk}/favours")]
    choices = read_choices(collection=collection, viewer=None, parameters={})

    def look():
        return [client.get(f"{start}/{page}", follow=True).status_code for page in pages]

    boards.compute(collection=collection, spec=choices.spec)
    assert look() == [200] * len(pages)
    assert client.post(f"{start}/results/runs/{doomed.pk}/delete/").status_code == 302
    assert look() == [200] * len(pages)
    refresh.refresh(collection=collection)
    assert look() == [200] * len(pages)
    assert client.get(f"{start}/results/runs/{doomed.pk}/").status_code == 404


def test_a_program_deletes_a_run(client, collection):
    run = factories.run(collection, "a", {0: [1]})
    headers = cast.bearer(cast.member(collection, Role.RESEARCHER), ApiToken.Scope.RUNS_WRITE)
    address = f"/api/v1/collections/{collection.slug}/runs/{run.pk}/"
    pool = factories.draft(collection, [run])
    answer = client.delete(address, headers=headers)
    assert (answer.status_code, "is in a pool (first)" in answer.json()["detail"]) == (422, True)
    pool.delete()
    assert client.delete(address, headers=headers).status_code == 204
    assert client.delete(address, headers=headers).status_code == 404


def test_a_run_is_deleted_by_who_brought_it_or_leads(collection):
    owner, other = (cast.member(collection, Role.RESEARCHER) for _ in range(2))
    runs_ = [factories.run(collection, name, {0: [1]}) for name in "abcd"]
    Run.objects.exclude(name="d").update(uploaded_by=owner)
    first, second, third, nobodys = Run.objects.order_by("name")
    with pytest.raises(deletion.MayNotDelete, match="anybody can retire it"):
        deletion.delete_run(run=first, by=other)
    assert Run.objects.count() == len(runs_)
    deletion.delete_run(run=first, by=owner)
    deletion.delete_run(run=second, by=cast.member(collection, Role.LEAD))
    deletion.delete_run(run=third, by=cast.user(is_superuser=True))
    deletion.delete_run(run=nobodys, by=other)
    assert not Run.objects.exists()


def test_no_pool_is_made_of_a_run_that_is_gone(collection):
    run = factories.run(collection, "a", {0: [1]})
    deleted_run = Run.objects.get(pk=run.pk)
    deletion.delete_run(run=run, by=None)
    with pytest.raises(PoolError, match="deleted meanwhile"):
        factories.draft(collection, [deleted_run])
