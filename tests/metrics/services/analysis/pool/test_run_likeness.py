"""The likeness of runs, from the database: recounted from the stored rankings."""

from itertools import combinations

import pytest
from django.utils import timezone

from annotate.models import Item, QuerySet
from metrics.services.numbers import refresh
from pooling.models import Ranking, Run
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import queries_of, small_study
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
K = 10


@pytest.fixture
def study():
    """Three forward runs and two reverse ones over twelve targets; one misses two queries."""
    collection = small_study()
    studies.run(collection, "delta", seed=7, missing=2)
    studies.run(collection, "epsilon", direction="reverse", seed=8)
    refresh.refresh(collection=collection)
    return collection


def rankings_of(name: str, *, without: tuple[int, ...] = ()) -> dict[int, list[int]]:
    rows = Ranking.objects.filter(run__name=name).values_list("source", "targets")
    return {
        source: [target for target in targets if target not in without]
        for source, targets in rows
        if source not in without
    }


def expected_rows(names, **options) -> list[tuple[str, str, int, float, float]]:
    """Number of queries, mean overlap and mean rank of the best target of each two runs."""
    rows = []
    for first, second in combinations(names, 2):
        left, right = rankings_of(first, **options), rankings_of(second, **options)
        both = left.keys() & right.keys()
        tops = [(left[q][:K], right[q][:K]) for q in both]
        shares = [len({*one} & {*other}) / max(len(one), len(other)) for one, other in tops]
        overlap = sum(shares) / len(both)
        rank = sum(right[q].index(left[q][0]) + 1 for q in both) / len(both)
        rows.append((first, second, len(both), pytest.approx(overlap), pytest.approx(rank)))
    return rows


def rows_of(collection, **parameters):
    return [
        (row["run"], row["other_run"], row["n_queries"], row["overlap"], row["best_in_other"])
        for row in table_of(collection, "run-likeness", **parameters)
    ]


def test_each_two_runs_of_a_direction_are_compared(study):
    assert rows_of(study) == expected_rows(["alpha", "beta", "delta"])
    assert rows_of(study, direction="reverse") == expected_rows(["epsilon", "gamma"])
    result = answer_of(study, "run-likeness").result
    assert result.extent == "3 runs, their first 50 ranks, and 6 queries"
    assert "Runs that miss queries, which count in none of its pairs: delta (2)." in result.notes
    assert "3 pairs of runs compared" in result.headline


def test_headings_say_the_depth_of_each_rank_biased_overlap(study):
    names = [column.title for column in answer_of(study, "run-likeness").result.columns]
    assert "RBO, p = 0.9, extrapolated from rank 50" in names
    assert "RBO, p = 0.9, sum to rank 10" in names


def test_excluded_items_are_neither_queries_nor_ranked(study):
    query = queries_of(study)[3]
    document = Item.objects.get(pk=rankings_of("alpha")[queries_of(study)[4].pk][0])
    Item.objects.filter(pk__in=[query.pk, document.pk]).update(
        excluded_at=timezone.now(), excluded_reason="Blank"
    )
    without = (query.pk, document.pk)
    assert rows_of(study) == expected_rows(["alpha", "beta", "delta"], without=without)


def test_only_the_queries_of_the_chosen_set_count(study):
    small = QuerySet.objects.create(collection=study, name="small", direction="forward")
    for query in queries_of(study)[:4]:
        small.members.create(item=query)
    rows = rows_of(study, queries="small")
    assert [row[2] for row in rows] == [4, 2, 2]


def test_one_run_or_no_query_in_common_is_said(study):
    (alpha,) = Run.objects.filter(name="alpha")
    answer = answer_of(study, "run-likeness", run=[alpha.pk])
    assert answer.reason == "It takes 2 runs of this direction; 1 run is chosen."
    first = queries_of(study)[0]
    Ranking.objects.filter(run=alpha).exclude(source=first).delete()
    undefined = [row for row in table_of(study, "run-likeness") if not row["n_queries"]]
    assert [(row["overlap"], row["rbo"], row["tau"]) for row in undefined] == [(None, None, None)]
    Ranking.objects.all().delete()
    assert "None of the 3 runs answers" in answer_of(study, "run-likeness").reason


def test_the_map_shows_a_run_wholly_like_itself(study):
    values = answer_of(study, "run-likeness").result.spec["data"]["values"]
    own_values = {row["first"]: row["overlap"] for row in values if row["first"] == row["second"]}
    assert own_values == {"alpha": 1, "beta": 1, "delta": 1}
