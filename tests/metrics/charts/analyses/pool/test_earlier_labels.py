"""Advice from earlier labels: what stays, what moved, the mark, and how far it goes."""

import pytest

from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.pool.conclusions import conclusions_result
from metrics.charts.analyses.pool.earlier_labels import EarlierConclusion, advice_notes
from metrics.charts.analyses.pool.label_set_words import MeasureWords, SetKind, SetWords
from metrics.core.analyses.pool.conclusions import Conclusion, Conclusions
from metrics.core.analyses.pool.label_sets import GradeMoves

MARK = (
    "The mark for such advice is a tau-b of at least 0.9, a convention in this literature, with no "
    "pair of runs decided otherwise. It is no test, and what stays need not be right: nothing is "
    "told of relevant targets that no run returned, nor of other captions."
)


def conclusion(tau, *, opposite=0, lost=0, new=0):
    return Conclusion(tau, tau, 0, None, True, 9, opposite, lost, new)


def notes_of(*rows, n_pairs=45, n_decided=12, moves=None):
    earlier = [
        EarlierConclusion(SetWords(SetKind.EARLIER, "x", 100 * 10**number, moves), conclusion)
        for number, conclusion in enumerate(rows)
    ]
    return advice_notes(earlier, n_pairs=n_pairs, n_decided=n_decided, queries="captions")


@pytest.mark.parametrize(
    ("rows", "sentences"),
    [
        (
            [conclusion(1.0), conclusion(1.0)],
            [
                "Without the last 1,000 labels the order of the runs is the same (tau-b 1), and "
                "the same 12 of 45 pairs of runs differ: as many more labels of this kind would "
                "hardly change that."
            ],
        ),
        (
            [conclusion(0.9)],
            [
                "Without the last 100 labels the order of the runs is nearly the same (tau-b "
                "0.9), and the same 12 of 45 pairs of runs differ: as many more labels of this "
                "kind would hardly change that."
            ],
        ),
        (
            [conclusion(1.0, opposite=1, lost=1, new=1), conclusion(1.0)],
            ["The last 100 labels still moved 3 of 45 decisions on pairs of runs: go on."],
        ),
        (
            [conclusion(0.89)],
            ["The last 100 labels still moved the order of the runs (tau-b 0.89): go on."],
        ),
        (
            [conclusion(1.0), conclusion(0.95), conclusion(0.8, lost=2), conclusion(0.1)],
            [
                "Without the last 1,000 labels the order of the runs is nearly the same (tau-b "
                "0.95), and the same 12 of 45 pairs of runs differ: as many more labels of this "
                "kind would hardly change that.",
                "The last 10,000 labels still moved 2 of 45 decisions on pairs of runs and the "
                "order of the runs (tau-b 0.8): as many more may move as much again.",
            ],
        ),
        (
            [conclusion(None, lost=12)],
            ["The last 100 labels still moved 12 of 45 decisions on pairs of runs: go on."],
        ),
    ],
)
def test_the_last_labels_moved_something_or_nothing(rows, sentences):
    assert notes_of(*rows) == [*sentences, MARK]


@pytest.mark.parametrize(
    ("moves", "ending"),
    [
        (GradeMoves(3, 0, 0, 0), "(tau-b 0.5): go on."),
        (
            GradeMoves(3, 0, 1, 1),
            "(tau-b 0.5); without them 1 pair has no grade by people, and 4 have another one, or "
            "a first one: go on.",
        ),
        (
            GradeMoves(0, 900, 1, 1_300),
            "(tau-b 0.5); without them 1,300 pairs have no grade by people, and 1 has another one, "
            "or a first one: labels of pairs that have no grade by people yet may move as much "
            "again; what others would do is not known.",
        ),
    ],
)
def test_advice_tells_of_grades_that_are_only_lost_and_is_weaker_if_most_are(moves, ending):
    assert notes_of(conclusion(0.5), moves=moves)[0].endswith(ending)
    note = notes_of(conclusion(1.0), conclusion(0.5), moves=moves)[1]
    assert note.endswith(ending.replace("go on", "as many more may move as much again"))


def test_a_tau_is_never_rounded_up_to_the_mark_or_to_1():
    assert "(tau-b 0.899): go on" in notes_of(conclusion(0.89996))[0]
    assert "nearly the same (tau-b 0.999)" in notes_of(conclusion(0.99996))[0]


def test_where_no_runs_differ_or_one_pair_does():
    assert (
        "and of 3 pairs of runs none differs, as today: as many"
        in (notes_of(conclusion(1.0), n_pairs=3, n_decided=0)[0])
    )
    assert (
        "and the same 1 of 1 pair of runs differs: as many"
        in (notes_of(conclusion(1.0), n_pairs=1, n_decided=1)[0])
    )


def test_without_an_order_or_finite_scores_there_is_no_advice():
    nothing = Conclusion(*[None] * len(Conclusion._fields))
    assert notes_of() == notes_of(nothing) == notes_of(conclusion(None)) == []


def test_advice_stands_first_among_the_notes_and_the_headline_is_of_other_label_sets():
    sets = [SetWords(SetKind.PERSON, "ann"), SetWords(SetKind.EARLIER, "without the last 100", 100)]
    result = conclusions_result(
        Conclusions([conclusion(1.0)], 3, 3, 3),
        sets,
        earlier=[conclusion(0.3, lost=2)],
        runs=["A", "B", "C"],
        measure=MeasureWords("AP"),
        n_groups=40,
        unit="captions",
        nouns=Nouns("captions", "40 captions", ["A note."]),
    )
    assert result.headline == (
        "Of 3 pairs of runs that differ by AP, 3 do so under 1 other label set too; none of them "
        "orders the runs otherwise"
    )
    assert result.notes[:2] == [
        "The last 100 labels still moved 2 of 3 decisions on pairs of runs and the order of the "
        "runs (tau-b 0.3): go on.",
        MARK,
    ]
    assert [row[:3] for row in result.rows] == [
        ["without one annotator", "ann", None],
        ["earlier labels", "without the last 100", 100],
    ]
    points = result.spec["layer"][0]["data"]["values"]
    assert [point["kind"] for point in points] == ["without one annotator"] * 2 + [
        "earlier labels"
    ] * 2
