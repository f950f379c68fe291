"""The bias of a pool: equal to the plain definitions on the same labels.

It is kept until something changes, and undefined where it is.
"""

import numpy as np
import pytest

from annotate.models import Direction, Item, Kept, Pair, Resolution, Role
from annotate.services.background import kept
from metrics.core.measures import measures
from metrics.core.measures.alignment import LabelledPairs, align
from metrics.services.pool_bias import study as pool_bias
from metrics.services.pool_bias.inputs import contributions, gather
from metrics.services.pool_bias.page import page_of
from pooling.core.likeness.rankings import Rankings
from pooling.models import Ranking
from pooling.services.pools import run_retirement
from tests import cast, works
from tests.metrics import studies
from tests.metrics.core.pools import recount
from tests.pages import text_of
from tests.pooling import factories
from tests.tables.fixture_cache import cached_rows

pytestmark = pytest.mark.django_db
N_QUERIES, DEPTH = 5, 3


@pytest.fixture
def pool(media_root):
    return judged_pool()


@cached_rows
def judged_pool():
    """Three runs over 5 queries, the first 3 of each pooled and judged by one person."""
    rng = np.random.default_rng(7)
    collection = factories.collection(N_QUERIES, 30, batch_candidates=500)
    runs = [
        factories.run(
            collection, name, {q: rng.permutation(30)[:12].tolist() for q in range(N_QUERIES)}
        )
        for name in "ABC"
    ]
    opened = factories.opened(collection, runs, depth=DEPTH)
    studies.judge(cast.annotator(collection), seed=1, likes=0.4)
    assert Resolution.objects.filter(collection=collection).count() > 30
    return opened


def runs_and_labels(pool):
    """The runs and people's labels as inputs of tests.metrics.core.pools.recount."""
    queries = list(Item.objects.filter(collection=pool.collection, side="query").order_by("pk"))
    index_of = {item.pk: number for number, item in enumerate(queries)}
    runs = []
    for run in pool.runs.order_by("name"):
        rows = {row.source_id: row.targets for row in Ranking.objects.filter(run=run)}
        docs = [rows[item.pk] for item in queries]
        runs.append(
            Rankings(
                np.append(0, np.cumsum([len(targets) for targets in docs])), np.concatenate(docs)
            )
        )
    graded = Resolution.objects.filter(collection=pool.collection, grade__isnull=False)
    rows = graded.values_list("pair__query", "pair__document", "grade")
    labels = LabelledPairs(*np.array([(index_of[q], d, grade) for q, d, grade in rows]).T)
    return runs, labels


def value_of(pool):
    works.compute_anew(pool_bias.inquiry_of(pool=pool))
    return kept.find(inquiry=pool_bias.inquiry_of(pool=pool)).value


def test_leave_one_out_and_the_biases_equal_their_plain_definitions(pool):
    (direction,) = value_of(pool)["directions"]
    runs, labels = runs_and_labels(pool)
    for measure in pool_bias.MEASURES:
        rows = recount.leave_one_out(runs, labels, measure, depth=DEPTH)
        for row, plain in zip(direction["runs"], rows, strict=True):
            assert (row["n_unique"], row["n_unique_positive"]) == (
                plain.n_unique,
                plain.n_unique_positive,
            )
            scores = row["scores"][measure.name]
            assert (scores["score"], scores["without"]) == pytest.approx(
                (plain.score, plain.score_without), abs=1e-12
            )
            assert (scores["rank"], scores["rank_without"]) == (plain.rank, plain.rank_without)
        for row, plain in zip(
            direction["bias"][measure.name],
            recount.subset_bias(runs, labels, measure, depth=DEPTH),
            strict=True,
        ):
            assert (row["size"], row["bias"], row["self"]) == pytest.approx(
                tuple(plain[:3]), abs=1e-12
            )
            assert (row["non_self"] is None) == np.isnan(plain.non_self_bias)


def test_a_run_brings_what_it_showed_and_all_of_it_is_judged(pool):
    (direction,) = value_of(pool)["directions"]
    assert [(row["n_brought"], row["n_judged"]) for row in direction["runs"]] == [(15, 15)] * 3
    assert direction["n_labelled"] == Pair.objects.filter(collection=pool.collection).count()
    assert {tuple(curve["points"][-1]) for curve in direction["curves"]} == {
        (direction["n_labelled"], direction["n_positive"])
    }


def test_what_a_reference_knew_is_no_loss(pool):
    pairs = Pair.objects.filter(collection=pool.collection, resolution__grade=1)
    studies.reference(
        pool.collection, {(pair.query.external_id, pair.document.external_id): 1 for pair in pairs}
    )
    (direction,) = value_of(pool)["directions"]
    positive_only = measures.parse_one("AP").name
    for row in direction["runs"]:
        scores = row["scores"][positive_only]
        assert scores["without"] == pytest.approx(scores["score"], abs=1e-12)


def test_the_same_labels_are_not_gone_through_again_and_give_the_same_numbers(pool):
    assert works.compute_anew(pool_bias.inquiry_of(pool=pool))
    first = kept.find(inquiry=pool_bias.inquiry_of(pool=pool))
    assert not works.compute_anew(pool_bias.inquiry_of(pool=pool))
    again = kept.find(inquiry=pool_bias.inquiry_of(pool=pool))
    assert (again.pk, again.value) == (
        first.pk,
        first.value,
    ) and again.computed_at >= first.computed_at
    Kept.objects.all().delete()
    assert works.compute_anew(pool_bias.inquiry_of(pool=pool))
    assert kept.find(inquiry=pool_bias.inquiry_of(pool=pool)).value == first.value
    run_retirement.retire_run(run=pool.runs.first(), by=None)
    assert works.compute_anew(pool_bias.inquiry_of(pool=pool))
    assert (
        len(kept.find(inquiry=pool_bias.inquiry_of(pool=pool)).value["directions"][0]["runs"]) == 2
    )


def test_other_rankings_give_other_numbers_and_unknown_rows_are_shown_and_unjudged(pool):
    works.compute_anew(pool_bias.inquiry_of(pool=pool))
    row = Ranking.objects.filter(run__pools=pool).order_by("pk").first()
    contributions = {
        run_row["run"]: run_row["n_brought"] for run_row in value_of(pool)["directions"][0]["runs"]
    }
    Ranking.objects.filter(pk=row.pk).update(targets=[-7, *row.targets[1:]])
    assert works.compute_anew(pool_bias.inquiry_of(pool=pool))
    run_row = {run_row["run"]: run_row for run_row in value_of(pool)["directions"][0]["runs"]}[
        row.run_id
    ]
    assert run_row["n_brought"] == contributions[row.run_id]
    assert run_row["n_judged"] == run_row["n_brought"] - 1


def test_stop_advice_is_undefined_with_few_labels_and_says_what_the_last_labels_changed(
    pool, monkeypatch
):
    works.compute_anew(pool_bias.inquiry_of(pool=pool))
    (panel,) = page_of(
        pool=pool, bias=kept.find(inquiry=pool_bias.inquiry_of(pool=pool)), measure=None
    ).directions
    assert (panel.advice.state, panel.advice.look_backs) == ("undefined", [])
    assert len(panel.advice.neighbours) == 2
    Kept.objects.all().delete()
    monkeypatch.setattr(pool_bias, "LOOK_BACKS", (1, 20))
    works.compute_anew(pool_bias.inquiry_of(pool=pool))
    (panel,) = page_of(
        pool=pool, bias=kept.find(inquiry=pool_bias.inquiry_of(pool=pool)), measure="AP"
    ).directions
    assert [(look_back.n_labels, look_back.n_pairs) for look_back in panel.advice.look_backs] == [
        (1, 1),
        (20, 20),
    ]


def test_looking_back_takes_away_the_pairs_that_the_last_labels_judged_first(pool, monkeypatch):
    monkeypatch.setattr(pool_bias, "LOOK_BACKS", (1, 20))
    study = gather(pool=pool)
    (direction,) = study.directions
    masks = pool_bias._masks(study, direction, contributions(direction), np.random.default_rng(0))
    scores = pool_bias._masked_scores(direction, masks, 1, lambda n: None)
    runs, labels = runs_and_labels(pool)
    last = np.stack([study.judgments.query, study.judgments.document], axis=1)[-20:].tolist()
    old = np.array(
        [
            [direction.sources[q], d] not in last
            for q, d in zip(labels.query, labels.doc, strict=True)
        ]
    )
    older = LabelledPairs(*(column[old] for column in labels))
    for s, run in enumerate(runs):
        plain_values = measures.evaluate(pool_bias.MEASURES, align(run, older), 1)
        assert scores.older[:, 1, s] == pytest.approx(
            [plain_values[m.name].mean() for m in pool_bias.MEASURES], abs=1e-12
        )


def test_whoever_looks_has_it_computed_once_in_a_while(pool):
    inquiry = pool_bias.inquiry_of(pool=pool)
    with works.value_requests() as requests:
        assert not kept.look(inquiry=inquiry).is_fresh
        assert not kept.look(inquiry=inquiry).is_fresh
        assert requests == [inquiry]
    works.compute_anew(inquiry)
    assert kept.look(inquiry=inquiry).is_fresh


def test_the_page_waits_then_shows_every_run_measure_and_state(
    client, pool, django_assert_max_num_queries
):
    collection = pool.collection
    client.force_login(cast.member(collection, Role.LEAD))
    address = f"/c/{collection.slug}/judging/pools/{pool.pk}/favours/"
    assert "Going through the labels" in text_of(client.get(address))
    works.compute_anew(pool_bias.inquiry_of(pool=pool))
    assert client.get(f"{address}state/")["HX-Redirect"] == address
    with django_assert_max_num_queries(12):
        page = text_of(client.get(address, {"measure": "AP"}))
    assert all(
        text in page
        for text in ("Judged@3", "Not defined yet", "Move to front", "Runs pooled", "A above"[:2])
    )
    assert client.get(address, {"measure": "nonsense"}).status_code == 200


def test_both_directions_stand_apart(pool):
    rng = np.random.default_rng(1)
    back = factories.run(
        pool.collection,
        "back",
        {d: rng.permutation(N_QUERIES)[:5].tolist() for d in range(30)},
        "reverse",
    )
    both = factories.opened(pool.collection, [*pool.runs.all(), back], name="both", depth=2)
    value = value_of(both)
    assert [direction["direction"] for direction in value["directions"]] == [
        Direction.FORWARD,
        Direction.REVERSE,
    ]
    assert [direction["n_queries"] for direction in value["directions"]] == [N_QUERIES, 30]
    assert value["directions"][1]["bias"]["AP"][0]["non_self"] is None
