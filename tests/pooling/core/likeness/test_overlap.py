"""Likeness of two runs: published values, definitions written out, and SciPy."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pooling.core.likeness import overlap
from pooling.core.likeness.rankings import Rankings, shared_targets, top
from tests.pooling.core.likeness import two_runs
from tests.pooling.core.likeness.tied_runs import tied_overlap
from tests.sizes import cases

RANKING = st.lists(st.integers(0, 15), unique=True, max_size=12)

# Rows of the test table that Corsi & Urbano publish with "The Treatment of Ties in Rank-Biased
# Overlap" (SIGIR 2024): two rankings, ties in brackets, p, then ext, min, max, res for the readings
# w, a and b.
TIED = [
    (
        "(i5 i9 i13 i15 i16 i19 i20) (i3 i8)",
        "i6 (i4 i18) i2 i7 i8 i17 i14 (i11 i12) i1",
        0.958074765324023,
        [0.081648557328, 0.037006275480, 0.594935696576, 0.557929421096],
        [0.080818983277, 0.035467182508, 0.593396603604, 0.557929421096],
        [0.081369361987, 0.035626730732, 0.593556151828, 0.557929421096],
    ),
    (
        "i13 (i1 i4 i5 i6)",
        "i3 i14 i11 (i10 i15) i12 (i6 i9) i4 i2",
        0.92238320668128,
        [0.117578490432, 0.076313526422, 0.539993661181, 0.463680134759],
        [0.114619469221, 0.073354505212, 0.537945108035, 0.464590602823],
        [0.114748354090, 0.073483390081, 0.538589532381, 0.465106142300],
    ),
    (
        "(i4 i7 i15) (i2 i11) i8 i18",
        "i4 i8 i17 i11 (i2 i3 i5 i7 i9 i13 i14)",
        0.955836875418683,
        [0.601671359996, 0.310498723372, 0.820912519609, 0.510413796237],
        [0.584235464667, 0.295503371358, 0.805839323151, 0.510335951793],
        [0.632087129618, 0.322093781902, 0.833840285844, 0.511746503942],
    ),
    (
        "i3 i10 (i2 i4 i5)",
        "(i3 i5 i7 i10) (i2 i4 i6 i11)",
        0.968045007945821,
        [0.867306353299, 0.306812019468, 0.938761285001, 0.631949265533],
        [0.828433425498, 0.290505194262, 0.922662966374, 0.632157772112],
        [0.873201713979, 0.316525120230, 0.949498314166, 0.632973193936],
    ),
    (
        "i9 (i1 i2 i3 i5 i6 i8 i12)",
        "(i6 i8 i9 i11 i17 i19) i1 (i2 i10) i20 i18 i21 i3 (i5 i7)",
        0.930665834343176,
        [0.586557400335, 0.390471235149, 0.701682819288, 0.311211584139],
        [0.534360343094, 0.344235462568, 0.655849663172, 0.311614200604],
        [0.610887585819, 0.416510797770, 0.728339252530, 0.311828454759],
    ),
]


def run_of(*rankings: list[int]) -> Rankings:
    docs = np.array([doc for ranking in rankings for doc in ranking], dtype=np.int64)
    return Rankings(np.cumsum([0, *map(len, rankings)]), docs)


def tie_groups(text: str) -> tuple[list[int], list[int]]:
    items, scores = [], []
    for group, match in enumerate(re.finditer(r"\(([^)]*)\)|(\S+)", text)):
        for item in (match[1] or match[2]).split():
            items.append(int(item[1:]))
            scores.append(-group)
    return items, scores


@pytest.mark.parametrize(("first", "second", "p", "w", "a", "b"), TIED)
def test_overlap_with_ties_equals_the_published_values(first, second, p, w, a, b):
    for ties, expected in (("w", w), ("a", a), ("b", b)):
        rbo = tied_overlap(*tie_groups(first), *tie_groups(second), p=p, ties=ties)
        assert rbo == pytest.approx(expected, abs=1e-11)


def test_the_example_of_their_manual():
    first, second = tie_groups("i1 (i2 i3) i4 i5"), tie_groups("(i2 i1) i6 (i4 i7 i8) i3")
    expected = {
        "a": (0.6922853, 0.3310519, 0.8930692, 0.5620173),
        "w": (0.7068257, 0.3429684, 0.9049857, 0.5620173),
        "b": (0.7207131, 0.3509163, 0.9129336, 0.5620173),
    }
    for ties, values in expected.items():
        assert tied_overlap(*first, *second, p=0.95, ties=ties) == pytest.approx(values, abs=5e-8)


def rbo_ext_by_definition(first: list[int], second: list[int], p: float) -> float:
    """Webber et al. 2010, Eq. 32, term by term."""
    short, long = sorted((first, second), key=len)
    s, n = len(short), len(long)
    if not s:
        return float(n == 0)
    x = [len(set(short[:d]) & set(long[:d])) for d in range(n + 1)]
    total = sum(x[d] / d * p**d for d in range(1, n + 1))
    total += sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * total + ((x[n] - x[s]) / n + x[s] / s) * p**n


@cases(300)
@given(st.lists(st.tuples(RANKING, RANKING), min_size=1, max_size=4), st.floats(0.05, 0.98))
def test_extrapolated_overlap_follows_its_definition_for_every_query(pairs, p):
    first, second = (run_of(*side) for side in zip(*pairs, strict=True))
    rbo = two_runs.rank_biased_overlap(first, second, p=p)
    assert rbo.ext == pytest.approx(
        [rbo_ext_by_definition(left, right, p) for left, right in pairs], abs=1e-12
    )
    for query, (left, right) in enumerate(pairs):
        untied = tied_overlap(left, -np.arange(len(left)), right, -np.arange(len(right)), p=p)
        assert [values[query] for values in rbo[:4]] == pytest.approx(untied, abs=1e-12)
    assert np.all(rbo.min <= rbo.ext + 1e-12)
    assert np.all(rbo.ext <= rbo.max + 1e-12)


@cases(200)
@given(RANKING, RANKING, st.floats(0.05, 0.98))
def test_overlap_is_symmetric_and_its_bounds_hold_for_longer_rankings(first, second, p):
    left, right = run_of(first), run_of(second)
    rbo, rbo_reversed = (
        two_runs.rank_biased_overlap(*pair, p=p) for pair in ((left, right), (right, left))
    )
    assert np.allclose(rbo, rbo_reversed, atol=1e-12)
    longer = two_runs.rank_biased_overlap(
        run_of([*first, 90, 91, 92]), run_of([*second, 92, 93]), p=p
    )
    assert rbo.min[0] - 1e-12 <= longer.ext[0] <= rbo.max[0] + 1e-12


def test_one_ranking_agrees_with_itself_by_1_but_its_truncated_sum_does_not():
    run = run_of([3, 1, 2])
    rbo = two_runs.rank_biased_overlap(run, run, p=0.9)
    assert (rbo.ext[0], rbo.max[0]) == pytest.approx((1, 1))
    assert rbo.truncated[0] == pytest.approx(1 - 0.9**3)


def test_two_empty_rankings_agree_and_one_empty_one_does_not():
    rbo = two_runs.rank_biased_overlap(run_of([], []), run_of([], [1]), p=0.9)
    assert rbo.ext.tolist() == [1.0, 0.0]
    assert tuple(tied_overlap([], [], [], [], p=0.9)) == (1.0, 0.0, 1.0, 1.0)


@pytest.mark.parametrize("p", [0, 1, -0.1])
def test_p_outside_0_to_1_is_refused(p):
    with pytest.raises(ValueError, match="between 0 and 1"):
        two_runs.rank_biased_overlap(run_of([1]), run_of([1]), p=p)


def test_an_unknown_reading_of_ties_lists_what_exists():
    with pytest.raises(ValueError, match="there are: w, a, b"):
        tied_overlap([1], [1], [1], [1], p=0.9, ties="c")


def test_a_repeated_target_is_refused():
    with pytest.raises(ValueError, match="twice"):
        shared_targets(run_of([1, 2, 1]), run_of([1, 2]))
    with pytest.raises(ValueError, match="twice"):
        tied_overlap([1, 1], [2, 1], [1], [1], p=0.9)


@cases(200)
@given(st.lists(st.tuples(RANKING, RANKING), min_size=1, max_size=5), st.integers(1, 14))
def test_overlap_at_k_counts_common_targets_of_the_first_k(pairs, k):
    first, second = (run_of(*side) for side in zip(*pairs, strict=True))
    expected = [
        len(set(left[:k]) & set(right[:k])) / max(len(left[:k]), len(right[:k]), 1)
        for left, right in pairs
    ]
    assert overlap.overlap(first, second, k=k).tolist() == expected


@cases(200)
@given(st.lists(st.tuples(RANKING, RANKING), min_size=1, max_size=5))
def test_kendall_over_common_targets_equals_scipy(pairs):
    first, second = (run_of(*side) for side in zip(*pairs, strict=True))
    for tau, (left, right) in zip(two_runs.kendall(first, second), pairs, strict=True):
        common = [doc for doc in left if doc in right]
        if len(common) < 2:
            assert np.isnan(tau)
        else:
            expected = stats.kendalltau(
                [left.index(doc) for doc in common], [right.index(doc) for doc in common]
            )
            assert tau == pytest.approx(expected.statistic, abs=1e-12)


def test_the_favourite_s_rank_is_beyond_the_end_where_it_is_missing():
    first, second = run_of([7, 1], [8], [], [5]), run_of([2, 7], [1, 2, 3], [1], [])
    assert two_runs.rank_of_favourite(first, second).tolist()[:2] == [2.0, 4.0]
    assert np.isnan(two_runs.rank_of_favourite(first, second)[2])
    assert two_runs.rank_of_favourite(first, second)[3] == 1.0


def test_the_top_of_a_run_keeps_short_rankings_whole():
    cut = top(run_of([1, 2, 3], [4], []), 2)
    assert (cut.docs.tolist(), cut.indptr.tolist()) == ([1, 2, 4], [0, 2, 3, 3])
