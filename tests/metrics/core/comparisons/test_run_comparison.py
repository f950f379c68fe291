"""Decided differences equal the tests behind them, for each method."""

from itertools import combinations

import numpy as np
import pytest

from metrics.core.comparisons import run_comparison
from metrics.core.comparisons.letters import letters
from metrics.core.comparisons.permutation_tests import randomized_tukey_p
from metrics.core.comparisons.range_tests import METHODS as RANGE_METHODS
from metrics.core.comparisons.range_tests import compare_systems, exceed_own_errors, pseudo_groups
from metrics.core.comparisons.run_comparison import METHODS, decide, randomization_p, tosses
from metrics.core.comparisons.significance import holm, randomization
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.resampling import sorted_rows

MADE = np.random.default_rng(3)
SCORES = np.clip(
    MADE.random((60, 1)) * 0.4 + MADE.normal([0.1, 0.12, 0.3, 0.3], 0.1, (60, 4)), 0, 1
)


@pytest.fixture
def rng():
    """A generator for each test, so that tests do not depend on their order."""
    return np.random.default_rng(4)


@pytest.mark.parametrize("method", RANGE_METHODS)
def test_the_methods_on_the_range_are_the_library_s(method):
    verdicts, same = decide(SCORES, method=method), compare_systems(SCORES, method=method)
    assert verdicts.order.tolist() == same.order.tolist()
    assert (
        verdicts.significant.tolist() == same.significant.tolist()
        and verdicts.groups == same.groups
    )
    assert (verdicts.method, verdicts.n_samples) == (method, 0)


def one_apart(seed: int, *, n_systems: int = 10) -> np.ndarray:
    """Equal systems, of which the first alone varies much from query to query."""
    scores = np.random.default_rng(seed).normal(size=(50, n_systems))
    scores[:, 0] *= 5
    return scores


@pytest.mark.parametrize("method", [name for name in METHODS if name != "newman-keuls"])
def test_a_system_that_alone_varies_is_not_told_from_its_equals(method):
    wrong = [
        decide(one_apart(seed), method=method, n_samples=950).significant.any()
        for seed in range(200)
    ]
    assert np.mean(wrong) <= 0.07


def test_by_one_error_for_all_pairs_it_would_be():
    tables = [one_apart(seed) for seed in range(200)]
    assert (
        np.mean([compare_systems(table, method="regwq").significant.any() for table in tables])
        > 0.12
    )
    p = [randomized_tukey_p(table, n_samples=500).min() for table in tables]
    assert np.mean(np.array(p) < 0.05) > 0.12


@pytest.mark.parametrize("method", RANGE_METHODS)
def test_two_differ_only_where_their_own_differences_say_so_too(method):
    table = np.random.default_rng(7).normal(
        np.linspace(0, 1.2, 6), [0.3, 0.3, 3, 0.3, 0.3, 0.3], (25, 6)
    )
    verdicts, pooled = decide(table, method=method), compare_systems(table, method=method)
    own = exceed_own_errors(table, method=method)[np.ix_(verdicts.order, verdicts.order)]
    expected = pooled.significant if method == "newman-keuls" else pooled.significant & own
    assert verdicts.significant.tolist() == expected.tolist()
    assert verdicts.groups == pseudo_groups(expected) and verdicts.letters == letters(expected)
    assert (pooled.significant & ~own).any()


def test_randomized_tukey_is_the_first_method_and_the_library_s():
    assert METHODS[0] == "randomized-tukey"
    verdicts = decide(SCORES, method="randomized-tukey")
    p = randomized_tukey_p(sorted_rows(SCORES), n_samples=10_000)[
        np.ix_(verdicts.order, verdicts.order)
    ]
    assert verdicts.significant.tolist() == (p < 0.05).tolist()
    assert verdicts.groups == pseudo_groups(verdicts.significant)
    assert (verdicts.method, verdicts.n_samples) == ("randomized-tukey", 10_000)
    assert [sorted(verdicts.order[group].tolist()) for group in verdicts.groups] == [[2, 3], [0, 1]]


@pytest.mark.parametrize("method", METHODS)
def test_letters_say_what_differs(method):
    verdicts = decide(SCORES, method=method)
    assert verdicts.letters == letters(verdicts.significant)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_values_have_the_same_verdicts_in_whatever_order(method):
    rng = np.random.default_rng(0)
    table = np.round(
        rng.random((40, 1)) * 0.3 + rng.normal(np.linspace(0, 0.2, 6), 0.2, (40, 6)), 2
    )
    groups = Groups.of(np.arange(40) // 2)
    for of in (Groups.single(40), groups):
        verdicts, mixed = (
            decide(table, method=method, groups=of, n_samples=400),
            rng.permutation(40),
        )
        again = decide(
            table[mixed], method=method, groups=Groups.of(of.of_query[mixed]), n_samples=400
        )
        assert verdicts.order.tolist() == again.order.tolist()
        assert verdicts.significant.tolist() == again.significant.tolist()


def test_randomized_tukey_has_the_same_verdicts_in_whatever_order_systems_come():
    systems = np.array([2, 0, 3, 1])
    verdicts, again = (
        decide(table, method="randomized-tukey", n_samples=300)
        for table in (SCORES, SCORES[:, systems])
    )
    assert verdicts.order.tolist() == systems[again.order].tolist()
    assert verdicts.significant.tolist() == again.significant.tolist()


def test_groups_are_permuted_as_a_whole():
    """Three of four groups of fifteen say one thing; sixty single queries would decide."""
    table = np.stack([np.repeat([0.8, 0.8, 0.8, 0.2], 15), np.full(60, 0.5)], axis=1)
    groups = Groups.of(np.repeat(np.arange(4), 15))
    assert decide(table, method="randomized-tukey").significant[0, 1]
    assert not decide(table, method="randomized-tukey", groups=groups).significant[0, 1]


def test_tukey_decides_where_permuting_would_take_too_long(monkeypatch):
    monkeypatch.setattr(run_comparison, "affordable_samples", lambda *_, **__: 0)
    groups = Groups.of(np.arange(60) // 3)
    verdicts, same = (decide(SCORES, method=method, groups=groups) for method in METHODS[:2])
    assert (verdicts.method, verdicts.n_samples) == ("tukey", 0)
    assert verdicts.significant.tolist() == same.significant.tolist()
    assert decide(SCORES, method="randomized-tukey", n_samples=50).method == "randomized-tukey"


def test_randomization_of_many_pairs_at_once_agrees_with_one_at_a_time(rng):
    at_once = randomization_p(SCORES, rng=np.random.default_rng(1), n_samples=20_000)
    for i, j in combinations(range(4), 2):
        alone = randomization(SCORES[:, i], SCORES[:, j], rng=rng, n_samples=20_000).p_value
        assert at_once[i, j] == at_once[j, i] == pytest.approx(alone, abs=0.015)
    assert (np.diag(at_once) == 1).all()


def test_a_pair_that_is_equal_on_most_queries_has_the_p_of_those_that_differ(rng):
    scores = np.zeros((20, 3))
    scores[:3, 1] = scores[:6, 2] = 1
    p = randomization_p(scores, rng=rng, n_samples=20_000)
    # all of three coins, or of six, fall alike, on either side
    assert p[0] == pytest.approx([1, 2 / 2**3, 2 / 2**6], abs=0.01)
    assert p[1, 2] == pytest.approx(2 / 2**3, abs=0.01)


def test_randomization_tells_the_two_good_systems_from_the_two_bad_ones():
    verdicts = decide(SCORES, method="randomization")
    assert [sorted(verdicts.order[group].tolist()) for group in verdicts.groups] == [[2, 3], [0, 1]]


def test_the_verdict_is_holm_s_not_the_single_test_s(rng):
    scores = np.random.default_rng(0).random((40, 8)) * 0.5
    scores[:, 0] += 0.09
    verdicts = decide(scores, method="randomization")
    ranked = scores[:, verdicts.order]
    pairs = list(combinations(range(8), 2))
    p = [
        randomization(ranked[:, i], ranked[:, j], rng=rng, n_samples=10_000).p_value
        for i, j in pairs
    ]
    alone, together = np.array(p) < 0.05, holm(p) < 0.05
    assert alone.sum() > together.sum()
    assert verdicts.significant[tuple(np.array(pairs).T)].sum() == together.sum()


def test_randomization_tosses_so_often_that_holm_lets_some_pair_differ():
    assert [tosses(250, n, alpha=0.05) for n in (4, 32, 129, 141)] == [
        10_000,
        10_000,
        165_121,
        197_401,
    ]
    table = np.random.default_rng(0).normal(0, 0.1, (30, 40))
    table[:, :2] += 0.14
    assert decide(table, method="randomization").significant[0].sum() > 20
    assert not decide(table, method="randomization", n_samples=10_000).significant[0, 2:].all()
    bounded = hoeffding(table) < 0.05 / 780
    few = decide(table, method="randomization", n_samples=10_000)
    assert few.significant.sum() == bounded.sum() < 2 * 20


def hoeffding(table: np.ndarray) -> np.ndarray:
    """(S, S) bound of the exact p of each pair, one query after the other."""
    p = np.ones((table.shape[1],) * 2)
    for i, j in combinations(range(len(p)), 2):
        d = table[:, i] - table[:, j]
        if d.any():
            p[i, j] = p[j, i] = 2 * np.exp(-(d.sum() ** 2) / 2 / sum(x * x for x in d))
    return p


@pytest.mark.parametrize("seed", range(12))
def test_pairs_that_are_not_counted_to_the_end_have_the_verdict_of_all_tosses(seed):
    """Holm of the p of all tosses, or of Hoeffding's bound where it is small enough by itself."""
    made = np.random.default_rng(seed)
    table = made.normal(made.choice([0.0, 0.5, 1.0, 1.5], 9), 1, (40, 9)).round(1)
    table[:, 1] = table[:, 0]
    some, every = (
        randomization_p(table, rng=np.random.default_rng(5), n_samples=30_000, alpha=alpha)
        for alpha in (0.05, None)
    )
    bound, pairs = hoeffding(table), np.triu_indices(9, k=1)
    p = np.where(bound < 0.05 / 36, bound, every)
    assert ((holm(some[pairs]) < 0.05) == (holm(p[pairs]) < 0.05)).all()
    differ = holm(p[pairs]) < 0.05
    assert some[pairs][differ] == pytest.approx(p[pairs][differ])
    assert (some <= p + 1e-12).all() and (some < p).any()
    assert some[0, 1] == every[0, 1] == 1


@pytest.mark.parametrize(
    ("method", "n_systems", "fewest"),
    [
        ("randomization", 2, 6),  # 2 / 2^6 is .031
        ("randomization", 4, 8),  # six times 2 / 2^8 is .047
        ("randomized-tukey", 2, 6),
        ("randomized-tukey", 4, 3),  # 1 / 12^2 is .007
        ("randomized-tukey", 6, 2),  # 1 / 30 is .033
    ],
)
def test_too_few_queries_for_any_scores_to_differ_are_told(method, n_systems, fewest):
    """The best is the best on every query, and all others are alike: nothing is more extreme."""
    table = np.zeros((fewest, n_systems))
    table[:, 0], table[:, 1] = 1, -1
    assert decide(table, method=method, n_samples=40_000).can_differ
    if method == "randomization":
        least_p = randomization_p(table, rng=np.random.default_rng(0), n_samples=40_000)[0, 1]
        least_p *= n_systems * (n_systems - 1) / 2
    else:
        least_p = randomized_tukey_p(table, n_samples=40_000)[0, 1]
    assert least_p < 0.05
    if fewest > 2:
        few = decide(table[1:], method=method, n_samples=40_000)
        assert not few.can_differ and not few.significant.any()


@pytest.mark.parametrize(
    ("method", "shape"), [("randomization", (14, 32)), ("randomized-tukey", (2, 5))]
)
def test_luck_of_the_draws_tells_nothing_apart_where_no_scores_could(method, shape):
    """Of the draws now and then none is as far, though of all that there are some are."""
    table = np.zeros(shape)
    table[:, 0] = 1
    for seed in range(12):
        verdicts = decide(table, method=method, seed=seed)
        assert not verdicts.can_differ and not verdicts.significant.any()


def test_tossing_ends_once_every_pair_is_decided():
    rng = np.random.default_rng(0)
    tables = (rng.normal(0, 1, (5_000, 3)), rng.normal([0, 9, 18], 1, (50, 3)))
    for table, is_told in zip(tables, (False, True), strict=True):
        steps = []
        p = randomization_p(
            table,
            rng=np.random.default_rng(1),
            n_samples=10_000,
            alpha=0.05,
            report=lambda n_done, total, steps=steps: steps.append((n_done, total)),
        )
        assert len(steps) < 12 and steps[-1] == (10_000, 10_000)
        assert (p[np.triu_indices(3, k=1)] < 0.05).all() == is_told


@pytest.mark.parametrize("method", ["randomized-tukey", "randomization"])
def test_progress_of_the_draws_rises_to_their_number(method):
    steps = []
    table = np.random.default_rng(2).normal([0, 0, 0.45, 0.45], 1, (300, 4))
    verdicts = decide(table, method=method, report=lambda *step: steps.append(step))
    n_done = [n for n, _ in steps]
    assert len(steps) > 2 and n_done == sorted(n_done) and n_done[0] == 0
    assert {total for _, total in steps} == {verdicts.n_samples} == {n_done[-1]}


@pytest.mark.parametrize("shape", [(27_763, 129), (250, 142), (50, 1_000), (10_000_000, 40)])
def test_randomization_that_cannot_be_waited_for_is_not_begun(shape):
    assert tosses(*shape, alpha=0.05) == 0


@pytest.mark.parametrize(
    ("shape", "n"), [((27_763, 10), 10_000), ((100_000, 20), 5_000), ((0, 3), 10_000)]
)
def test_many_rows_are_tossed_less_often_but_as_often_as_the_correction_needs(shape, n):
    assert tosses(*shape, alpha=0.05) == n


def test_tukey_decides_where_tossing_so_many_rows_would_take_too_long(monkeypatch):
    monkeypatch.setattr(run_comparison, "_MOST_CELLS", 60 * 4 * 100)
    groups = Groups.of(np.arange(60) // 3)
    # 121 tosses are needed, 100 can be waited for
    assert decide(SCORES, method="randomization").method == "tukey"
    assert decide(SCORES, method="randomization", groups=groups).n_samples == 300  # twenty rows
    monkeypatch.setattr(run_comparison, "_MOST_CELLS", 1)
    verdicts, same = (
        decide(SCORES, method=method, groups=groups) for method in ("randomization", "tukey")
    )
    assert (verdicts.method, verdicts.n_samples) == ("tukey", 0)
    assert verdicts.significant.tolist() == same.significant.tolist()
    assert decide(SCORES, method="randomization", n_samples=50).method == "randomization"


@pytest.mark.parametrize("method", ["randomized-tukey", "randomization"])
def test_systems_that_never_differ_are_one_group(method):
    same = np.tile(np.random.default_rng(0).random((10, 1)), 3)
    verdicts = decide(same, method=method)
    assert verdicts.groups == [[0, 1, 2]] and verdicts.letters == [["a"], ["a"], ["a"]]


@pytest.mark.parametrize("scores", [np.ones((1, 3)), np.ones((3, 1)), np.full((3, 3), np.nan)])
def test_too_few_queries_or_systems_or_a_gap_are_refused(scores):
    with pytest.raises(ValueError, match="Two queries or more"):
        decide(scores, method="tukey")


def test_an_unknown_method_lists_what_exists():
    with pytest.raises(
        ValueError, match="randomized-tukey, tukey, regwq, randomization, newman-keuls"
    ):
        decide(SCORES, method="scheffe")
