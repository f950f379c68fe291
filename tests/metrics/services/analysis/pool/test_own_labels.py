"""Runs without the labels that they alone brought, from the database: recounted pair by pair."""

import numpy as np
import pytest

from annotate.models import Duplicate, Item, Resolution
from pooling.models import PoolPair, Ranking, Run
from tests.metrics.core.analyses.pool import trec
from tests.metrics.services.analysis.collection.small_study import small_study
from tests.metrics.services.analysis.pool.pooled_study import (
    DEPTH,
    brought_by,
    people_grades,
    pooled_study,
    rankings_of,
    reference_grades,
)
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(media_root):
    return pooled_study()


def alone(grades, inside, outside):
    """Labelled pairs within the first ranks of runs inside, and of none outside."""
    return (brought_by(*inside) - brought_by(*outside)) & grades.keys()


def test_each_run_is_scored_without_what_it_alone_brought(study):
    people, reference = people_grades(), reference_grades(study)
    rows = table_of(study, "unique-positives", measure="C@1 AP")
    assert [row["run"] for row in rows].count("D") == 2
    for row in rows:
        name, measure = row["run"], row["measure"]
        whole = trec.values(reference | people, rankings_of(name))[measure]
        assert row["score"] == pytest.approx(np.mean(list(whole.values())))
        if name == "D":
            assert row["n_unique_run"] is row["without_run"] is row["n_brought"] is None
            continue
        teams = [["A", "B"], ["C"]]
        (team,) = (names for names in teams if name in names)
        for key, inside in (("run", [name]), ("team", team)):
            own = alone(people, inside, set("ABC") - set(inside))
            left = {pair: grade for pair, grade in people.items() if pair not in own}
            values = trec.values(reference | left, rankings_of(name))[measure]
            assert row[f"n_unique_{key}"] == len(own) > 0
            assert row[f"n_positive_{key}"] == sum(people[pair] > 0 for pair in own)
            assert row[f"without_{key}"] == pytest.approx(np.mean(list(values.values())))
            assert row[f"loss_{key}"] == pytest.approx(row["score"] - row[f"without_{key}"])
    result = answer_of(study, "unique-positives", measure="AP").result
    assert "In no opened pool, and so without labels of its own: D." in result.notes


def test_labels_that_no_run_brought_are_never_taken_away(study):
    before = table_of(study, "unique-positives", measure="AP")
    taken_out = PoolPair.objects.filter(pair__query=Item.objects.get(external_id="q0"))
    assert taken_out.delete()[0]
    rows = table_of(study, "unique-positives", measure="AP")
    query = Item.objects.get(external_id="q0").pk
    people = {pair: grade for pair, grade in people_grades().items() if pair[0] != query}
    for row in rows:
        if row["run"] != "D":
            own = alone(people, [row["run"]], set("ABC") - {row["run"]})
            assert row["n_unique_run"] == len(own)
    assert sum(row["n_unique_run"] or 0 for row in rows) < sum(
        row["n_unique_run"] or 0 for row in before
    )
    notes = answer_of(study, "unique-positives", measure="AP").result.notes
    assert any("that no run in use brought" in note for note in notes)


def test_a_retired_run_no_longer_shares_its_labels(study):
    people = people_grades()
    Run.objects.filter(name="C").update(retired_at="2026-01-01T00:00:00Z")
    rows = table_of(study, "unique-positives", measure="AP")
    by_name = {row["run"]: row for row in rows}
    assert "C" not in by_name
    assert by_name["A"]["n_unique_run"] == len(alone(people, ["A"], ["B"]))


def test_a_duplicate_counts_as_its_original(study):
    """A run that holds the duplicate brought the pair too."""
    people, first = people_grades(), rankings_of("B")
    query, target = min(alone(people, ["A"], ["B", "C"]))
    spare = first[query][-1]
    assert not any(spare in rankings_of(name)[query][:DEPTH] for name in "ABC")
    Duplicate.objects.create(collection=study, item_id=spare, original_id=target, side="document")
    targets = [spare, *(other for other in first[query] if other != spare)]
    scores = [float(-rank) for rank in range(len(targets))]
    Ranking.objects.filter(run__name="B", source=query).update(targets=targets, scores=scores)
    expected = alone(people, ["A"], ["B", "C"]) - {(query, target)}
    rows = {row["run"]: row for row in table_of(study, "unique-positives", measure="AP")}
    assert rows["A"]["n_unique_run"] == len(expected)


def test_what_is_missing_is_said():
    collection = small_study()
    answer = answer_of(collection, "unique-positives", labels="none:original")
    assert answer.reason.startswith("These labels are a reference's")
    answer = answer_of(collection, "unique-positives")
    assert answer.reason == "People have given no pair of these queries a grade yet."
    pair = collection.pairs.first()
    Resolution.objects.create(
        pair=pair,
        collection=collection,
        grade=1,
        status=Resolution.Status.SINGLE,
        n_labels=1,
        policy=collection.policies.get(),
    )
    collection.pools.update(opened_at=None, state="draft")
    answer = answer_of(collection, "unique-positives")
    assert answer.reason == "No pool of runs of this direction has been opened yet."
