"""Scores of a leaderboard estimated from samples equal those by hand and on the pool's page."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from django.http import QueryDict

from annotate.models import Direction, Item, QuerySet, Resolution
from annotate.services.background import kept
from annotate.services.collection.query_sets import complete_query_sets
from metrics.core.measures.measures import parse
from metrics.core.statistics.intervals import mean_intervals
from metrics.services.leaderboard.choices.parameters import read_choices, read_comparison
from metrics.services.numbers import refresh
from metrics.services.pool_bias import study as pool_bias
from metrics.services.pool_bias.page import page_of
from metrics.services.samples.estimates import estimates_of
from metrics.services.samples.pairs import sample_of
from metrics.services.scores import labels
from pooling.models import PoolPair
from pooling.services.pools import run_retirement
from tests import cast, works
from tests.metrics import studies
from tests.metrics.services.leaderboard import boards
from tests.pooling import factories
from tests.tables.fixture_cache import cached_rows

pytestmark = pytest.mark.django_db
N_QUERIES, N_DOCUMENTS = 6, 30


@pytest.fixture
def sampled(media_root):
    return overlapping()


@cached_rows
def overlapping():
    """Three runs over 6 queries and two samples that share a run, judged but for a few pairs."""
    rng = np.random.default_rng(11)
    collection = factories.collection(N_QUERIES, N_DOCUMENTS, batch_candidates=500)
    complete_query_sets(collection=collection)
    ranked = {
        name: {q: rng.permutation(N_DOCUMENTS)[:12].tolist() for q in range(N_QUERIES)}
        for name in "abc"
    }
    a, b, c = (factories.run(collection, name, rows) for name, rows in ranked.items())
    factories.opened(
        collection, [a, b], name="one", strategy="stratified", top=1, depth=8, share=0.5
    )
    factories.opened(
        collection, [b, c], name="two", strategy="stratified", top=2, depth=6, share=0.4
    )
    studies.judge(cast.annotator(collection), seed=1, likes=0.4)
    refresh.refresh(collection=collection)
    return collection


def board_of(collection, measures="", reads=read_choices, **parameters):
    spec = reads(
        collection=collection, viewer=None, parameters={"measures": measures, **parameters}
    ).spec
    boards.compute(collection=collection, spec=spec)
    value = boards.find(collection=collection, spec=spec).value
    return (
        value
        if "directions" not in value
        else next(side for side in value["directions"] if side["runs"])
    )


def estimated(collection, run, measures, reference=None):
    """The values a query of each measure."""
    scope = labels.scope_of(
        query_set=QuerySet.objects.get(collection=collection, name="all", direction="forward")
    )
    people = labels.within(
        labels.people_grades(collection=collection, direction=Direction.FORWARD), scope
    )
    labelled = (
        people
        if reference is None
        else labels.within(
            labels.labels_of(
                collection=collection, direction=Direction.FORWARD, label_source=reference
            ),
            scope,
        )
    )
    alone = reference and labels.labels_of(
        collection=collection, direction=Direction.FORWARD, label_source=reference.reference
    )
    sample = sample_of(collection=collection, scope=scope, labels=labelled, reference=alone)
    level = collection.positive_from
    return estimates_of(
        run=run, scope=scope, sample=sample, measures=parse(measures), threshold=level
    ).values


def by_hand(collection, run, k, certain=frozenset(), lost_pairs=frozenset()):
    """P@k per query: a judged pair counts 1 / (its chance x the judged share of drawn pairs).

    certain : pairs whose label does not hang on a draw; lost_pairs : pairs that left the strata of
        pool "one"
    """
    resolutions = Resolution.objects.filter(collection=collection, grade__isnull=False)
    grades = {(row.pair.query_id, row.pair.document_id): row.grade for row in resolutions}
    chance, cells, drawn_pairs = {}, {}, set()
    for pool in collection.pools.filter(strategy="stratified").order_by("pk"):
        own = set(
            PoolPair.objects.filter(pool=pool).values_list(
                "pair__query", "pair__document", "stratum"
            )
        )
        left = lost_pairs if pool.name == "one" else set()
        for row in pool.strata.all():
            here = {
                (q, d) for q, d, stratum in own if (q, stratum) == (row.source_id, row.stratum)
            } - left
            cell = here | {(row.source_id, d) for d in row.undrawn} - left
            for pair in cell:
                missed = 1 - Fraction(row.n_drawn, row.n_pooled)
                chance[pair] = 1 - (1 - chance.get(pair, Fraction(0))) * missed
                cells[pair] = (*cells.get(pair, ()), (pool.pk, row.stratum))
            drawn_pairs |= here
    uncertain_pairs = [pair for pair in drawn_pairs if pair not in certain]
    n_drawn = Counter(cells[pair] for pair in uncertain_pairs)
    n_judged = Counter(cells[pair] for pair in uncertain_pairs if pair in grades)
    rankings = {row.source_id: row.targets[:k] for row in run.rankings.order_by("source")}
    values = []
    for q, targets in sorted(rankings.items()):
        total = Fraction(0)
        for pair in ((q, d) for d in targets):
            if grades.get(pair, -1) < collection.positive_from:
                continue
            if pair in certain:
                total += 1
            elif pair in drawn_pairs:
                total += 1 / chance[pair] * Fraction(n_drawn[cells[pair]], n_judged[cells[pair]])
        values.append(float(total / k))
    return values


def unjudge(collection, n):
    """Take some resolutions back, as if those pairs were not judged yet."""
    rows = Resolution.objects.filter(collection=collection, grade__isnull=False).order_by("pk")[
        ::5
    ][:n]
    Resolution.objects.filter(pk__in=[row.pk for row in rows]).delete()


def test_precision_is_estimated_by_the_chance_of_overlapping_samples_and_what_is_judged(sampled):
    unjudge(sampled, 4)
    for run in sampled.runs.order_by("name"):
        for k in (3, 10):
            (values,) = estimated(sampled, run, f"P@{k}")
            assert values == pytest.approx(by_hand(sampled, run, k), abs=1e-12)


def test_precision_at_a_grade_of_its_own_is_estimated_at_that_grade(sampled):
    collection_threshold, own_threshold = estimated(
        sampled, sampled.runs.get(name="a"), "P@3 P(rel=2)@3"
    )
    assert np.nanmax(collection_threshold) > 0
    assert np.nanmax(own_threshold) == 0  # no label of these is above 1


def test_what_a_whole_pool_holds_is_known_whatever_was_drawn(sampled):
    run = sampled.runs.get(name="a")
    whole = factories.opened(sampled, [run], name="whole", depth=4)
    studies.judge(cast.annotator(sampled), seed=2, likes=0.4)
    pairs = set(PoolPair.objects.filter(pool=whole).values_list("pair__query", "pair__document"))
    samples = sampled.pools.filter(strategy="stratified")
    drawn_pairs = set(
        PoolPair.objects.filter(pool__in=samples).values_list("pair__query", "pair__document")
    )
    # queries of which the pool holds what no sample drew: all of it is judged
    beside = {q for q, _ in pairs - drawn_pairs}
    certain = {(q, d) for q, d in pairs if q in beside}
    assert 0 < len(certain) < len(pairs)
    (values,) = estimated(sampled, run, "P@10")
    assert values == pytest.approx(by_hand(sampled, run, 10, certain=certain), abs=1e-12)
    assert values != pytest.approx(by_hand(sampled, run, 10), abs=1e-6)


def test_what_a_whole_pool_holds_and_nobody_judged_yet_changes_nothing(sampled):
    run = sampled.runs.get(name="a")
    (before,) = estimated(sampled, run, "P@6")
    factories.opened(sampled, [run], name="whole", depth=8)
    assert estimated(sampled, run, "P@6")[0] == pytest.approx(before, abs=1e-12)


def test_a_run_that_goes_beyond_the_samples_leaves_nothing_to_estimate_without_bias(sampled):
    assert [measure["kind"] for measure in board_of(sampled, "P@6 P@7")["measures"]] == [
        "unbiased",
        "not estimable",
    ]
    factories.run(
        sampled, "out", {q: list(range(N_DOCUMENTS - 1, -1, -1)) for q in range(N_QUERIES)}
    )
    assert [measure["kind"] for measure in board_of(sampled, "P@6")["measures"]] == [
        "not estimable"
    ]
    chosen = [str(run.pk) for run in sampled.runs.exclude(name="out")]
    parameters = QueryDict(mutable=True)
    parameters.setlist("run", chosen)
    parameters["measures"] = "P@6"
    spec = read_choices(collection=sampled, viewer=None, parameters=parameters).spec
    boards.compute(collection=sampled, spec=spec)
    value = boards.find(collection=sampled, spec=spec).value
    side = next(side for side in value["directions"] if side["runs"])
    assert [measure["kind"] for measure in side["measures"]] == ["unbiased"]


def test_what_infers_from_strata_waits_for_a_label_in_each(media_root):
    collection = one_pool()
    run = collection.runs.get(name="a")
    first = Item.objects.filter(collection=collection, side="query").order_by("pk").first()
    (before,) = estimated(collection, run, "nDCG")
    assert np.isfinite(before).all()
    Resolution.objects.filter(collection=collection, pair__query=first).delete()
    (after,) = estimated(collection, run, "nDCG")
    assert np.isnan(after[0])
    assert after[1:] == pytest.approx(before[1:])


def test_a_reference_label_stands_for_itself(sampled):
    run = sampled.runs.get(name="c")
    names = dict(Item.objects.filter(collection=sampled).values_list("pk", "external_id"))
    drawn_pairs = PoolPair.objects.filter(pool__collection=sampled).values_list(
        "pair__query", "pair__document"
    )
    pairs = sorted(set(drawn_pairs))[::3]
    cast.reference(sampled, {(names[q], names[d]): 1 for q, d in pairs}, "original")
    choices = read_choices(collection=sampled, viewer=None, parameters={"labels": "over:original"})
    (values,) = estimated(sampled, run, "P@10", reference=choices.source)
    judged_pairs = {
        (row.pair.query_id, row.pair.document_id)
        for row in Resolution.objects.filter(collection=sampled)
    }
    # so people's grades stand, and the labels are there whatever is drawn
    assert set(pairs) <= judged_pairs
    assert values == pytest.approx(by_hand(sampled, run, 10, certain=set(pairs)), abs=1e-12)


def test_a_leaderboard_shows_what_the_page_of_its_one_pool_says(media_root):
    collection = one_pool()
    pool = collection.pools.get()
    works.compute_anew(pool_bias.inquiry_of(pool=pool))
    sample = (
        page_of(pool=pool, bias=kept.find(inquiry=pool_bias.inquiry_of(pool=pool)), measure=None)
        .directions[0]
        .sample
    )
    rows = {row.name: row for row in sample.rows}
    side = board_of(collection, "AP nDCG P@8 RBP(p=0.5) RBP P@9")
    kinds = ["approximate", "approximate", "unbiased", "unbiased", "not estimable", "not estimable"]
    assert [measure["kind"] for measure in side["measures"]] == kinds  # the pool is eight deep
    names = dict(collection.runs.values_list("pk", "name"))
    cells = {
        measure["name"]: dict(
            zip((names[pk] for pk in side["runs"]), measure["cells"], strict=True)
        )
        for measure in side["measures"]
    }
    for name, row in rows.items():
        assert cells["AP"][name]["whole"] == pytest.approx(row.xinfap, abs=1e-12)
        assert cells["nDCG"][name]["whole"] == pytest.approx(row.infndcg, abs=1e-12)
        assert cells["P@8"][name]["whole"] == pytest.approx(row.precision.mean, abs=1e-12)
        (values,) = estimated(collection, collection.runs.get(name=name), "P@8")
        low, high = mean_intervals(values[None, :], are_shares=False)[0]
        assert (cells["P@8"][name]["low"], cells["P@8"][name]["high"]) == pytest.approx(
            (low, high), abs=1e-12
        )


@cached_rows
def one_pool():
    rng = np.random.default_rng(5)
    collection = factories.collection(N_QUERIES, N_DOCUMENTS, batch_candidates=500)
    complete_query_sets(collection=collection)
    rows = [
        {q: rng.permutation(N_DOCUMENTS)[:12].tolist() for q in range(N_QUERIES)} for _ in range(2)
    ]
    runs = [
        factories.run(collection, name, ranked) for name, ranked in zip("ab", rows, strict=True)
    ]
    factories.opened(collection, runs, strategy="stratified", top=2, depth=8, share=0.5)
    studies.judge(cast.annotator(collection), seed=1, likes=0.4)
    refresh.refresh(collection=collection)
    return collection


def test_two_runs_are_compared_by_what_is_estimated_without_bias(sampled):
    runs = {run.name: run for run in sampled.runs.all()}
    parameters = {"measure": "P@6", "a": str(runs["a"].pk), "b": str(runs["b"].pk)}
    value = board_of(sampled, reads=read_comparison, **parameters)
    assert value["kind"] == "unbiased"
    means = [np.mean(estimated(sampled, runs[name], "P@6")[0]) for name in "ab"]
    assert value["means"] == pytest.approx(means, abs=1e-12)
    assert value["difference"] == pytest.approx(means[0] - means[1], abs=1e-12)


def test_a_cell_of_which_nothing_is_judged_yet_has_no_estimate(sampled):
    Resolution.objects.filter(collection=sampled).delete()
    (values,) = estimated(sampled, sampled.runs.get(name="a"), "P@10")
    assert np.isnan(values).all()
    refresh.refresh(collection=sampled)
    side = board_of(sampled, "P@6 AP")
    assert [measure["kind"] for measure in side["measures"]] == ["unbiased", "approximate"]
    assert [cell["whole"] for measure in side["measures"] for cell in measure["cells"]] == [
        None
    ] * 6
    assert side["measures"][0]["decided"]["why"] == "a stratum of which nothing is judged yet"


def test_pairs_that_only_a_retired_run_holds_leave_the_strata_unless_they_are_judged(sampled):
    retired, run = (sampled.runs.get(name=name) for name in "ab")
    before = estimated(sampled, run, "P@10")[0]
    run_retirement.retire_run(run=retired, by=cast.user())
    run_retirement.settle_marks(run=retired)
    assert estimated(sampled, run, "P@10")[0] == pytest.approx(before, abs=1e-12)
    dropped = Resolution.objects.filter(
        collection=sampled, pair__round_pairs__dropped_at__isnull=False
    )
    dropped.order_by("pk").first().delete()
    tops = [
        {(row.source_id, d) for row in run_of_two.rankings.all() for d in row.targets[:8]}
        for run_of_two in (retired, run)
    ]
    expected = by_hand(sampled, run, 10, lost_pairs=tops[0] - tops[1])
    assert estimated(sampled, run, "P@10")[0] == pytest.approx(expected, abs=1e-12)
    assert tops[0] - tops[1]


def test_a_sample_in_the_other_direction_leaves_nothing_to_estimate(sampled):
    documents = {
        d: [d % N_QUERIES, (d + 1) % N_QUERIES, (d + 2) % N_QUERIES] for d in range(N_DOCUMENTS)
    }
    back = factories.run(sampled, "back", documents, direction="reverse")
    factories.opened(sampled, [back], name="back", strategy="stratified", top=1, depth=3, share=0.5)
    side = board_of(sampled, "P@6 AP")
    assert {measure["kind"] for measure in side["measures"]} == {"not estimable"}
