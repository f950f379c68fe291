"""The sentence and table of labels by pool: FIRE's printed shares, and no claim of a few pairs."""

import numpy as np
import pytest

from metrics.charts.analyses.labels.by_pool import by_pool_result
from metrics.core.analyses.labels.by_pool import (
    PairOutcome,
    PairOutcomes,
    PoolMembers,
    RoundLabels,
    labels_by_pool,
)


def result(n_relevant, n_irrelevant, n_disputed, *, n_doubles=0, n_differ=0, names=("all",)):
    """Of pairs with one label, and some with two, each pool holds all pairs."""
    n = n_relevant + n_irrelevant + n_disputed
    outcome = np.repeat(
        [PairOutcome.GRADED, PairOutcome.DISPUTED], [n_relevant + n_irrelevant, n_disputed]
    )
    grade = (np.arange(n) < n_relevant).astype(np.int64)
    second = grade[:n_doubles].copy()
    second[:n_differ] = 1 - second[:n_differ]
    pair = np.concatenate([np.arange(n), np.arange(n_doubles)])
    yes = np.ones(len(pair), dtype=bool)
    pools = labels_by_pool(
        [PoolMembers(name, "pool", None, np.arange(n)) for name in names],
        PairOutcomes(outcome, grade, np.arange(n)),
        RoundLabels(pair, np.concatenate([grade, second]), yes.astype(np.int64), yes, ~yes),
        threshold=1,
        domain=np.array([0, 1]),
        level="nominal",
    )
    return by_pool_result(pools, threshold=1, level="nominal", groups="queries", notes=["Rough."])


@pytest.mark.parametrize(
    ("counts", "printed"),
    [
        ((2_855, 21_312, 16), ("99.9", "11.81", "0.066")),  # FIRE, Table 2: 99.9, 11.8, .0662
        ((39_909, 513_923, 1_559), ("99.7", "7.21", "0.281")),  # 99.7, 7.21, .281
    ],
    ids=["MSR-VTT", "MSVD"],
)
def test_the_shares_of_fires_counts_are_its_printed_ones(counts, printed):
    table = result(*counts)
    keys = [column.key for column in table.columns]
    shares = [
        str(table.printed_rows()[0][keys.index(key)]) for key in ("graded", "relevant", "disputed")
    ]
    assert tuple(shares) == printed


def test_agreement_is_told_from_30_pairs_on():
    few = result(20, 40, 1, n_doubles=29, n_differ=3)
    assert few.headline == (
        "60 of 61 pairs (98.4 %) have a grade, 20 of them (33.3 %) a relevant one; 29 pairs have "
        "two or more planned labels"
    )
    many = result(20, 40, 1, n_doubles=30, n_differ=3).headline
    assert "; in 90.0 % (95 % interval 74.4 to " in many and "of the 30 with two or more" in many
    assert ", alpha is 0." in many


def test_agreement_without_alpha_where_all_labels_are_the_same():
    headline = result(40, 0, 0, n_doubles=40).headline
    assert headline.startswith("40 of 40 pairs (100.0 %) have a grade, 40 of them (100.0 %)")
    assert "in 100.0 % (95 % interval 91.2 to 100.0) of the 40 with" in headline
    assert "alpha" not in headline


def test_nothing_is_relevant_or_shared_where_nothing_has_a_grade():
    table = result(0, 0, 1)
    assert (
        table.headline
        == "0 of 1 pair (0.0 %) have a grade; 0 pairs have two or more planned labels"
    )
    row = dict(zip([column.key for column in table.columns], table.rows[0], strict=True))
    assert row["relevant"] is None and row["unanimous"] is None and row["alpha"] is None
    assert "Relevant is a grade from 1 up." in table.reading
    assert table.notes == ["Rough."] and table.extent == "1 label of 1 pair; 1 pool"


def test_a_chart_of_alpha_stands_where_two_parts_have_one():
    assert result(20, 40, 1, n_doubles=30, n_differ=3).spec is None
    chart = result(20, 40, 1, n_doubles=30, n_differ=3, names=("one", "two")).spec
    assert [value["pool"] for value in chart["data"]["values"]] == ["one", "two"]
