"""Rows that name items the collection lacks: they keep their ranks, and put runs on hold."""

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotate.models import Pair, QuerySet, QuerySetItem, Role
from pooling.core.files.text.ids import unknown_keys
from pooling.models import Run, RunEvent
from pooling.services.pages import provenance
from pooling.services.pools import automatic_golds, pair_choice, previews
from pooling.services.pools import checks as pool_checks
from pooling.services.runs import holds, runs
from pooling.services.runs.rankings import left_out_keys, load_top
from tests import cast
from tests.pooling import factories
from tests.pooling.unknown_item_runs import chosen_pairs, pairs_of, run_of, stored, used
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def test_an_unknown_target_has_the_same_key_in_every_run_and_another_than_any_item():
    ids = np.array([b"x", b"y", b"x" * 200, b"x"])
    keys = unknown_keys(ids)
    assert keys[0] == keys[3] == unknown_keys(np.array([b"x"]))[0] == -3505930292449517750
    assert len(set(keys.tolist())) == 3
    assert (keys < 0).all()


@pytest.mark.parametrize(
    ("rankings", "expected"),
    [
        ({"q0": "x d1 d2"}, {"q0": ["?", "d1", "d2"]}),
        ({"q0": "d1 x y d2"}, {"q0": ["d1", "?", "?", "d2"]}),
        ({"q0": "d1 d2", "q1": "x y"}, {"q0": ["d1", "d2"], "q1": ["?", "?"]}),
        ({"q0": "d1", "elsewhere": "d1 x"}, {"q0": ["d1"]}),
    ],
)
def test_unknown_targets_stay_where_they_are(collection, rankings, expected):
    assert stored(run_of(collection, rankings)) == expected


def test_ties_are_settled_by_all_ids_known_or_not(collection):
    lines = b"".join(b"q0 Q0 %s 1 1.0 t\n" % target for target in (b"d1", b"d3", b"d2x", b"a"))
    run = runs.receive_run(
        collection=collection,
        name="ties",
        direction="forward",
        upload=SimpleUploadedFile("t.run", lines),
    ).run
    perform_work(run)
    assert stored(run) == {"q0": ["d3", "?", "d1", "?"]}


def test_in_the_reverse_direction_unknown_queries_stay_where_they_are(collection):
    run = run_of(collection, {"d0": "x q1 y q0"}, direction="reverse")
    assert stored(run) == {"d0": ["?", "q1", "?", "q0"]}
    assert chosen_pairs(collection, [run], depth=3) == {("q1", "d0"): 2}


def test_the_report_counts_unknown_rows_of_known_sources_alone(collection):
    run = run_of(collection, {"q0": "d1 x y d2", "q1": "x", "elsewhere": "x d1"})
    report = run.report
    assert (report["n_rows"], report["n_kept"], report["n_unknown"], report["n_dropped"]) == (
        7,
        2,
        3,
        0,
    )
    assert (run.n_unknown, run.unknown_share, run.unknown_text) == (3, 0.6, "60.0 % unknown")
    assert report["missing"]["n"] == 2


def test_an_excluded_item_is_taken_back_in_with_its_ranks(collection):
    collection.items.filter(external_id="d2").update(
        excluded_at=timezone.now(), excluded_reason="broken"
    )
    run = run_of(collection, {"q0": "d2 x d1"})
    assert (run.report["n_kept"], run.report["n_unknown"], run.report["n_dropped"]) == (1, 1, 1)
    assert chosen_pairs(collection, [run], depth=2) == {("q0", "d1"): 2}
    collection.items.update(excluded_at=None, excluded_reason="")
    assert chosen_pairs(collection, [run], depth=2) == {("q0", "d2"): 1}


@pytest.mark.parametrize(
    ("strategy", "parameters", "pairs"),
    [
        ("depth-k", {"depth": 3}, {("q0", "d1"): 2, ("q0", "d5"): 1, ("q0", "d6"): 2}),
        ("adds", {"depth": 2}, {("q0", "d1"): 2, ("q0", "d5"): 1, ("q0", "d6"): 2}),
        ("take-n", {"n": 2, "depth": 10}, {("q0", "d1"): 2, ("q0", "d5"): 1}),
        ("take-n", {"n": 2, "depth": 10, "fusion": "borda"}, {("q0", "d1"): 2, ("q0", "d5"): 1}),
        (
            "stratified",
            {"top": 3, "depth": 4, "share": 1.0},
            {("q0", "d1"): 2, ("q0", "d2"): 4, ("q0", "d5"): 1, ("q0", "d6"): 2},
        ),
        ("depth-k-sample", {"depth": 1, "n_sources": 5}, {("q0", "d5"): 1}),
        ("maxmean", {"depth": 2}, {("q0", "d1"): 2, ("q0", "d5"): 1, ("q0", "d6"): 2}),
    ],
)
def test_every_strategy_takes_known_documents_alone_at_the_ranks_they_have(
    collection, strategy, parameters, pairs
):
    first = run_of(collection, {"q0": "x d1 y d2"}, name="one")
    two = run_of(collection, {"q0": "d5 d6 d1"}, name="two")
    assert chosen_pairs(collection, [first, two], strategy, **parameters) == pairs


def test_a_pool_of_strange_runs_opens_and_a_preview_of_it_counts_known_pairs(collection):
    first, second = used(
        run_of(collection, {"q0": "x d1 y d2", "q1": "x"}, name="one"),
        run_of(collection, {"q0": "x d3"}, name="two"),
    )
    price = previews.preview(
        collection=collection, strategy="depth-k", parameters={"depth": 3}, runs=[first, second]
    )
    assert (price.n_pairs, price.n_queries) == (2, 1)
    assert [(share.name, share.n_pairs, share.n_unique) for share in price.shares] == [
        ("one", 1, 1),
        ("two", 1, 1),
    ]
    (alike,) = price.likenesses
    assert alike.likeness.overlap[0, 1] == pytest.approx(1 / 3)  # both hold x, of 3 ranks
    pool = factories.opened(collection, [first, second], depth=3)
    assert factories.external_ids(pool.pool_pairs) == {("q0", "d1"), ("q0", "d3")}


def test_runs_are_alike_by_what_they_name_known_or_not(collection):
    same, other = used(
        run_of(collection, {"q0": "x d1 y"}, name="same"),
        run_of(collection, {"q0": "x d1 y"}, name="copy"),
    )
    (alike,) = previews.preview(
        collection=collection, strategy="depth-k", parameters={"depth": 3}, runs=[same, other]
    ).likenesses
    assert alike.likeness.rbo[0, 1] == pytest.approx(1)
    assert alike.likeness.tau[0, 1] == 1


def test_where_a_pair_comes_from_counts_unknown_targets_and_no_excluded_ones(collection):
    (run,) = used(run_of(collection, {"q0": "d9 x d1 d2"}))
    pool = factories.opened(collection, [run], depth=4)
    collection.items.filter(external_id="d9").update(
        excluded_at=timezone.now(), excluded_reason="broken"
    )
    pair = Pair.objects.get(document__external_id="d2")
    assert provenance.sentence(provenance.origin(pair=pair, viewer=None)).startswith(
        "in runs bm25 rank 3;"
    )
    top = load_top(run=run, depth=9, leave_out=left_out_keys(collection=collection))
    assert top.rank.tolist() == [1, 2, 3]
    assert pool.pool_pairs.get(pair=pair).best_rank == 4  # as it was when the pool was opened


def test_a_random_negative_is_outside_the_first_ranks_as_scores_count_them(collection):
    factories.reference(collection, [(0, 0)])
    collection.items.filter(external_id="d1").update(
        excluded_at=timezone.now(), excluded_reason="broken"
    )
    ranked = " ".join(["d1", *(f"x{n}" for n in range(automatic_golds.OUTSIDE - 1)), "d2", "d3"])
    run_of(collection, {f"q{q}": ranked for q in range(4)})
    keys = dict(collection.items.values_list("external_id", "pk"))
    candidates = np.array([[keys["q0"], keys["d2"]], [keys["q0"], keys["d3"]]])
    assert automatic_golds._unusable_rows(collection, candidates) == [0]


def test_a_run_with_many_unknown_rows_asks_before_it_is_used(collection):
    run = run_of(collection, {"q0": " ".join(["x", *(f"d{n}" for n in range(18))])})  # 1 of 19
    assert run.on_hold_since is not None
    assert not Run.objects.in_use().exists()
    assert list(Run.objects.on_hold()) == [run]
    with pytest.raises(pool_checks.PoolError, match="too many unknown items"):
        pair_choice.choose_pairs(
            collection=collection, strategy="depth-k", parameters={"depth": 1}, runs=[run]
        )
    holds.accept_run(run=run, by=None)
    assert list(Run.objects.in_use()) == [run]
    event = RunEvent.objects.get(run=run)
    assert (event.kind, event.note) == ("accepted", "unknown rows: 1")
    with pytest.raises(holds.NotOnHold):
        holds.accept_run(run=run, by=None)


def test_a_run_with_few_unknown_rows_does_not_ask(collection):
    # 1 of 20, the limit
    run = run_of(collection, {"q0": " ".join(["x", *(f"d{n}" for n in range(19))])})
    assert run.on_hold_since is None


def test_the_share_above_which_runs_ask_is_the_researchers(collection):
    half, most = (run_of(collection, {"q0": text}, name=text) for text in ("d1 x", "d1 x y z"))
    assert holds.set_limit(collection=collection, share=0.5, by=None) == [half]
    assert list(Run.objects.in_use()) == [half]
    holds.set_limit(collection=collection, share=0.0, by=None)
    assert list(Run.objects.in_use()) == [half]  # what is in use stays so
    assert run_of(
        collection, {"q0": " ".join([*(f"d{n}" for n in range(29)), "x"])}, name="new"
    ).on_hold_since
    with pytest.raises(holds.BadLimit):
        holds.set_limit(collection=collection, share=1.5, by=None)
    assert most.on_hold_since is not None


def test_a_run_that_a_pool_was_made_of_is_never_put_on_hold(collection):
    (run,) = used(run_of(collection, {"q0": "d1 x"}))
    factories.opened(collection, [run], depth=1)
    assert not holds.has_too_many_unknown(run=run, report=runs.RunReport(**run.report))


def test_who_sets_the_share_does_not_learn_of_somebodys_hidden_run(collection):
    ada, bob = (cast.member(collection, Role.RESEARCHER) for _ in range(2))
    secret = run_of(collection, {"q0": "d1 x"}, is_hidden=True, by=ada)
    assert holds.set_limit(collection=collection, share=0.9, by=bob) == []
    assert list(Run.objects.in_use()) == [secret]
    assert RunEvent.objects.get(run=secret).note == "the limit is 90 % now"


def test_a_pool_on_a_query_set_with_a_gallery_takes_its_members_alone(collection):
    (run,) = used(run_of(collection, {"q0": "x d1 d2 d3 d4"}))
    few = QuerySet.objects.create(collection=collection, name="few", direction="forward")
    for name, part in (("q0", "source"), ("d2", "gallery"), ("d4", "gallery")):
        QuerySetItem.objects.create(
            query_set=few, item=collection.items.get(external_id=name), part=part
        )
    choice = pair_choice.choose_pairs(
        collection=collection,
        strategy="depth-k",
        parameters={"depth": 5},
        runs=[run],
        query_set=few,
    )
    assert pairs_of(choice, collection) == {("q0", "d2"): 1, ("q0", "d4"): 2}


def test_a_pair_with_an_excluded_end_has_no_rank(collection):
    (run,) = used(run_of(collection, {"q0": "d1 d2 d3"}))
    factories.opened(collection, [run], depth=3)
    leave_out = collection.items.filter(external_id__in=["d1", "d3"])
    leave_out.update(excluded_at=timezone.now(), excluded_reason="broken")
    ranks = {
        pair.document.external_id: [
            run_rank.rank for run_rank in provenance.origin(pair=pair, viewer=None).run_ranks
        ]
        for pair in Pair.objects.all()
    }
    assert ranks == {"d1": [], "d2": [1], "d3": []}
