"""Runs are read again once the items they name are there: old rankings stand until then."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.checks.check import run as findings
from annotate.models import Item, Seat, Work
from annotate.services.background import progress, works
from annotate.services.background.progress import Cancelled
from config.management.commands.fsck import CHECKS
from pooling.models import Run, RunEvent
from pooling.services.pools import checks as pool_checks
from pooling.services.pools import queue_order
from pooling.services.runs import descriptions, holds, rereading, runs
from tests.pooling import factories
from tests.pooling.unknown_item_runs import chosen_pairs, load, run_of, stored, used
from tests.servers.databases import run_concurrently
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def test_a_run_in_use_never_goes_on_hold_when_it_is_read_again(collection):
    run = run_of(collection, {"q0": "d1 x y"})
    holds.set_limit(collection=collection, share=0.9, by=None)
    holds.set_limit(collection=collection, share=0.05, by=None)
    load(collection, "x")
    perform_work(run)
    assert (run.n_unknown, run.on_hold_since) == (1, None)


def test_a_run_of_which_every_document_is_unknown_waits_for_them(collection):
    run = run_of(collection, {"q0": "x y"})
    assert (run.state, run.on_hold_since is not None, run.unknown_text) == (
        "ready",
        True,
        "100.0 % unknown",
    )
    load(collection, "x", "y")
    perform_work(run)
    assert (stored(run), list(Run.objects.in_use())) == ({"q0": ["x", "y"]}, [run])


def test_a_run_that_waits_to_be_read_again_is_in_no_new_pool_and_is_not_read_by_other_scores(
    collection,
):
    (run,) = used(run_of(collection, {"q0": "x d1 d2"}))
    load(collection, "x")
    with pytest.raises(pool_checks.PoolError, match="is being read again"):
        chosen_pairs(collection, [run], depth=3)
    with pytest.raises(descriptions.RunInUse, match="is being read again"):
        descriptions.reread_run(run=run, score_type="rank", by=None)
    perform_work(run)
    assert chosen_pairs(collection, [run], depth=2) == {("q0", "x"): 1, ("q0", "d1"): 2}


def test_a_live_pool_goes_on_asking_for_its_own_pairs_when_its_run_is_read_again(collection):
    (run,) = used(run_of(collection, {"q0": "x d1 d2 d3"}))
    pool = factories.opened(collection, [run], strategy="maxmean", depth=4, ahead=1)
    queue_order.reorder(pool=pool)
    assert factories.external_ids(Seat.objects.filter(round=pool.round, queue_key__lt=0)) == {
        ("q0", "d1")
    }
    load(collection, "x")
    perform_work(run)
    queue_order.reorder(pool=pool)
    assert factories.external_ids(Seat.objects.filter(round=pool.round, queue_key__lt=0)) == {
        ("q0", "d1")
    }


def test_loading_the_documents_has_the_run_read_again(collection):
    run = run_of(collection, {"q0": "x d1 y", "q1": "x"})
    load(collection, "x")
    run.refresh_from_db()
    assert run.reading_due_at is not None
    # the old rankings stand until the new ones are there
    assert stored(run) == {"q0": ["?", "d1", "?"], "q1": ["?"]}
    perform_work(run)
    assert stored(run) == {"q0": ["x", "d1", "?"], "q1": ["x"]}
    assert (run.state, run.reading_due_at, run.n_unknown) == ("ready", None, 1)
    event = RunEvent.objects.get(run=run)
    assert (event.kind, event.note) == ("reread", "items joined; unknown rows: 3 before, 1 now")


def test_a_run_leaves_its_hold_once_its_documents_are_there(collection):
    run = run_of(collection, {"q0": "x d1"})
    assert run.on_hold_since is not None
    load(collection, "x")
    perform_work(run)
    assert list(Run.objects.in_use()) == [run]


def test_queries_that_join_have_a_run_read_again_too(collection):
    run = run_of(collection, {"q0": "d1", "q9": "d2"})
    Item.objects.create(collection=collection, side="query", external_id="q9")
    assert rereading.note_joined_items(collection_id=collection.pk) == [run.pk]
    perform_work(run)
    assert stored(run) == {"q0": ["d1"], "q9": ["d2"]}


def test_a_run_of_which_all_is_known_is_not_read_again(collection):
    run = run_of(collection, {"q0": "d1"})
    load(collection, "x")
    run.refresh_from_db()
    assert run.reading_due_at is None
    perform_work(run)
    assert not RunEvent.objects.exists()


def test_a_run_that_is_being_read_while_items_join_is_read_once_more(collection, monkeypatch):
    upload = SimpleUploadedFile("a.run", b"q0 Q0 x 1 1 t\nq0 Q0 d1 2 0 t\n")
    run = runs.receive_run(collection=collection, name="a", direction="forward", upload=upload).run
    store = runs.store_rankings

    def slow(**arguments):
        load(collection, "z")  # it has looked the items up by the time they are committed
        return store(**arguments)

    monkeypatch.setattr(runs, "store_rankings", slow)
    perform_work(run)
    assert (run.state, run.reading_due_at is not None) == ("ready", True)
    assert (run.work.kind, run.work.state) == ("run_rereading", "asked")
    assert [finding.lines for finding in findings(CHECKS)] == []
    perform_work(run)
    assert (run.reading_due_at, run.is_being_read) == (None, False)


def test_a_run_that_is_being_read_again_while_items_join_is_read_once_more(collection, monkeypatch):
    run = run_of(collection, {"q0": "x d1 y"})
    load(collection, "x")
    store = rereading.store_rankings

    def slow(**arguments):
        load(collection, "y")
        return store(**arguments)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(rereading, "store_rankings", slow)
        perform_work(run)
    first = Work.objects.get(kind="run_rereading", state="done")
    assert (run.work.kind, run.work.state, run.work == first) == ("run_rereading", "asked", False)
    perform_work(run)
    assert (
        run.is_being_read,
        run.n_unknown,
        Work.objects.filter(kind="run_rereading").count(),
    ) == (False, 0, 2)


@pytest.mark.parametrize("is_cancelled", [True, False])
def test_a_rereading_that_does_not_come_to_its_end_while_items_join_is_followed_by_another(
    collection, monkeypatch, is_cancelled
):
    run = run_of(collection, {"q0": "x d1 y"})
    load(collection, "x")

    def slow(*_, **__):
        load(collection, "y")
        raise Cancelled if is_cancelled else works.Failed("unfit", "It cannot be read.")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(rereading, "store_in_batches", slow)
        perform_work(run)
    assert (run.state, stored(run), run.work.state) == ("ready", {"q0": ["?", "d1", "?"]}, "asked")
    why = "somebody cancelled it" if is_cancelled else "It cannot be read."
    assert RunEvent.objects.get(run=run).note == f"the kept file could not be read again: {why}"
    assert stored(perform_work(run)) == {"q0": ["x", "d1", "y"]}


def test_a_rereading_that_is_cancelled_before_it_began_leaves_the_run_as_it_was(collection):
    run = run_of(collection, {"q0": "x d1"})
    load(collection, "x")
    run.refresh_from_db()
    works.cancel(work=run.work, by=None)
    perform_work(run)
    assert (stored(run), run.reading_due_at, run.is_being_read) == (
        {"q0": ["?", "d1"]},
        None,
        False,
    )
    load(collection, "y")
    assert stored(perform_work(run)) == {"q0": ["x", "d1"]}


def test_pools_that_are_open_do_not_change_when_a_run_is_read_again(collection):
    (run,) = used(run_of(collection, {"q0": "x d1 d2"}))
    pool = factories.opened(collection, [run], depth=2)
    load(collection, "x")
    perform_work(run)
    assert factories.external_ids(pool.pool_pairs) == {("q0", "d1")}
    assert pool.pool_pairs.get().best_rank == 2


def test_a_file_that_is_gone_leaves_the_run_as_it_was_and_says_so(collection):
    run = run_of(collection, {"q0": "d1 x"})
    run.file.storage.delete(run.file.name)
    load(collection, "x")
    perform_work(run)
    assert (stored(run), run.reading_due_at) == ({"q0": ["d1", "?"]}, None)
    assert RunEvent.objects.get(run=run).note == (
        "the kept file could not be read again: The kept file is gone."
    )


def test_a_worker_that_dies_leaves_the_old_rankings_and_the_third_is_the_last(
    collection, monkeypatch
):
    run = run_of(collection, {"q0": "d1 x"})
    load(collection, "x")

    def die(**_):
        raise MemoryError

    monkeypatch.setattr(rereading, "store_rankings", die)
    for _ in range(3):
        with pytest.raises(MemoryError):
            perform_work(run)
        assert stored(run) == {"q0": ["d1", "?"]}
    perform_work(run)
    assert run.reading_due_at is None
    assert "begun 3 times" in RunEvent.objects.get(run=run).note


def test_reading_again_tells_how_far_it_is(collection, monkeypatch):
    run = run_of(collection, {"q0": "d1 x"})
    load(collection, "x")
    reports = []
    advance = "annotate.services.background.progress.advance"
    monkeypatch.setattr(advance, lambda **report: reports.append((report["job"], report["unit"])))
    perform_work(run)
    assert set(reports) == {(progress.Job("run_rereading", run.work.pk), "MB read")}


@pytest.mark.django_db(transaction=True)
def test_two_workers_that_get_one_run_read_it_again_once(collection):
    run = run_of(collection, {"q0": "d1 x"})
    load(collection, "x")
    run_concurrently(lambda _: perform_work(Run.objects.get(pk=run.pk)), range(4))
    assert RunEvent.objects.filter(run=run).count() == 1
    assert stored(run) == {"q0": ["d1", "x"]}
