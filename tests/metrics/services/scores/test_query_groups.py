"""Captions of one video count together: in intervals, tests, stop advice, agreement, on pages."""

import numpy as np
import pytest
from django.urls import reverse

from annotate.models import Collection, Direction, Item, Kept, Part, QuerySet, Role
from annotate.services.background import kept
from annotate.services.collection.collections import change_query_groups
from metrics.core.agreement import agreement
from metrics.core.agreement.counts import group
from metrics.core.agreement.unit_samples import GroupedUnits
from metrics.core.comparisons.run_comparison import METHODS
from metrics.core.comparisons.significance import paired_test
from metrics.core.comparisons.swaps import reer_paired, reversal
from metrics.core.measures.measures import parse_one
from metrics.core.statistics.groups import Groups, design
from metrics.core.statistics.intervals import mean_intervals
from metrics.models import Score, Snapshot
from metrics.services.dashboard import details as dashboard_details
from metrics.services.leaderboard.choices.parameters import read_choices, read_comparison
from metrics.services.leaderboard.comparison import N_SAMPLES
from metrics.services.leaderboard.decisions import decision_facts
from metrics.services.numbers import refresh
from metrics.services.pool_bias import inputs
from metrics.services.pool_bias import study as pool_bias
from metrics.services.scores import labels, query_groups
from tests import cast, works
from tests.metrics import studies
from tests.metrics.services.leaderboard import boards
from tests.pages import text_of
from tests.tables.fixture_cache import cached_rows

pytestmark = pytest.mark.django_db
N_QUERIES, N_DOCUMENTS = 14, 5
GROUPS = Groups.of(np.arange(N_QUERIES) % N_DOCUMENTS)


@cached_rows
def captions_of_videos() -> Collection:
    """A study of 14 captions of 5 videos, judged by two people."""
    collection = studies.study("videos", n_queries=N_QUERIES, n_documents=N_DOCUMENTS)
    documents = Item.objects.filter(collection=collection, side="document")
    Part.objects.filter(item__in=documents).delete()
    Part.objects.bulk_create(
        Part(item=item, position=0, kind="video", path="a.webm") for item in documents
    )
    for seed in range(2):
        studies.judge(cast.annotator(collection), seed=seed, likes=0.5)
    refresh.refresh(collection=collection)
    return collection


@pytest.fixture
def videos(media_root):
    return captions_of_videos()


def grouped(collection, direction=Direction.FORWARD):
    """The groups of the query set "all", as numbers."""
    query_set = QuerySet.objects.get(collection=collection, name="all", direction=direction)
    arguments = {
        "collection": collection,
        "direction": direction,
        "sources": labels.scope_of(query_set=query_set).sources,
    }
    return (
        query_groups.groups_of(**arguments),
        query_groups.facts_of(**arguments),
        query_groups.names_of(**arguments),
    )


def board_of(collection, parameters, reads=read_choices):
    """The view that the background computes for a leaderboard, or for a comparison."""
    spec = reads(collection=collection, viewer=None, parameters=parameters).spec
    boards.compute(collection=collection, spec=spec)
    return boards.find(collection=collection, spec=spec).value


# ---- which queries belong together


def test_captions_belong_to_the_video_their_reference_links_them_to(videos):
    groups, facts, names = grouped(videos)
    assert groups.of_query.tolist() == GROUPS.of_query.tolist()
    assert facts.text == "14 captions of 5 videos"
    assert facts.choice == "Which captions belong together is said by the reference labels."
    first = Item.objects.filter(collection=videos, side="document").order_by("pk").first()
    assert names[0] == f"document:{first.external_id}"


def test_a_video_with_several_captions_stands_by_itself_in_the_reverse_direction(videos):
    groups, facts, names = grouped(videos, Direction.REVERSE)
    assert groups.are_single
    assert (facts.text, facts.choice) == ("5 documents", "")
    assert {name.partition(":")[0] for name in names} == {"document"}


def test_a_query_that_several_documents_answer_alike_stands_by_itself_and_the_oldest_set_decides(
    videos,
):
    queries, documents = (
        list(Item.objects.filter(collection=videos, side=side).order_by("pk"))
        for side in ("query", "document")
    )
    later = {(query.external_id, documents[0].external_id): 2 for query in queries}
    studies.reference(videos, later, "later")
    assert grouped(videos)[0].of_query.tolist() == GROUPS.of_query.tolist()
    original = videos.reference_sets.get(name="original")
    # as good as its own: no one document
    original.labels.create(query=queries[0], document=documents[4], grade=2)
    # positive, but not as good
    original.labels.create(query=queries[1], document=documents[4], grade=1)
    query_groups._best_targets.cache_clear()
    group_of = grouped(videos)[0].of_query
    assert (group_of == group_of[0]).sum() == 1
    assert group_of[1] == group_of[6]


def test_a_set_that_calls_nothing_of_a_query_positive_leaves_it_to_a_later_one(videos):
    query = Item.objects.filter(collection=videos, side="query").order_by("pk").first()
    document = Item.objects.filter(collection=videos, side="document").order_by("pk").last()
    videos.reference_sets.get(name="original").labels.filter(query=query).update(grade=0)
    studies.reference(videos, {(query.external_id, document.external_id): 2}, "later")
    query_groups._best_targets.cache_clear()
    group_of = grouped(videos)[0].of_query
    assert group_of[0] == group_of[4]


def test_a_negative_reference_label_links_nothing(videos):
    original = videos.reference_sets.get(name="original")
    original.labels.update(grade=0)
    query_groups._best_targets.cache_clear()
    assert grouped(videos)[0].are_single


def test_queries_that_are_no_text_are_no_captions_and_documents_of_several_kinds_are_documents(
    videos,
):
    queries = Item.objects.filter(collection=videos, side="query")
    Part.objects.filter(item=queries.first()).delete()
    Part.objects.create(item=queries.first(), position=0, kind="image", path="a.png")
    assert grouped(videos)[1].text == "14 queries of 5 videos"
    document = Item.objects.filter(collection=videos, side="document").first()
    Part.objects.filter(item=document).delete()
    Part.objects.create(item=document, position=0, kind="image", path="a.png")
    assert grouped(videos)[1].text == "14 queries of 5 documents"


def test_the_column_of_the_upload_and_none_can_be_chosen(videos):
    queries = Item.objects.filter(collection=videos, side="query").order_by("pk")
    for query in queries[:4]:
        Item.objects.filter(pk=query.pk).update(group="indoor")
    change_query_groups(collection=videos, query_groups="column")
    videos.refresh_from_db()
    groups, facts, names = grouped(videos)
    assert groups.size.tolist() == [4, *[1] * 10]
    assert facts.text == "14 queries of 11 groups"
    assert names[3:5] == ["group:indoor", f"query:{queries[4].external_id}"]
    change_query_groups(collection=videos, query_groups="none")
    videos.refresh_from_db()
    groups, facts, names = grouped(videos)
    assert groups.are_single
    assert (facts.text, facts.choice) == (
        "14 queries",
        "Each of the queries is taken by itself, as chosen in Settings.",
    )
    assert names == [f"query:{query.external_id}" for query in queries]


@pytest.mark.parametrize(
    ("n_groups", "n_effective", "caution"),
    [
        (5, 4.9, "With 5 videos such intervals and tests are rough."),
        (5, None, "With 5 videos such intervals and tests are rough."),
        (100, 40.0, ""),
        (
            100,
            16.4,
            (
                "The 100 videos differ so much in size that they count as about 16: intervals and "
                "tests other than randomization are too sure."
            ),
        ),
        (
            101,
            4.1,
            (
                "The 101 videos differ so much in size that they count as about 4: there are no "
                "such intervals, and tests other than randomization are too sure."
            ),
        ),
    ],
)
def test_few_groups_are_told_and_so_are_those_that_count_as_few(n_groups, n_effective, caution):
    facts = query_groups.GroupFacts(
        "reference", 999, n_groups, "captions", "videos", n_effective=n_effective
    )
    assert facts.caution == caution


@pytest.mark.parametrize(
    ("n", "n_effective", "caution"),
    [
        (1, None, ""),
        (2, None, "With 2 captions intervals are rough."),
        (24, 24.0, "With 24 captions intervals are rough."),
        (25, 25.0, ""),
        (25, None, ""),
        (
            60,
            12.4,
            "Some captions stand for many, so that all count as about 12: intervals are rough.",
        ),
        (60, 4.1, "A few captions stand for nearly all, which count as 4: there are no intervals."),
    ],
)
def test_few_queries_that_stand_by_themselves_are_told(n, n_effective, caution):
    facts = query_groups.GroupFacts("none", n, n, "captions", "videos", n_effective=n_effective)
    assert facts.caution == caution


def test_groups_count_by_their_sizes(videos):
    groups, facts, _ = grouped(videos)
    assert facts.n_effective == groups.n_effective == pytest.approx(14**2 / (4 * 3**2 + 2**2))


# ---- what goes by them


def test_intervals_of_scores_draw_videos_and_follow_the_choice(videos):
    scores = Score.objects.filter(run__name="alpha", measure="AP").order_by("label_source")
    before = {}
    for score in scores:
        values = np.frombuffer(score.per_query, dtype="<f8")
        ((low, high),) = mean_intervals(values[None, :], are_shares=True, groups=GROUPS)
        assert (score.low, score.high) == (low, high)
        assert mean_intervals(values[None, :], are_shares=True) != [(low, high)]
        before[score.label_source] = (score.mean, score.inputs_sha256)
    change_query_groups(collection=videos, query_groups="none")
    refresh.refresh(collection=videos)
    for score in scores.all():
        values = np.frombuffer(score.per_query, dtype="<f8")
        assert (score.low, score.high) == mean_intervals(values[None, :], are_shares=True)[0]
        mean, inputs_sha256 = before[score.label_source]
        assert score.mean == mean
        assert score.inputs_sha256 != inputs_sha256


def test_rebuilt_numbers_are_the_live_ones(videos):
    live = studies.numbers(videos)
    refresh.rebuild(collection=videos)
    assert studies.numbers(videos) == live


def test_where_each_query_has_a_document_of_its_own_the_choice_changes_no_number_of_a_score(
    media_root,
):
    collection = studies.judged_study("alone", n_queries=6, n_documents=9)
    before = studies.numbers(collection)["scores"]
    change_query_groups(collection=collection, query_groups="none")
    refresh.refresh(collection=collection)
    assert studies.numbers(collection)["scores"] == before


@pytest.mark.parametrize("measures", ["AP C@1", "AP P@5"])  # kept scores, and measured ones
def test_the_leaderboard_tells_of_videos_and_of_how_alike_their_captions_are(videos, measures):
    board = board_of(videos, {"measures": measures})
    forward, reverse_ = board["directions"]
    assert forward["groups"]["n_groups"] == 5
    assert reverse_["groups"]["n_groups"] == 5
    cell = forward["measures"][0]["cells"][0]
    values = np.frombuffer(
        Score.objects.get(run__name="alpha", measure="AP", label_source="over:original").per_query
    )
    assert (cell["icc"], cell["deff"]) == design(values, GROUPS)
    assert (cell["low"], cell["high"]) == mean_intervals(
        values[None, :], are_shares=True, groups=GROUPS
    )[0]
    assert reverse_["measures"][0]["cells"][0]["icc"] is None


@pytest.mark.parametrize("method", METHODS)
def test_four_groups_of_which_one_turns_decide_nothing_though_their_sixty_queries_would(method):
    """The first run leads by .3 in three groups of fifteen and trails by as much in the fourth."""
    noise = np.random.default_rng(0).normal(0, 0.01, (60, 2))
    scores = noise + np.stack([np.repeat([0.8, 0.8, 0.8, 0.2], 15), np.full(60, 0.5)], axis=1)
    arguments = {"measure": parse_one("AP"), "scores": scores, "runs": [1, 2], "method": method}
    assert decision_facts(groups=Groups.single(60), **arguments)["pairs"] == [[1, 2]]
    assert decision_facts(groups=Groups.of(np.repeat(np.arange(4), 15)), **arguments)["pairs"] == []


def test_two_runs_are_compared_over_videos(videos):
    first, second = (
        np.frombuffer(
            Score.objects.get(run__name=name, measure="AP", label_source="over:original").per_query
        )
        for name in ("alpha", "beta")
    )
    runs = {run.name: str(run.pk) for run in videos.runs.all()}
    board = board_of(
        videos, {"a": runs["alpha"], "b": runs["beta"], "measure": "AP"}, read_comparison
    )
    for test in board["tests"]:
        expected = paired_test(test["name"], first, second, groups=GROUPS, n_samples=N_SAMPLES)
        assert (test["p"], test["n"] + test["n_tied"]) == (expected.p_value, 5)
    assert board["icc"] == design(first - second, GROUPS).icc
    shares = GROUPS.shares(np.stack([first, second], axis=1)).T
    assert board["swaps"] == {"reversal": reversal(*shares), "reer": reer_paired(*shares)}


def test_stop_advice_draws_videos_and_is_looked_at_again_when_the_choice_changes(videos):
    pool = videos.pools.get()
    pool.strategy, pool.parameters = "depth-k", {"depth": 3}
    pool.save()
    pool.runs.set(videos.runs.filter(direction="forward"))
    assert works.compute_anew(pool_bias.inquiry_of(pool=pool))
    assert not works.compute_anew(pool_bias.inquiry_of(pool=pool))
    side = kept.find(inquiry=pool_bias.inquiry_of(pool=pool)).value["directions"][0]
    assert side["groups"]["n_groups"] == 5
    study = inputs.gather(pool=pool)
    assert study.directions[0].groups.size.tolist() == GROUPS.size.tolist()
    change_query_groups(collection=videos, query_groups="none")
    pool = type(pool).objects.get(pk=pool.pk)
    assert works.compute_anew(pool_bias.inquiry_of(pool=pool))


def test_stop_advice_is_sure_of_an_order_that_holds_in_each_of_two_groups(videos):
    pool = videos.pools.get()
    pool.strategy, pool.parameters = "depth-k", {"depth": 3}
    pool.save()
    pool.runs.set(videos.runs.filter(direction="forward"))
    first, second = (
        np.frombuffer(
            Score.objects.get(run__name=name, measure="AP", label_source="over:original").per_query
        )
        for name in ("alpha", "beta")
    )
    queries = list(Item.objects.filter(collection=videos, side="query").order_by("pk"))
    # to and fro, so that both groups lean as all do
    for position, number in enumerate(np.argsort(first - second)):
        Item.objects.filter(pk=queries[number].pk).update(group="ab"[position % 4 in (1, 2)])
    shares = {}
    for grouping in ("none", "column"):
        change_query_groups(collection=videos, query_groups=grouping)
        works.compute_anew(pool_bias.inquiry_of(pool=type(pool).objects.get(pk=pool.pk)))
        (row,) = kept.find(inquiry=pool_bias.inquiry_of(pool=pool)).value["directions"][0]["stop"][
            "AP"
        ]["neighbours"]
        shares[grouping] = row["share"]
    assert shares["none"] < 0.9
    assert shares["column"] == 1


def test_alphas_interval_draws_videos_on_the_dashboard_and_in_its_parts(videos):
    value = Snapshot.objects.get(collection=videos, kind="agreement").value
    alpha = value["all"]["ordinal"]
    rows = videos.judgments.values_list("pair", "pair__query__external_id", "level__grade")
    pairs = sorted({(pair, query) for pair, query, _ in rows})
    counts = np.zeros((len(pairs), 3), dtype=np.int64)
    for pair, query, grade in rows:
        counts[pairs.index((pair, query)), grade] += 1
    queries = [
        item.external_id
        for item in Item.objects.filter(collection=videos, side="query").order_by("pk")
    ]
    of_pair = np.array([queries.index(query) % N_DOCUMENTS for _, query in pairs])
    unit_counts = group(counts, np.arange(3))
    expected = agreement.alpha_of_counts(
        unit_counts,
        level="ordinal",
        n_replicates=1000,
        grouped_units=GroupedUnits.of(counts, of_pair, unit_counts),
    )
    assert alpha == expected._asdict() | {"level": "ordinal"}
    assert (alpha["n_groups"], value["drawn"]) == (5, "videos")
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=videos))
    (pool,) = Kept.objects.get(collection=videos, kind=dashboard_details.KIND).value["by_pool"]
    assert [pool["alpha"]["ordinal"][end] for end in ("low", "high")] == [
        alpha["low"],
        alpha["high"],
    ]


def test_the_pages_say_captions_of_videos(videos, client):
    client.force_login(cast.member(videos, Role.RESEARCHER))
    page = text_of(client.get(reverse("metrics:leaderboard", args=[videos.slug])))
    # before a view was computed
    assert "what other videos like these would give, labels taken as right" in page
    board_of(videos, {})
    page = text_of(client.get(reverse("metrics:leaderboard", args=[videos.slug])))
    assert "14 captions of 5 videos" in page
    assert "what other videos like these would give, labels taken as right" in page
    assert "Design effect" in page and "ICC" in page
    client.force_login(cast.member(videos, Role.LEAD))
    page = text_of(client.get(reverse("metrics:dashboard-tab", args=[videos.slug, "agreement"])))
    assert ">bootstrap<" in page and "</span> over videos" in page
    assert "1,000 samples of 5 videos, seed 5" in page
