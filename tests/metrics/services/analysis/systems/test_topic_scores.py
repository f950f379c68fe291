"""Scores topic by topic, from a study and from files: what misses is left out, or counts 0."""

import numpy as np
import pytest

from annotate.models import Duplicate, Item, ReferenceLabel, ReferenceSet, Role, Undrawn
from metrics.core.files.scores import ScoreTable
from metrics.score_files.requests import FileRequest, NotDefined
from metrics.score_files.systems.topic_scores import topic_scores_of_file
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.register import ANALYSES
from metrics.services.analysis.systems.topic_scores import topic_scores
from metrics.services.numbers import refresh
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    queries_of,
)
from tests.metrics.services.analysis.questions import chosen
from tests.metrics.services.analysis.systems.system_study import average_precision, system_study

pytestmark = pytest.mark.django_db
GAPS = np.array([[0.5, np.nan, 0.25], [0.25, 0.75, 0.5], [1.0, np.nan, 0.0], [0.0, 0.5, 0.75]])


@pytest.fixture
def study():
    return system_study()


def scores_of(collection, **choices):
    spec = ANALYSES["anova"].spec(chosen(collection, **choices))
    return topic_scores(AnalysisRequest(collection, spec, lambda done, total, unit: None))


def scores_of_file(values, *, names=("A", "B", "C"), missing="zero", groups=None):
    topics = [f"t{row}" for row in range(len(values))]
    table = ScoreTable(topics, list(names), np.asarray(values, dtype=np.float64), groups)
    return topic_scores_of_file(FileRequest(table, "tukey", missing))


def test_a_study_has_the_scores_of_trec_eval(study):
    scores = scores_of(study)
    expected = average_precision(study)
    assert scores.runs == list(expected) == ["alpha", "beta", "delta", "epsilon", "zeta"]
    assert scores.values == pytest.approx(np.array(list(expected.values())).T, abs=1e-12)
    assert scores.topics == [query.external_id for query in queries_of(study)]
    assert scores.teams == ["Blue", "", "", "", ""]
    assert (scores.measure, scores.smaller_is_better) == ("AP", False)
    assert (scores.topic_noun, scores.unit, scores.extent) == ("queries", "queries", "6 queries")
    assert scores.larger_better.tolist() == scores.values.tolist()


@pytest.mark.parametrize(
    ("missing", "shape", "extent", "outcome"),
    [
        ("zero", (6, 5), "6 queries", "which count 0"),
        ("runs", (6, 4), "6 queries", "and are left out"),
        ("queries", (4, 5), "4 of 6 queries", "so that 2 queries are left out"),
    ],
)
def test_queries_that_a_run_misses_are_treated_as_chosen(study, missing, shape, extent, outcome):
    scores = scores_of(study, missing=missing)
    expected = np.array(list(average_precision(study).values())).T
    if missing == "queries":
        expected = expected[2:]
    assert scores.values == pytest.approx(expected[:, : shape[1]], abs=1e-12)
    assert (len(scores.topics), len(scores.runs)) == shape and len(scores.teams) == shape[1]
    assert scores.extent == extent and scores.groups.n_queries == shape[0]
    assert scores.nouns.extent == f"{shape[1]} runs and {extent}"
    first, second = (query.external_id for query in queries_of(study)[:2])
    assert scores.notes[-2:] == [
        f"Runs that miss queries, {outcome}: zeta (2).",
        f"Queries that a run misses (2): {first}, {second}.",
    ]


@pytest.mark.parametrize(
    ("labels", "parts"),
    [
        ("over:original", {}),
        ("none:original", {"people": False}),
        ("only", {"reference": False}),
    ],
)
def test_each_label_source_scores_by_itself(study, labels, parts):
    scores = scores_of(study, labels=labels)
    expected = np.array(list(average_precision(study, **parts).values())).T
    assert scores.values == pytest.approx(expected, abs=1e-12)


def test_propagated_grades_count_and_are_told(study):
    before = scores_of(study)
    first, third = queries_of(study)[0], queries_of(study)[2]
    Duplicate.objects.create(collection=study, item=third, original=first, side="query")
    after = scores_of(study)
    assert after.values[2].tolist() != before.values[2].tolist()
    assert "2 pairs of duplicates take the grades of their originals." in after.notes


def test_excluded_items_are_no_topics_and_no_targets(study):
    items = [queries_of(study)[5], documents_of(study)[4]]
    Item.objects.filter(pk__in=[item.pk for item in items]).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    scores = scores_of(study)
    assert items[0].external_id not in scores.topics and scores.extent == "5 queries"
    # the fifth query's own document is gone, and with it its one positive but that of people
    labels = scores_of(study, labels="none:original")
    assert labels.values[4].tolist() == [0] * 5


def test_the_reverse_direction_has_documents_as_topics(study):
    studies.run(study, "delta reverse", direction="reverse", seed=5)
    scores = scores_of(study, direction="reverse")
    assert scores.runs == ["delta reverse", "gamma"]
    assert (scores.topic_noun, len(scores.topics)) == ("documents", 9)
    assert scores.topics == [document.external_id for document in documents_of(study)]


def test_a_measure_that_counts_what_a_sample_did_not_draw_is_refused(study):
    Undrawn.objects.create(
        reference_set=ReferenceSet.objects.get(),
        query=queries_of(study)[0],
        document=documents_of(study)[7],
        stratum=1,
    )
    with pytest.raises(NotDefined, match="counts as irrelevant what a sample did not draw"):
        scores_of(study)


def test_without_a_miss_nothing_is_said(study):
    scores = scores_of(study, name="a", missing="queries")
    assert [name for name in scores.runs if name != "zeta"] == ["alpha", "beta", "delta"]
    runs = [str(run.pk) for run in study.runs.exclude(name="zeta").filter(direction="forward")]
    assert not any("miss" in note for note in scores_of(study, run=runs).notes)


def test_hidden_runs_of_one_name_are_told_apart(study):
    hidden = study.runs.filter(name__in=("beta", "delta"))
    for run in hidden:
        run.uploaded_by = cast.member(study, Role.RESEARCHER)
        run.is_hidden, run.name = True, "same"
        run.save()
    scores = scores_of(study)
    assert scores.runs == ["alpha", "epsilon", "same (hidden)", "same (hidden) (2)", "zeta"]


def test_ranks_of_which_less_is_better_are_turned_round(study):
    runs = [str(run.pk) for run in study.runs.exclude(name="zeta").filter(direction="forward")]
    scores = scores_of(study, measure="MeanR", run=runs, labels="none:original")
    assert scores.smaller_is_better and scores.values.min() >= 1
    assert scores.larger_better.tolist() == (-scores.values).tolist()


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        (
            {"measure": "MedR"},
            "MedR is a median; this takes a measure that is a mean over queries, as AP.",
        ),
        ({"measure": "MeanR"}, "MeanR has no finite value for some of the queries"),
        ({"team": "Blue"}, "It takes 2 runs of this direction; 1 run is chosen."),
        ({"direction": "reverse"}, "It takes 2 runs of this direction; 1 run is chosen."),
    ],
)
def test_a_study_without_such_scores_says_so(study, choices, words):
    with pytest.raises(NotDefined, match=words):
        scores_of(study, **choices)


def test_too_little_is_left_where_most_runs_miss(study):
    studies.run(study, "eta", seed=11, missing=5)
    with pytest.raises(NotDefined, match="5 runs and 1 of the queries") as refusal:
        scores_of(
            study,
            missing="queries",
            run=[
                str(run.pk) for run in study.runs.filter(direction="forward").exclude(name="beta")
            ],
        )
    assert "choose how to treat queries that a run misses" in str(refusal.value)


def test_captions_of_one_document_are_a_group():
    collection = studies.study("captions", n_queries=12, n_documents=6)
    refresh.refresh(collection=collection)
    scores = scores_of(collection)
    assert (scores.groups.n, scores.groups.n_queries) == (6, 12)
    assert scores.unit == "groups of queries" and "of 6 " in scores.extent
    assert scores.groups.of_query.tolist() == [*range(6), *range(6)]


def test_one_group_tells_nothing_of_others():
    collection = studies.study("captions", n_queries=4, n_documents=3)
    queries, documents = queries_of(collection), documents_of(collection)
    ReferenceLabel.objects.filter(query__in=queries).update(document=documents[0])
    refresh.refresh(collection=collection)
    with pytest.raises(NotDefined, match="All queries are of one group"):
        scores_of(collection)


def test_a_file_is_taken_as_topics_by_runs():
    scores = scores_of_file(GAPS[:, [0, 2]], names=("A", "B"))
    assert (scores.values == GAPS[:, [0, 2]]).all()
    assert (scores.runs, scores.topics) == (["A", "B"], ["t0", "t1", "t2", "t3"])
    assert (scores.teams, scores.measure, scores.unit) == (["", ""], "", "topics")
    assert scores.nouns.extent == "2 runs and 4 topics"
    assert scores.notes == ["Every column is taken for a run, and as better when larger."]


@pytest.mark.parametrize(
    ("missing", "expected", "outcome"),
    [
        ("zero", np.nan_to_num(GAPS), "which count 0"),
        ("runs", GAPS[:, [0, 2]], "and are left out"),
        ("queries", GAPS[[1, 3]], "so that 2 topics are left out"),
    ],
)
def test_gaps_of_a_file_are_treated_as_chosen(missing, expected, outcome):
    scores = scores_of_file(GAPS, missing=missing)
    assert scores.values.tolist() == expected.tolist()
    assert scores.notes[-2:] == [
        f"Runs that miss topics, {outcome}: B (2).",
        "Topics that a run misses (2): t0, t2.",
    ]
    extent = "2 of 4 topics" if missing == "queries" else "4 topics"
    assert scores.extent == extent


def test_more_than_four_runs_or_topics_with_gaps_are_counted():
    values = np.full((9, 7), 0.5)
    values[0, :6] = np.nan
    values[2:8, 6] = np.nan
    names = [f"run{number}" for number in range(7)]
    assert scores_of_file(values, names=names).notes[-2:] == [
        "Runs that miss topics, which count 0: run0 (1), run1 (1), run2 (1), run3 (1) and 3 more.",
        "Topics that a run misses (7): t0, t2, t3, t4 and 3 more.",
    ]


def test_a_file_with_too_many_gaps_or_too_little_is_refused():
    with pytest.raises(NotDefined, match="left are 3 runs and 1 of the topics: choose how"):
        scores_of_file(GAPS[:2], missing="queries")
    with pytest.raises(NotDefined, match="left are 1 run and 4 of the topics"):
        scores_of_file(GAPS[:, :2], names=("A", "B"), missing="runs")
    with pytest.raises(NotDefined, match="It takes two topics and 2 runs"):
        scores_of_file(GAPS[:1])
    with pytest.raises(NotDefined, match="It takes two topics and 2 runs"):
        scores_of_file(GAPS[:, :1], names=("A",))


def test_a_file_whose_columns_are_measures_is_refused_or_suspected():
    for names in (("C@1", "AP", "RR"), ("ECCV mAP@R", "5K R@10", "RSUM")):
        with pytest.raises(NotDefined, match="columns of the file have the names of measures"):
            scores_of_file(GAPS, names=names)
    notes = scores_of_file(GAPS, names=("C@1", "AP", "ours")).notes
    assert notes[1] == (
        "Taken for runs, though they have the names of measures: C@1, AP. If columns are "
        "measures, this is of no use: take measure-correlations."
    )
    notes = scores_of_file(GAPS, names=("C@1", "ours", "BM25")).notes
    assert notes[1].startswith("Taken for a run, though it has the name of a measure: C@1. If")
    assert not any("measure" in note for note in scores_of_file(GAPS).notes)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("model", "has rows of “model”, which are runs, and this takes a row for each topic"),
        ("Methods", "turn the table round; if they are measures, take measure-correlations."),
        ("metric", "turn the table round, and take measure-correlations"),
    ],
)
def test_a_file_whose_rows_are_runs_or_measures_is_refused(head, words):
    table = ScoreTable(["a", "b"], ["x", "y"], np.array([[1.0, 2], [2, 3]]), row_head=head)
    with pytest.raises(NotDefined, match=words):
        topic_scores_of_file(FileRequest(table, "tukey", "zero"))


def test_one_column_may_have_the_name_of_a_measure():
    table = ScoreTable(["a", "b"], ["AP"], np.array([[0.5], [0.25]]), row_head="query")
    scores = topic_scores_of_file(FileRequest(table, "tukey", "zero"), least=1)
    assert scores.notes[1] == "Taken for a run, though it has the name of a measure: AP."


def test_groups_of_a_file_stay_with_their_topics():
    scores = scores_of_file(GAPS, groups=["x", "x", "", ""], missing="zero")
    assert scores.groups.of_query.tolist() == [0, 0, 1, 2]
    assert (scores.unit, scores.extent) == ("groups of topics", "4 topics of 3 groups")
    left = scores_of_file(GAPS, groups=["x", "y", "x", "x"], missing="queries")
    assert left.groups.of_query.tolist() == [0, 1]
    with pytest.raises(NotDefined, match="All topics are of one group"):
        scores_of_file(GAPS, groups=["x"] * 4)


def test_scores_whose_squares_are_no_numbers_count_0():
    """RBP(p=0.5) of a positive at rank 1,000 alone; a t test of the difference says p = 0."""
    tiny = 0.5**1000
    scores = scores_of_file([[0.5, 0.5, tiny], [0.25, 0.25 + 1e-99, -tiny], [0, tiny, 1e-99]])
    assert scores.values.tolist() == [[0.5, 0.5, 0], [0.25, 0.25, 0], [0, 0, 1e-99]]


def test_a_query_set_of_one_query_is_called_that_and_no_gap(study):
    one = study.query_sets.create(name="one", direction="forward")
    one.members.create(item=study.items.filter(side="query").latest("pk"), part="source")
    with pytest.raises(NotDefined) as refusal:
        scores_of(study, queries="one")
    assert str(refusal.value) == (
        "It takes 2 runs and two queries; there are 5 runs and 1 of the queries: choose others."
    )
