"""The explorer's numbers against plain loops over the rows they come from."""

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from django.utils import timezone

from annotate.models import (
    Collection,
    Direction,
    Item,
    Judgment,
    Pair,
    QuerySet,
    ReferenceLabel,
    Resolution,
    Seat,
)
from annotate.services.background import kept
from annotate.services.review.duplicate_marks import DuplicateGroup, mark_duplicates
from metrics.core.labels.label_sources import LabelSource
from metrics.explorer_state import ExplorerState, QueryOrder, ResultFilter
from metrics.models import Score
from metrics.services.explorer import disagreement, explorer, query_labels
from metrics.services.explorer.order import JUDGED, order_queries
from pooling.models import Ranking, Run
from tests import cast, works
from tests.metrics import studies
from tests.tables.table_cleanup import module_rows

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(django_db_setup, django_db_blocker):
    """A study with three judges, refreshed and counted: its key."""
    with module_rows(django_db_blocker):
        study = studies.judged_study("study", seeds=(1, 2, 3), n=20, n_queries=8, labels_per_pair=3)
        works.compute_anew(disagreement.inquiry_of(collection=study))
        yield study.pk


@pytest.fixture
def study(judged):
    return Collection.objects.get(pk=judged)


def explorer_state(study, direction="forward", **fields):
    runs = list(Run.objects.filter(collection=study, direction=direction).order_by("name"))
    state = ExplorerState(
        Direction(direction),
        QuerySet.objects.get(collection=study, direction=direction),
        LabelSource.parse("over:original"),
        study.reference_sets.get(),
        runs,
        runs,
        5,
        ResultFilter.ALL,
        QueryOrder.LOADED,
        "AP",
        0,
        "",
        "",
    )
    return state._replace(**fields)


def grades_of(study):
    """Every pair's counting grades, by (query, document), seat by seat."""
    grades = defaultdict(list)
    for seat in Seat.objects.filter(collection=study, state="done", purpose="label").order_by(
        "pair", "number"
    ):
        judgment = Judgment.objects.select_related("pair", "level").get(pk=seat.judgment_id)
        grades[judgment.pair.query_id, judgment.pair.document_id].append(judgment.level.grade)
    return grades


@pytest.mark.parametrize(("direction", "end"), [("forward", 0), ("reverse", 1)])
def test_most_disagreed_goes_by_the_pairs_with_differing_labels_then_by_their_share(
    study, direction, end
):
    differing, shared = defaultdict(int), defaultdict(int)
    for key, grades in grades_of(study).items():
        shared[key[end]] += len(grades) > 1
        differing[key[end]] += len(set(grades)) > 1
    assert sum(differing.values()) >= 5
    state = explorer_state(study, direction, order=QueryOrder.DISAGREED)
    ordered_queries = order_queries(collection=study, query_set=state.query_set, state=state)
    keys = [
        (-differing[pk], shared[pk] if differing[pk] else 0, pk)
        for pk in ordered_queries.sources[ordered_queries.order].tolist()
    ]
    assert keys == sorted(keys)
    assert len(keys) == len(ordered_queries.sources)


def value(score, source, sources):
    return np.frombuffer(score.per_query, dtype="<f8")[list(sources).index(source)]


def test_most_gained_goes_by_the_mean_gain_of_the_runs_shown(study):
    state = explorer_state(study, order=QueryOrder.GAINED, measure="nDCG@10")
    ordered_queries = order_queries(collection=study, query_set=state.query_set, state=state)
    gains = []
    for source in ordered_queries.sources[ordered_queries.order].tolist():
        scores = {
            (s.run_id, s.label_source): value(s, source, ordered_queries.sources)
            for s in Score.objects.filter(run__in=state.runs, measure="nDCG@10")
        }
        gains.append(
            np.mean(
                [
                    scores[run.pk, "over:original"] - scores[run.pk, "none:original"]
                    for run in state.runs
                ]
            )
        )
    assert all(before >= after - 1e-12 for before, after in pairwise(gains))
    assert gains[0] > gains[-1]


def test_unjudged_at_the_top_goes_by_labels_among_the_first_ten(study):
    judged_pairs = {
        (label.query_id, label.document_id) for label in ReferenceLabel.objects.all()
    } | {
        (row.pair.query_id, row.pair.document_id)
        for row in Resolution.objects.filter(grade__isnull=False).select_related("pair")
    }
    run = Run.objects.get(name="beta")
    state = explorer_state(study, order=QueryOrder.UNJUDGED, runs=[run])
    ordered_queries = order_queries(collection=study, query_set=state.query_set, state=state)
    tops = dict(Ranking.objects.filter(run=run).values_list("source", "targets"))
    n_judged = [
        sum((source, target) in judged_pairs for target in tops[source][:10])
        for source in ordered_queries.sources[ordered_queries.order].tolist()
    ]
    assert n_judged == sorted(n_judged) and n_judged[0] < n_judged[-1]


def test_a_random_order_holds_every_query_once(study):
    state = explorer_state(study, order=QueryOrder.RANDOM, seed=3)
    ordered_queries = order_queries(collection=study, query_set=state.query_set, state=state)
    assert sorted(ordered_queries.order.tolist()) == list(range(8))
    assert [
        ordered_queries.rank(source)
        for source in ordered_queries.sources[ordered_queries.order].tolist()
    ] == list(range(8))
    assert (
        ordered_queries.at(-1) is None
        and ordered_queries.at(8) is None
        and ordered_queries.rank(0) is None
        and ordered_queries.rank(10**9) is None
    )


def test_the_scores_shown_are_the_stored_ones_of_this_query(study):
    state = explorer_state(study, query_id="q5")
    page = explorer.page_of(collection=study, state=state)
    source = study.items.get(external_id="q5")
    sources = sorted(study.items.filter(side="query").values_list("pk", flat=True))
    for column in page.query.columns:
        for name, score in zip(page.query.measures, column.values, strict=True):
            scores = {s.label_source: s for s in Score.objects.filter(run=column.run, measure=name)}
            assert score.score == 100 * value(scores["over:original"], source.pk, sources)
            assert score.reference_only == 100 * value(scores["none:original"], source.pk, sources)
    assert {JUDGED, "AP"} < set(page.query.measures)


def test_known_positives_below_the_depth_are_listed_with_their_ranks_in_every_run(study):
    n_missed = 0
    for source in study.items.filter(side="query"):
        page = explorer.page_of(
            collection=study, state=explorer_state(study, query_id=source.external_id, depth=2)
        ).query
        grade_of = {
            label.document_id: label.grade for label in ReferenceLabel.objects.filter(query=source)
        }
        people = Resolution.objects.filter(pair__query=source, grade__isnull=False)
        grade_of.update(dict(people.values_list("pair__document", "grade")))
        positive = {
            document for document, grade in grade_of.items() if grade >= study.positive_from
        }
        ranks = [
            Ranking.objects.get(run__name=name, source=source).targets for name in ("alpha", "beta")
        ]
        missed = {
            target for target in positive if any(targets.index(target) >= 2 for targets in ranks)
        }
        assert (page.n_positives, page.n_missed) == (len(positive), len(missed))
        assert {row.item_content.item.pk for row in page.missed_positives} == missed
        for row in page.missed_positives:
            assert row.ranks == [targets.index(row.item_content.item.pk) + 1 for targets in ranks]
        n_missed += len(missed)
    assert n_missed > 3


def test_agreement_and_labels_are_those_of_the_querys_pairs(study):
    page = explorer.page_of(
        collection=study, state=explorer_state(study, query_id="q2", depth=100)
    ).query
    source = study.items.get(external_id="q2").pk
    grades_by_document = {
        document: grades
        for (query, document), grades in grades_of(study).items()
        if query == source
    }
    shared = [grades for grades in grades_by_document.values() if len(grades) > 1]
    agreement = page.agreement
    assert (agreement.n_labelled, agreement.n_shared) == (
        len(grades_by_document),
        len(shared),
    ) and shared
    assert agreement.n_differing == sum(len(set(grades)) > 1 for grades in shared)
    assert agreement.per_cent_equal == pytest.approx(
        100 * np.mean([len(set(grades)) == 1 for grades in shared])
    )
    for result in page.columns[0].results:
        result_grades = [level.grade for level in result.labels.levels]
        assert result_grades == grades_by_document.get(result.item_content.item.pk, [])


def test_differing_is_positive_for_one_and_not_for_the_other(study):
    levels = {level.grade: level for level in study.levels.all()}
    summary = explorer.PairSummary(threshold=1)
    cases = [
        (None, 2, False),
        (2, 2, False),
        (1, 2, False),
        (0, 2, True),
        (2, None, True),
        (0, None, False),
        (2, 0, True),
    ]
    for people, reference, differs in cases:
        case = summary._replace(
            status="single" if people is not None else "",
            grade=people,
            reference_level=levels.get(reference),
        )
        assert case.is_differing is differs, (people, reference)


def test_counting_twice_changes_nothing_and_counting_nothing_is_no_error(study):
    before = kept.find(inquiry=disagreement.inquiry_of(collection=study))
    works.compute_anew(disagreement.inquiry_of(collection=study))
    after = kept.find(inquiry=disagreement.inquiry_of(collection=study))
    assert (after.value, after.digest) == (before.value, before.digest)
    bare = studies.study("bare")
    works.compute_anew(disagreement.inquiry_of(collection=bare))
    assert kept.find(inquiry=disagreement.inquiry_of(collection=bare)).value == {
        "sources": [],
        "differing": [],
        "shared": [],
    }


def test_scores_of_a_set_that_grew_since_are_not_taken_for_those_of_other_queries(study):
    query_set = QuerySet.objects.get(collection=study, direction="forward")
    query_set.members.filter(item__external_id="q0").delete()
    page = explorer.page_of(
        collection=study, state=explorer_state(study, order=QueryOrder.GAINED)
    ).query
    assert page.position.missing_input == "the scores of the runs"
    assert {value for column in page.columns for value in column.values} == {None}


def test_a_propagated_grade_is_shown_with_its_origin_and_is_judged(study):
    judged_pairs = Resolution.objects.filter(collection=study, grade__isnull=False)
    pair = judged_pairs.select_related("pair__query", "pair__document").latest("pair").pair
    query = study.items.create(side="query", external_id="copy")
    mark_duplicates(collection=study, groups=[DuplicateGroup(pair.query, [query])], by=None)
    state = explorer_state(study)
    own = query_labels.labels_of(
        collection=study, query_set=state.query_set, source=pair.query, state=state
    ).of(pair.document_id)
    summary = query_labels.labels_of(
        collection=study, query_set=state.query_set, source=query, state=state
    ).of(pair.document_id)
    original = f"{pair.query.external_id} / {pair.document.external_id}"
    assert (summary.grade, summary.level) == (own.grade, own.level)
    assert (summary.status_text, summary.levels, summary.pair) == (f"as {original}", (), None)
    assert summary.is_judged and not summary.passes(ResultFilter.UNJUDGED)
    assert own.original == ""


@pytest.mark.parametrize("direction", list(Direction))
def test_it_opens_on_the_first_item_of_which_somebody_labelled_a_pair(direction):
    bare = studies.study("bare")
    state = explorer_state(bare, direction)
    end = "query" if direction == Direction.FORWARD else "document"

    def opened(**fields):
        page = explorer.page_of(collection=bare, state=state._replace(**fields))
        return page.query.item_content.item.external_id

    first = f"{end[0]}0"
    assert opened() == first
    annotator, ids = cast.annotator(bare), []
    while len(set(ids)) < 3:
        studies.judge(annotator, n=1, seed=len(ids))
        pairs = Pair.objects.filter(collection=bare, resolution__n_labels__gt=0)
        ids = sorted(pairs.values_list(f"{end}__external_id", flat=True))
        assert opened() == ids[0]
    assert opened(query_id=first) == first
    # another order begins where it begins
    in_order = order_queries(
        collection=bare, query_set=state.query_set, state=state._replace(order=QueryOrder.RANDOM)
    )
    assert opened(order=QueryOrder.RANDOM) == Item.objects.get(pk=in_order.at(0)).external_id
    Item.objects.filter(collection=bare, external_id=ids[0]).update(
        excluded_at=timezone.now(), excluded_reason="broken"
    )
    assert opened() == next(name for name in ids if name != ids[0])
