"""Scores over queries that a pool drew by strata: means over their population, as pages say."""

import csv
import io

import numpy as np
import pytest
from django.utils import timezone

from annotate.models import Change, Direction, Item, Part, QuerySet, Role
from annotate.services.background import kept
from annotate.services.collection.query_sets import complete_query_sets
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import mean_intervals
from metrics.core.statistics.stratified_means import StratifiedDraw, stratified_intervals
from metrics.models import Score
from metrics.services.leaderboard.choices.parameters import read_choices, read_comparison
from metrics.services.numbers import refresh
from metrics.services.pool_bias import study as pool_bias
from metrics.services.scores import query_groups
from tests import cast, works
from tests.metrics import studies
from tests.metrics.services.leaderboard import boards
from tests.pages import text_of
from tests.pooling import factories
from tests.tables.fixture_cache import cached_rows

pytestmark = pytest.mark.django_db
N_LONG, N_QUERIES = 4, 16  # queries of many words, and all


@pytest.fixture
def drawn_study(media_root):
    return drawn_by_length()


@cached_rows
def drawn_by_length():
    """Sixteen queries, four of them long.

    The pool drew four short and four long ones, and all its pairs are judged.
    """
    rng = np.random.default_rng(3)
    collection = factories.collection(N_QUERIES, 20, batch_candidates=500)
    complete_query_sets(collection=collection)
    queries = Item.objects.filter(collection=collection, side="query").order_by("pk")
    for number, query in enumerate(queries):
        Part.objects.filter(item=query).update(
            text="many words " * 9 if number < N_LONG else f"word {number}"
        )
    for name in "ab":
        factories.run(
            collection, name, {q: rng.permutation(20)[:8].tolist() for q in range(N_QUERIES)}
        )
    factories.opened(
        collection,
        list(collection.runs.all()),
        name="some",
        strategy="depth-k-sample",
        depth=5,
        n_sources=8,
        strata="length",
        n_strata=2,
        allocation="equal",
    )
    studies.judge(cast.annotator(collection), seed=1, likes=0.4)
    refresh.refresh(collection=collection)
    return collection


def weights_of(collection):
    """The weight of each drawn query: a fourth of the twelve short ones, or 1."""
    sources = collection.pools.get().pool_sources.order_by("item")
    long = set(Item.objects.filter(collection=collection, side="query").order_by("pk")[:N_LONG])
    return np.array(
        [1.0 if source.item in long else (N_QUERIES - N_LONG) / 4 for source in sources]
    )


def board_of(collection, parameters, reads=read_choices):
    spec = reads(
        collection=collection, viewer=None, parameters={"queries": "sample some", **parameters}
    ).spec
    boards.compute(collection=collection, spec=spec)
    return boards.find(collection=collection, spec=spec).value


def test_a_kept_mean_is_that_over_all_queries_by_strata(drawn_study):
    weight = weights_of(drawn_study)
    assert sorted(weight) == [1.0] * 4 + [3.0] * 4
    scores = Score.objects.filter(query_set__name="sample some", label_source="only")
    assert {score.n_queries for score in scores} == {8}
    for score in scores.exclude(measure="n_positive"):
        values = np.frombuffer(score.per_query, dtype="<f8")
        assert score.mean == pytest.approx(np.average(values, weights=weight), abs=1e-12)
        ((low, high),) = mean_intervals(
            values[None, :], are_shares=True, groups=Groups.of(np.arange(8), weight=weight)
        )
        assert (score.low, score.high) == pytest.approx((low, high), abs=1e-12)
    means = scores.filter(measure="AP").values_list("mean", flat=True)
    plain = [
        np.frombuffer(score.per_query, dtype="<f8").mean() for score in scores.filter(measure="AP")
    ]
    assert list(means) != pytest.approx(plain)
    assert {score.n_queries for score in Score.objects.filter(query_set__name="all")} == {N_QUERIES}


# kept scores, and measured ones
@pytest.mark.parametrize("measures", ["AP C@1", "AP P@5 MeanR MedR"])
def test_a_table_and_a_comparison_are_of_all_queries_too(drawn_study, measures):
    (forward,) = [
        side for side in board_of(drawn_study, {"measures": measures})["directions"] if side["runs"]
    ]
    assert (forward["groups"]["pool"], forward["groups"]["n_population"]) == ("some", N_QUERIES)
    weight = weights_of(drawn_study)
    stored = Score.objects.filter(query_set__name="sample some", label_source="only", measure="AP")
    values = {score.run_id: np.frombuffer(score.per_query, dtype="<f8") for score in stored}
    for run, cell in zip(forward["runs"], forward["measures"][0]["cells"], strict=True):
        assert cell["whole"] == pytest.approx(np.average(values[run], weights=weight), abs=1e-12)
    board = board_of(drawn_study, {"measure": "AP"}, read_comparison)
    assert board["means"] == pytest.approx(
        [cell["whole"] for cell in forward["measures"][0]["cells"]], abs=1e-12
    )
    assert board["difference"] == pytest.approx(board["means"][0] - board["means"][1], abs=1e-12)


def test_other_queries_that_happen_to_be_among_the_drawn_ones_are_no_sample(drawn_study):
    items = list(
        QuerySet.objects.get(name="sample some")
        .members.order_by("item")
        .values_list("item", flat=True)
    )
    arguments = {"collection": drawn_study, "direction": Direction.FORWARD}
    some, whole = np.array(items[:5]), np.array(items)
    assert query_groups.groups_of(**arguments, sources=some).weight is None
    assert query_groups.facts_of(**arguments, sources=some).n_population is None
    # of a table with a part of the sample
    part = query_groups.groups_of(**arguments, sources=some, whole=whole).weight
    weight = weights_of(drawn_study)[:5]
    assert part == pytest.approx(weight / weight.mean())


def test_a_query_that_is_excluded_after_the_draw_leaves_the_others_their_weights(drawn_study):
    items = np.array(
        QuerySet.objects.get(name="sample some")
        .members.order_by("item")
        .values_list("item", flat=True)
    )
    Item.objects.filter(pk=items[0]).update(excluded_at=timezone.now(), excluded_reason="broken")
    arguments = {"collection": drawn_study, "direction": Direction.FORWARD, "sources": items[1:]}
    weight = weights_of(drawn_study)[1:]
    assert query_groups.groups_of(**arguments).weight == pytest.approx(weight / weight.mean())
    assert query_groups.facts_of(**arguments).n_population == N_QUERIES


def test_opening_such_a_pool_has_the_scores_over_its_queries_made_anew(drawn_study):
    Change.objects.filter(collection=drawn_study).delete()
    arguments = {"strategy": "depth-k-sample", "depth": 2, "n_sources": 3}
    factories.opened(drawn_study, list(drawn_study.runs.all()), name="more", **arguments)
    assert Change.objects.filter(collection=drawn_study, pair=None).exists()


def test_the_page_and_its_csv_name_what_the_mean_is_of(drawn_study, client):
    board_of(drawn_study, {})
    client.force_login(cast.member(drawn_study, Role.RESEARCHER))
    page = text_of(
        client.get(f"/c/{drawn_study.slug}/results/leaderboard/", {"queries": "sample some"})
    )
    assert "The queries were drawn of 16 for pool “some”" in page
    table = client.get(
        f"/c/{drawn_study.slug}/results/leaderboard/table.csv", {"queries": "sample some"}
    ).content.decode()
    assert {line["n_population"] for line in csv.DictReader(io.StringIO(table))} == {"16"}
    page = text_of(client.get(f"/c/{drawn_study.slug}/results/leaderboard/"))
    assert "The queries were drawn of" not in page


def test_what_the_pool_favours_is_told_of_all_queries(drawn_study):
    pool = drawn_study.pools.get()
    works.compute_anew(pool_bias.inquiry_of(pool=pool))
    side = kept.find(inquiry=pool_bias.inquiry_of(pool=pool)).value["directions"][0]
    scores = {
        score.run_id: score.mean
        for score in Score.objects.filter(
            query_set__name="sample some", label_source="only", measure="AP"
        )
    }
    assert {run["run"]: run["scores"]["AP"]["score"] for run in side["runs"]} == pytest.approx(
        scores, abs=1e-12
    )


def test_intervals_of_the_very_queries_know_how_many_were_drawn(drawn_study, client):
    board = board_of(drawn_study, {"target": "these", "measures": "AP C@1"})
    (forward,) = [side for side in board["directions"] if side["runs"]]
    weight = weights_of(drawn_study)
    # the four long ones were drawn whole
    draw = StratifiedDraw((weight == 1.0).astype(int), np.array([12.0, 4.0]))
    stored = Score.objects.filter(query_set__name="sample some", label_source="only")
    for measure in forward["measures"]:
        for run, cell in zip(forward["runs"], measure["cells"], strict=True):
            values = np.frombuffer(
                stored.get(run=run, measure=measure["name"]).per_query, dtype="<f8"
            )
            (expected,) = stratified_intervals(values[None, :], draw, are_shares=True)
            assert (cell["low"], cell["high"]) == expected
            assert cell["whole"] == pytest.approx(np.average(values, weights=weight), abs=1e-12)
    client.force_login(cast.member(drawn_study, Role.RESEARCHER))
    parameters = {"queries": "sample some", "target": "these", "measures": "AP C@1"}
    page = text_of(client.get(f"/c/{drawn_study.slug}/results/leaderboard/", parameters))
    assert "of the mean over the 16 queries that these were drawn of" in page


def test_a_score_of_all_queries_has_no_interval_of_these_very_queries(drawn_study, client):
    (forward,) = [
        side
        for side in board_of(drawn_study, {"target": "these", "queries": "all"})["directions"]
        if side["runs"]
    ]
    assert {cell["low"] for measure in forward["measures"] for cell in measure["cells"]} == {None}
    client.force_login(cast.member(drawn_study, Role.RESEARCHER))
    page = text_of(client.get(f"/c/{drawn_study.slug}/results/leaderboard/", {"target": "these"}))
    assert "no interval: a score is that of these very queries" in page
