"""Headlines on conclusions under other label sets: what moves the order most, if anything does."""

import pytest

from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.pool.conclusions import conclusions_result
from metrics.charts.analyses.pool.label_set_words import MeasureWords, SetKind, SetWords
from metrics.charts.results import AnalysisResult
from metrics.core.analyses.pool.conclusions import Conclusion, Conclusions
from metrics.core.analyses.pool.label_sets import GradeMoves

NOUNS = Nouns("queries", "40 queries", [])


SETS = [SetWords(SetKind.PERSON, name) for name in ("ann", "bob", "cem")]
AP = MeasureWords("AP")
BOUND = SetWords(SetKind.UNLABELLED, "the highest scores")
SAME = Conclusion(1.0, 1.0, 0, None, True, 2, 0, 1, 0)
# all runs are equal
IDLE = Conclusion(None, None, None, None, None, 0, 0, 3, 0)


def result_of(
    sets: list[SetWords],
    rows: list[Conclusion],
    *,
    n_decided: int = 3,
    n_lasting: int = 2,
    n_groups: int = 40,
    unit: str = "queries",
    measure: MeasureWords = AP,
) -> AnalysisResult:
    return conclusions_result(
        Conclusions(rows, 3, n_decided, n_lasting),
        sets,
        runs=["A", "B", "C"],
        measure=measure,
        n_groups=n_groups,
        unit=unit,
        nouns=NOUNS,
    )


def headline_of(*taus: float, **numbers: int | str) -> str:
    rows = [Conclusion(tau, tau, 1, 0, False, 2, 0, 1, 0) for tau in taus]
    return result_of(SETS[: len(taus)], rows, **numbers).headline


@pytest.mark.parametrize(
    ("taus", "ending"),
    [
        ((0.8, 1 / 3, 1.0), "; the order moves most with the labels without bob (tau-b 0.33)"),
        (
            (1 / 3, 1 / 3, 1.0),
            "; the order moves most with the labels without ann, and as much with 1 other label "
            "set (tau-b 0.33)",
        ),
        (
            (1 / 3, 1 / 3),
            "; the order moves with the labels without ann, and as much with 1 other label set "
            "(tau-b 0.33)",
        ),
        ((1 / 3,), "; the order moves with the labels without ann (tau-b 0.33)"),
        ((1.0, 1.0), "; none of them orders the runs otherwise"),
    ],
)
def test_the_label_sets_that_move_the_order_most_are_counted(taus, ending):
    assert headline_of(*taus).endswith(ending)


def test_lasting_differences_are_told_under_one_set_and_under_several():
    assert headline_of(1.0, 1.0).startswith(
        "Of 3 pairs of runs that differ by AP, 2 do so under each of 2 other label sets too"
    )
    assert headline_of(1.0).startswith(
        "Of 3 pairs of runs that differ by AP, 2 do so under 1 other label set too"
    )


@pytest.mark.parametrize(
    ("n_decided", "n_lasting", "text"),
    [
        (3, 1, "Of 3 pairs of runs that differ by AP, 1 does so under each of 2 other label sets "),
        (3, 0, "Of 3 pairs of runs that differ by AP, none does so under each of 2 other label s"),
        (1, 1, "Of 1 pair of runs that differs by AP, 1 does so under each of 2 other label sets"),
    ],
)
def test_one_pair_does_so_and_none_does(n_decided, n_lasting, text):
    headline = headline_of(1.0, 1.0, n_decided=n_decided, n_lasting=n_lasting)
    assert headline.startswith(text)
    assert (" too;" in headline) == (n_lasting > 0)


@pytest.mark.parametrize(
    ("sets", "rows", "ending"),
    [
        (
            [*SETS[:2], BOUND],
            [SAME, SAME, IDLE],
            "2 do so under each of 2 other label sets too; with the highest scores that unlabelled "
            "targets allow no two runs differ; none of them orders the runs otherwise",
        ),
        (
            [SETS[0], BOUND, SetWords(SetKind.SOURCE, "people only"), SETS[1], SETS[2]],
            [SAME, IDLE, IDLE, IDLE, IDLE],
            "2 do so under 1 other label set too; with the highest scores that unlabelled targets "
            "allow, people only and 2 more label sets no two runs differ; none of them orders "
            "the runs otherwise",
        ),
        (
            SETS[:2],
            [IDLE, IDLE],
            "none does so under 2 other label sets, with which no two runs differ at all",
        ),
    ],
)
def test_label_sets_that_decide_nothing_are_named_and_do_not_count(sets, rows, ending):
    assert result_of(sets, rows).headline == f"Of 3 pairs of runs that differ by AP, {ending}"


def test_no_more_ranks_are_the_same_than_there_are_runs():
    result = result_of(SETS[:1], [SAME])
    assert "first 3 ranks are the same" in result.reading
    assert [column.title for column in result.columns][9:11] == [
        "First 3 ranks the same",
        "Most places that one of the first 3 falls",
    ]
    words = result.spec["layer"][1]["data"]["values"]
    assert words[0]["text"][1] == "first 3 the same"


def test_few_groups_are_not_called_queries():
    assert headline_of(1.0, n_groups=7, unit="groups of queries") == (
        "AP of 3 runs under 1 other label set, over only 7 groups of queries"
    )
    assert headline_of(1.0, n_groups=7).endswith(", over only 7 queries")
    assert headline_of(1.0, n_groups=1, unit="groups of queries").endswith(
        "only 1 group of queries"
    )


def test_label_sets_that_are_the_chosen_one_again_do_not_count_and_are_named():
    same = [
        SetWords(SetKind.PERSON, "ann", 5, GradeMoves(0, 0, 0)),
        SetWords(SetKind.THRESHOLD, "positive from 2", None, GradeMoves(0, None, None)),
        SetWords(SetKind.UNLABELLED, "the lowest scores", has_base_scores=True),
    ]
    other = [
        SetWords(SetKind.PERSON, "bob", 5, GradeMoves(0, 0, 1)),
        SetWords(SetKind.SOURCE, "people only", None, GradeMoves(1, 0, 0)),
        SetWords(SetKind.UNLABELLED, "the highest scores"),
    ]
    note = (
        "The same labels or scores as the chosen, and not counted above: without ann, positive "
        "from 2, the lowest scores."
    )
    result = result_of([*same, *other], [SAME] * 6)
    assert "2 do so under each of 3 other label sets too; none" in result.headline
    assert note in result.notes and len(result.rows) == 6
    result = result_of(same, [SAME] * 3)
    assert result.headline == (
        "No other label set differs from the chosen one: how far 3 runs depend on labels is not "
        "known"
    )
    assert note in result.notes
    assert result_of(other, [SAME] * 3).notes == []
    assert result_of([], []).headline.startswith("There is no other label set")


@pytest.mark.parametrize(
    ("moves", "note"),
    [
        (
            [GradeMoves(0, 155, 0, 161), GradeMoves(0, 0, 0, 193), GradeMoves(0, 0, 0, 0)],
            "Without one annotator 161 to 193 pairs have no grade by people any more, as the "
            "labels that are left decide none, and 0 have another or a first one: what changes "
            "then tells what missing labels do, rather than whose labels matter.",
        ),
        (
            [GradeMoves(1, 3, 0, 3), GradeMoves(0, 3, 2, 3), GradeMoves(1, 3, 1, 3)],
            "Without one annotator 3 pairs have no grade by people any more, as the labels that "
            "are left decide none, and 1 to 2 have another or a first one: what changes then tells "
            "what missing labels do, rather than whose labels matter.",
        ),
        (
            [GradeMoves(1, 3, 0, 3), GradeMoves(1, 3, 0, 3), GradeMoves(1, 3, 0, 3)],
            "Without one annotator 3 pairs have no grade by people any more, as the labels that "
            "are left decide none, and 1 has another or a first one: what changes then tells what "
            "missing labels do, rather than whose labels matter.",
        ),
        ([GradeMoves(3, 3, 0, 3), GradeMoves(0, 3, 3, 3), GradeMoves(0, 0, 0, 0)], None),
    ],
)
def test_grades_that_are_lost_without_an_annotator_are_told_where_they_are_the_most(moves, note):
    sets = [label_set._replace(moves=move) for label_set, move in zip(SETS, moves, strict=True)]
    result = result_of(sets, [SAME] * 3)
    of_losses = [text for text in result.notes if text.startswith("Without one annotator")]
    assert of_losses == ([note] if note else [])
    assert [tuple(row[3:7]) for row in result.rows] == [move[:4] for move in moves]


def test_the_headline_of_a_measure_with_two_values_names_the_test():
    measure = MeasureWords("C@1", is_two_valued=True)
    headline = result_of(SETS[:1], [SAME], measure=measure).headline
    assert headline.startswith("Of 3 pairs of runs that differ in C@1 by Tukey's HSD, 2 do so")
    headline = result_of(SETS[:1], [SAME], measure=measure, n_decided=0, n_lasting=0).headline
    assert headline.startswith("No two of 3 runs differ in C@1 by Tukey's HSD under the chosen ")
