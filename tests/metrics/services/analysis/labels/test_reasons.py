"""Reasons of labels by level, run and rank, counted by hand in a small study that people judge."""

import pytest

from annotate.models import Item, Judgment, Seat
from annotate.services.judging import claiming, undoing
from annotate.services.review import adjudicating, exclusions
from pooling.models import Pool, PoolStratum, Run
from tests import campaigns, cast
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    queries_of,
    small_study,
)
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db
NAME = "reasons-by-run-and-rank"
OFFERED = ["vague", {"name": "wrong", "what": ["colour", "action"]}]
COLOUR, ACTION = "wrong/colour", "wrong/action"


@pytest.fixture
def study():
    """Six queries with the pairs (n, n), (n, n + 1) and (n, n + 2); level 1 offers reasons."""
    collection = small_study()
    collection.levels.filter(grade=1).update(reasons=OFFERED)
    return collection


def judge(study, answers, person=None):
    """A person's answers: (query, document) -> (grade, reasons)."""
    numbers = {
        item.pk: n
        for side in (queries_of(study), documents_of(study))
        for n, item in enumerate(side)
    }
    annotator = person or cast.annotator(study)
    claiming.current_batch(annotator=annotator)
    hand_outs = claiming.open_hand_outs(annotator=annotator).select_related(
        "seat__pair", "batch__annotator"
    )
    for hand_out in list(hand_outs):
        pair = hand_out.seat.pair
        key = numbers[pair.query_id], numbers[pair.document_id]
        if key in answers:
            grade, reasons = answers[key]
            campaigns.judge(hand_out, grade, reasons=reasons)
    return annotator


def run(study, name, *, shift=0, depth=9, direction="forward"):
    """A run that ranks documents n + shift, n + shift + 1, ... of query n."""
    sides = [queries_of(study), documents_of(study)]
    sources, targets = sides if direction == "forward" else sides[::-1]
    rankings = {
        source.pk: (
            [
                targets[(n + shift + step) % len(targets)].pk
                for step in range(min(depth, len(targets)))
            ],
            [float(-step) for step in range(min(depth, len(targets)))],
        )
        for n, source in enumerate(sources)
    }
    return cast.run(study, name, rankings, direction=direction)


def rows_of(study, *runs, **further):
    keys = [row.pk for row in runs]
    return table_of(study, NAME, run=keys, **further)


def at(rows, place, ranks="any"):
    """The reasons at a place: name -> labels that name it, and the labels of the level there."""
    own = [row for row in rows if (row["run"], row["ranks"]) == (place, ranks)]
    (n,) = {(row["n_labels"], row["n_with_reason"]) for row in own} or {None}
    return n, {row["reason"]: row["n"] for row in own}


ANSWERS = {
    (0, 0): (1, ["vague"]),
    (1, 1): (1, [COLOUR, ACTION]),
    (2, 2): (1, []),
    (3, 3): (2, []),
    (0, 1): (1, ["vague", COLOUR]),
}


def test_labels_are_counted_by_the_reasons_that_they_name(study):
    judge(study, ANSWERS)
    runs = run(study, "own"), run(study, "late", shift=8)
    rows = rows_of(study, *runs)
    assert {row["level"] for row in rows} == {"Level 1"}
    assert at(rows, "All pairs") == (
        (4, 3),
        {"vague": 2, "wrong": 2, "wrong: colour": 2, "wrong: action": 1},
    )
    assert at(rows, "own", "1") == (
        (3, 2),
        {"vague": 1, "wrong": 1, "wrong: colour": 1, "wrong: action": 1},
    )
    assert at(rows, "own", "2 to 5") == (
        (1, 1),
        {"vague": 1, "wrong": 1, "wrong: colour": 1, "wrong: action": 0},
    )
    assert at(rows, "own", "1 to 10") == at(rows, "All pairs")
    # it ranks documents n - 1, n, n + 1: own ones second, the next one third
    assert at(rows, "late", "1") == (None, {})
    assert at(rows, "late", "2 to 5") == at(rows, "All pairs")


def test_shares_are_of_the_labels_and_parts_of_the_reasons_of_one_kind(study):
    judge(study, ANSWERS)
    rows = {
        row["reason"]: row for row in rows_of(study, run(study, "own")) if row["run"] == "All pairs"
    }
    assert [rows[name]["kind"] for name in rows] == ["reason", "reason", "detail", "detail"]
    assert [rows[name]["share"] for name in rows] == [50, 50, 50, 25]
    assert [rows[name]["part"] for name in rows] == pytest.approx([50, 50, 200 / 3, 100 / 3])


def judgment_of(study, query, document):
    pair = study.pairs.get(query=queries_of(study)[query], document=documents_of(study)[document])
    return Judgment.objects.filter(pair=pair).latest("pk")


def test_labels_that_do_not_count_have_no_reasons(study):
    """Answers that were taken back or changed, golds, and what a lead decided."""
    ana = judge(study, ANSWERS)
    own = run(study, "own")
    undone = judgment_of(study, 0, 0)
    undoing.take_back(annotator=ana, token=undone.hand_out.token)
    assert at(rows_of(study, own), "All pairs") == (
        (3, 2),
        {"vague": 1, "wrong": 2, "wrong: colour": 2, "wrong: action": 1},
    )
    hand_out = judgment_of(study, 1, 1).hand_out
    campaigns.judge(hand_out, 1, reasons=["vague"], is_change=True)
    assert at(rows_of(study, own), "All pairs") == (
        (3, 2),
        {"vague": 2, "wrong": 1, "wrong: colour": 1, "wrong: action": 0},
    )
    Seat.objects.filter(judgment=judgment_of(study, 0, 1)).update(purpose="gold")
    assert at(rows_of(study, own), "All pairs")[0] == (2, 1)
    lead = cast.member(study, "lead")
    adjudicating.adjudicate(pair=judgment_of(study, 1, 1).pair, grade=1, by=lead)
    assert at(rows_of(study, own), "All pairs")[0] == (2, 1)


def test_excluded_pairs_and_items_are_left_out(study):
    judge(study, ANSWERS)
    own = run(study, "own")
    lead = cast.member(study, "lead")
    pair = study.pairs.get(query=queries_of(study)[1], document=documents_of(study)[1])
    exclusions.exclude_pair(pair=pair, by=lead, reason="broken")
    assert at(rows_of(study, own), "All pairs")[0] == (3, 2)
    Item.objects.filter(pk=documents_of(study)[2].pk).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    assert at(rows_of(study, own), "All pairs")[0] == (2, 2)


def test_a_reason_that_is_offered_no_more_is_counted_under_its_text(study):
    judge(study, ANSWERS)
    study.levels.filter(grade=1).update(reasons=["unclear"])
    (_, reasons) = at(rows_of(study, run(study, "own")), "All pairs")
    assert reasons == {"unclear": 0, "vague": 2, "wrong": 2, "wrong: action": 1, "wrong: colour": 2}
    study.levels.update(reasons=[])
    (_, reasons) = at(rows_of(study, run(study, "own again")), "All pairs")
    assert "unclear" not in reasons and reasons["vague"] == 2


def test_each_label_of_a_pair_counts(study):
    for _ in range(2):
        judge(study, {(0, 0): (1, ["vague"])})
    n, reasons = at(rows_of(study, run(study, "own")), "own", "1")
    assert (n, reasons["vague"]) == ((2, 2), 2)


def test_the_reverse_direction_has_the_same_labels(study):
    judge(study, ANSWERS)
    rows = rows_of(study, run(study, "back", direction="reverse"), direction="reverse")
    assert at(rows, "All pairs") == (
        (4, 3),
        {"vague": 2, "wrong": 2, "wrong: colour": 2, "wrong: action": 1},
    )
    # document 1 ranks query 1 first, and query 0 last of six, which it sees after five others
    assert at(rows, "back", "1")[0] == (3, 2)
    assert at(rows, "back", "6 to 10")[0] == (1, 1)


def test_without_runs_the_labels_of_all_pairs_are_counted(study):
    judge(study, ANSWERS)
    Run.objects.all().delete()
    result = answer_of(study, NAME).result
    assert {row[1] for row in result.rows} == {"All pairs"}
    assert result.headline == "3 of the 4 labels “Level 1” name a reason"
    assert result.extent == "4 labels of 6 queries"


def test_without_labels_of_levels_with_reasons_there_is_nothing_to_show(study):
    judge(study, {(3, 3): (2, [])})
    assert answer_of(study, NAME).reason == (
        "These queries have no label yet of a level that offers reasons, or that names one."
    )


def test_labels_of_such_levels_without_a_reason_are_counted_alone(study):
    judge(study, {(2, 2): (1, []), (3, 3): (2, [])})
    reason = answer_of(study, NAME).reason
    assert reason == "None of the 1 label of levels that offer reasons names one yet."


def test_what_a_pool_did_not_draw_is_in_no_share(study):
    judge(study, {(0, 0): (1, ["vague"])})
    assert not any("sample" in note for note in answer_of(study, NAME).result.notes)
    PoolStratum.objects.create(
        pool=Pool.objects.get(),
        source=queries_of(study)[0],
        stratum=1,
        n_pooled=1,
        n_drawn=0,
        undrawn=[documents_of(study)[8].pk],
    )
    (note,) = (note for note in answer_of(study, NAME).result.notes if "sample" in note)
    assert note.startswith("Pool “depth 3” is a sample: shares are of labelled pairs alone,")
