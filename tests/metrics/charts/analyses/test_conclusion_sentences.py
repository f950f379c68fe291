"""Headlines on conclusions under other label sets: what moves the order most, if anything does."""

import pytest

from metrics.charts.analyses.nouns import Nouns
from metrics.charts.analyses.pool.conclusions import SetKind, SetWords, conclusions_result
from metrics.core.analyses.pool.conclusions import Conclusion, Conclusions

NOUNS = Nouns("queries", "40 queries", [])


def headline_of(*taus: float, n_groups: int = 40, unit: str = "queries") -> str:
    names = ["ann", "bob", "cem"]
    sets = [SetWords(SetKind.PERSON, name) for name in names[: len(taus)]]
    rows = [Conclusion(tau, tau, 1, 0, False, 2, 0, 1, 0) for tau in taus]
    result = conclusions_result(
        Conclusions(rows, 3, 3, 2),
        sets,
        runs=["A", "B", "C"],
        measure="AP",
        n_groups=n_groups,
        unit=unit,
        nouns=NOUNS,
    )
    return result.headline


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


def test_few_groups_are_not_called_queries():
    assert headline_of(1.0, n_groups=7, unit="groups of queries") == (
        "AP of 3 runs under 1 other label set, over only 7 groups of queries"
    )
    assert headline_of(1.0, n_groups=7).endswith(", over only 7 queries")
    assert headline_of(1.0, n_groups=1, unit="groups of queries").endswith(
        "only 1 group of queries"
    )
