"""Labels by pool from a database: a recount row by row, and the dashboard's numbers."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import (
    Annotator,
    Item,
    Pair,
    PairExclusion,
    Resolution,
    Role,
    RoundPair,
    Seat,
)
from annotate.services.judging import undoing
from annotate.services.review import exclusions
from annotate.services.review.duplicate_marks import DuplicateGroup, mark_duplicates
from metrics.models import Snapshot
from metrics.services.numbers import refresh
from tests import campaigns, cast
from tests.metrics import studies
from tests.metrics.services.analysis.labels.label_study import label_study
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
NAME = "labels-by-pool"
PARTS = ["depth 3", "again", "experts", "Everything"]


@pytest.fixture
def study():
    return label_study()


def by_part(collection, **parameters):
    return {row["pool"]: row for row in table_of(collection, NAME, **parameters)}


def snapshot(collection, kind):
    refresh.refresh(collection=collection)
    return Snapshot.objects.get(collection=collection, kind=kind).value


def recount(pairs):
    """Pairs, grades and labels of some pairs, one by one."""
    grades = Counter()
    for pair in pairs:
        resolution = Resolution.objects.filter(pair=pair).first()
        grades[resolution.grade if resolution else "none"] += 1
    seats = Seat.objects.filter(
        pair__in=pairs, state="done", purpose__in=("label", "import")
    ).values_list("pair", "judgment__level__grade", "why")
    planned = {}
    for pair, grade, why in seats:
        if why in ("first", "double"):
            planned.setdefault(pair, []).append(grade)
    shared = [labels for labels in planned.values() if len(labels) > 1]
    return {
        "n_pairs": len(pairs),
        "n_graded": grades[0] + grades[1] + grades[2],
        "n_relevant": grades[1] + grades[2],
        "n_irrelevant": grades[0],
        "n_unlabelled": grades["none"],
        "n_labels": len(seats),
        "n_planned": len(shared),
        "unanimous": pytest.approx(100 * sum(len(set(x)) == 1 for x in shared) / len(shared)),
    }


def some(row, expected):
    return {name: row[name] for name in expected}


def test_each_part_has_the_counts_of_its_pairs_one_by_one(study):
    rows = by_part(study)
    assert list(rows) == PARTS
    for name in PARTS[:-1]:
        pairs = Pair.objects.filter(
            round_pairs__round__name__in=(name, "pool" * (name == "depth 3"))
        )
        expected = recount(list(pairs))
        assert some(rows[name], expected) == expected
    expected = recount(list(study.pairs.all()))
    assert some(rows["Everything"], expected) == expected
    assert [rows[name]["kind"] for name in PARTS] == ["pool", "pool", "import", ""]
    assert rows["experts"]["n_labels"] == 9
    assert rows["Everything"]["n_disputed"] > 0
    assert rows["Everything"]["labels_a_pair"] == pytest.approx(
        rows["Everything"]["n_labels"] / rows["Everything"]["n_pairs"]
    )


def test_labels_of_a_pair_of_two_pools_count_in_both_and_own_ones_where_they_were_asked_for(study):
    rows = by_part(study)
    result = answer_of(study, NAME).result
    assert rows["again"]["n_pairs"] == 6
    assert rows["again"]["n_labels"] > rows["again"]["n_own_labels"]
    for name, round_name in (("depth 3", "pool"), ("again", "again"), ("experts", "experts")):
        own = Seat.objects.filter(
            round__name=round_name, state="done", purpose__in=("label", "import")
        )
        assert rows[name]["n_own_labels"] == own.count()
    assert rows["Everything"]["n_own_labels"] is None
    assert rows["Everything"]["n_labels"] == sum(rows[name]["n_own_labels"] for name in PARTS[:-1])
    assert (
        "6 pairs are of several pools: counted in each, and once in the collection." in result.notes
    )


def test_the_dashboard_has_the_same_numbers(study):
    agreement, progress = snapshot(study, "agreement"), snapshot(study, "progress")
    rows = by_part(study)
    alpha = agreement["planned"][agreement["measurement"]]
    everything = rows["Everything"]
    assert (everything["alpha"], everything["alpha_low"], everything["alpha_high"]) == (
        pytest.approx((alpha["value"], alpha["low"], alpha["high"]), abs=1e-12)
    )
    assert everything["n_planned"] == alpha["n_pairable_units"]
    assert everything["alpha_all"] == pytest.approx(
        agreement["all"][agreement["measurement"]]["value"], abs=1e-12
    )
    assert everything["unanimous"] == pytest.approx(
        100 * agreement["percent"]["planned"]["unanimous_units"]
    )
    assert everything["n_pairs"] == progress["total"]["n_pairs"]
    assert everything["n_disputed"] == progress["total"]["states"]["disputed"]
    assert everything["n_labels"] == sum(row["n_done"] for row in progress["rounds"])
    assert [rows[row["name"]]["n_pairs"] for row in progress["rounds"]] == [
        row["n_pairs"] for row in progress["rounds"]
    ]


def test_the_threshold_parts_relevant_from_irrelevant_and_the_direction_changes_nothing(study):
    low, high = by_part(study)["Everything"], by_part(study, threshold=2)["Everything"]
    n_best = Resolution.objects.filter(collection=study, grade=2).count()
    assert 0 < high["n_relevant"] == n_best < low["n_relevant"]
    assert "a grade from 2 up" in answer_of(study, NAME, threshold=2).result.reading
    assert high["n_irrelevant"] == high["n_graded"] - n_best
    assert by_part(study, direction="reverse") == by_part(study)


def test_excluded_pairs_and_items_are_left_out_and_told(study):
    before = by_part(study)["Everything"]
    lead = cast.member(study, Role.LEAD)
    labelled = list(Pair.objects.filter(counting_judgments__is_label=True).distinct())
    pair = next(pair for pair in labelled if pair.query.external_id == "q1")
    n_labels = pair.counting_judgments.count()
    exclusions.exclude_pair(pair=pair, by=lead, reason="it cannot be seen")
    rows = by_part(study)
    assert rows["Everything"]["n_pairs"] == before["n_pairs"] - 1
    assert rows["Everything"]["n_labels"] == before["n_labels"] - n_labels
    notes = answer_of(study, NAME).result.notes
    assert notes[0].startswith("1 pair that a lead excluded, or an item of which, is left out, ")
    Item.objects.filter(collection=study, external_id="q2").update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    n_left = study.pairs.exclude(query__external_id="q2").exclude(pk=pair.pk).count()
    assert by_part(study)["Everything"]["n_pairs"] == n_left
    assert PairExclusion.objects.count() == 1


def test_labels_that_were_undone_golds_and_training_do_not_count(study):
    before = by_part(study)["Everything"]
    newcomer = cast.annotator(study)
    Seat.objects.filter(collection=study, state="held").update(
        leased_until=timezone.now() - timedelta(minutes=1)
    )
    assert studies.judge(newcomer, n=3) == 3
    after = by_part(study)["Everything"]
    assert after["n_labels"] == before["n_labels"] + 3
    last = newcomer.judgments.latest("pk")
    undoing.take_back(annotator=newcomer, token=last.hand_out.token)
    assert by_part(study)["Everything"]["n_labels"] == after["n_labels"] - 1
    Seat.objects.filter(annotator=newcomer, state="done").update(purpose="gold")
    assert by_part(study)["Everything"]["n_labels"] == before["n_labels"]


def test_pairs_that_no_pool_holds_any_more_have_a_row_where_they_have_labels(study):
    pair = Pair.objects.get(collection=study, query__external_id="q0", document__external_id="d5")
    RoundPair.objects.filter(pair=pair).update(dropped_at=timezone.now())
    rows = by_part(study)
    assert rows["In no pool"]["n_pairs"] == 1
    assert rows["In no pool"]["n_labels"] == 2
    assert rows["In no pool"]["n_own_labels"] is None
    assert rows["experts"]["n_pairs"] == 4
    assert rows["Everything"]["n_pairs"] == study.pairs.count()


def test_labels_of_programs_and_files_are_told_apart(study):
    result = answer_of(study, NAME).result
    n = by_part(study)["Everything"]["n_labels"]
    assert f"Of the {n} labels: {n - 9} given here by persons, 9 loaded from files." in result.notes
    Annotator.objects.filter(collection=study, external_id="e1").update(origin="model")
    rows = by_part(study)
    assert rows["experts"]["n_program_labels"] == 5
    assert rows["depth 3"]["n_program_labels"] == 0
    assert any("5 by models" in note for note in answer_of(study, NAME).result.notes)


def test_propagated_grades_are_no_labels_of_the_pair(study):
    before = by_part(study)["Everything"]
    document = study.items.get(external_id="d0")
    (copy,) = cast.items(study, "document", 1)
    mark_duplicates(collection=study, groups=[DuplicateGroup(document, [copy])], by=None)
    result = answer_of(study, NAME).result
    assert by_part(study)["Everything"] == before
    assert any(note.endswith("Here only labels of the pair itself count.") for note in result.notes)


def test_without_labels_that_count_nothing_is_defined():
    empty = studies.study("empty")
    reason = "No pair has a label yet that counts: open a pool and judge, or load judgments."
    assert answer_of(empty, NAME).reason == reason
    bare = cast.collection("bare")
    assert answer_of(bare, NAME).reason == "The collection has no items yet: load its items."


def test_the_number_of_queries_to_the_database_is_constant(study):
    answer_of(study, NAME)  # reference sets are read once in a process
    counts = []
    for name in ("one more", "another"):
        with CaptureQueriesContext(connection) as queries:
            answer_of(study, NAME)
        counts.append(len(queries))
        campaigns.open_pool_round(study, cast.pairs(study, 3), name=name)
    assert counts[0] == counts[1]
