"""Coefficients of agreement: against krippendorff, scikit-learn, statsmodels and a recount."""

import warnings
from itertools import combinations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa
from statsmodels.stats.proportion import proportion_confint

from metrics.core.agreement.counts import annotations
from metrics.core.analyses.labels.coefficients import (
    agreement_coefficients,
    gold_shares,
    mean_cohen_kappa,
)
from metrics.core.statistics.resampling import resamples
from tests.sizes import cases

DOMAIN = [0, 1, 2]
ROWS = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 3), st.sampled_from(DOMAIN), st.booleans()),
    min_size=1,
    max_size=28,
    unique_by=lambda row: row[:2],
)


def described(rows, group_of_pair=None, *, level="ordinal"):
    """Coefficients of rows of (pair, annotator, grade, planned); a group a pair by default."""
    pair, annotator, grade, planned = zip(*rows, strict=True)
    labels = annotations(pair, annotator, grade, domain=DOMAIN)
    groups = labels.units if group_of_pair is None else group_of_pair[labels.units]
    return agreement_coefficients(labels, np.array(planned), groups, level=level)


def grades_of(rows):
    """Pair -> annotator -> grade, of the pairs with two labels or more."""
    grades = {}
    for pair, annotator, grade, _ in rows:
        grades.setdefault(pair, {})[annotator] = grade
    return {pair: labels for pair, labels in grades.items() if len(labels) > 1}


def their_alpha(pairs, level):
    table = np.full((4, len(pairs)), np.nan)
    for column, labels in enumerate(pairs):
        for annotator, grade in labels.items():
            table[annotator, column] = grade
    return krippendorff.alpha(table, level_of_measurement=level, value_domain=DOMAIN)


def their_kappas(pairs, weights):
    """Kappa and number of common pairs of each two annotators that have one."""
    for first, second in combinations(range(4), 2):
        common = [labels for labels in pairs if {first, second} <= labels.keys()]
        sides = [[labels[person] for labels in common] for person in (first, second)]
        if common:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                kappa = cohen_kappa_score(*sides, labels=DOMAIN, weights=weights)
            if len(set(sides[0] + sides[1])) > 1:
                yield kappa, len(common)


@cases(150)
@given(ROWS, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_that_of_krippendorff_whole_planned_and_by_number(rows, level):
    result = described(rows, level=level)
    every = list(grades_of(rows).values())
    parts = [
        (result.whole.alpha, level, every),
        (result.whole.nominal, "nominal", every),
        (result.planned.alpha, level, list(grades_of([r for r in rows if r[3]]).values())),
    ]
    numbers = sorted({len(labels) for labels in every})
    assert [part.key for part in result.by_number] == numbers
    for part in result.by_number:
        parts.append((part.alpha, level, [labels for labels in every if len(labels) == part.key]))
    for alpha, its_level, pairs in parts:
        assert alpha.n_pairable_units == len(pairs)
        if len({grade for labels in pairs for grade in labels.values()}) < 2:
            assert alpha.value is None and alpha.low is None
        else:
            assert alpha.value == pytest.approx(their_alpha(pairs, its_level), abs=1e-9)


@cases(150)
@given(ROWS)
def test_cohens_kappas_are_scikit_learns_averaged_by_common_pairs(rows):
    result = described(rows)
    for part, chosen in ((result.whole, rows), (result.planned, [r for r in rows if r[3]])):
        pairs = list(grades_of(chosen).values())
        for kappa, weights in ((part.cohen, None), (part.weighted_cohen, "quadratic")):
            theirs = list(their_kappas(pairs, weights))
            assert kappa.n_people == len(theirs)
            assert kappa.n_pairs == sum(n for _, n in theirs)
            n_common = sum(len(labels) * (len(labels) - 1) // 2 for labels in pairs)
            assert kappa.n_left_out == n_common - kappa.n_pairs
            if not theirs:
                assert kappa.value is None and kappa.interval == (None, None)
            else:
                mean = sum(value * n for value, n in theirs) / kappa.n_pairs
                assert kappa.value == pytest.approx(mean, abs=1e-9)
    assert described(rows, level="nominal").whole.weighted_cohen is None


@cases(150)
@given(ROWS)
def test_fleiss_kappa_is_statsmodels_of_the_commonest_number_and_shares_are_recounted(rows):
    part = described(rows).whole
    values = [list(labels.values()) for labels in grades_of(rows).values()]
    if not values:
        assert part.fleiss is None and part.percent.unanimous_units is None
        return
    sizes = [len(grades) for grades in values]
    commonest = min(set(sizes), key=lambda size: (-sizes.count(size), size))
    table = [[g.count(level) for level in DOMAIN] for g in values if len(g) == commonest]
    assert (part.fleiss.n_pairs, part.fleiss.n_labels) == (len(table), commonest)
    if np.count_nonzero(np.sum(table, axis=0)) < 2:
        assert part.fleiss.value is None
    else:
        assert part.fleiss.value == pytest.approx(fleiss_kappa(np.array(table)), abs=1e-9)
    unanimous = [len(set(grades)) == 1 for grades in values]
    assert part.percent.unanimous_units == pytest.approx(np.mean(unanimous))
    equal = [np.mean([a == b for a, b in combinations(grades, 2)]) for grades in values]
    assert part.percent.mean_of_units == pytest.approx(np.mean(equal))


def made_rows(n_pairs=240):
    """Two planned labels of each pair by two of four people, a third where they differ."""
    rng = np.random.default_rng(11)
    rows = []
    for pair in range(n_pairs):
        people = rng.choice(4, 3, replace=False).tolist()
        first = int(rng.choice(3, p=[0.5, 0.3, 0.2]))
        second = first if rng.random() < 0.7 else int(rng.integers(3))
        rows += [(pair, people[0], first, True), (pair, people[1], second, True)]
        if first != second:
            rows.append((pair, people[2], first, False))
    return rows


def test_third_labels_after_a_disagreement_are_among_all_labels_alone():
    result = described(made_rows())
    assert [part.key for part in result.by_number] == [2, 3]
    assert result.planned.percent.n_units == result.whole.percent.n_units == 240
    assert result.by_number[0].percent.unanimous_units == 1
    assert result.unanimous_intervals[1].low == 0
    assert result.whole.alpha.value > result.planned.alpha.value


def test_intervals_of_cohens_and_fleiss_kappa_are_those_of_samples_of_groups_by_packages():
    rows = [row for row in made_rows() if row[3]]
    group_of_pair = np.arange(240) // 6  # forty groups of six pairs
    part = described(rows, group_of_pair).planned
    pairs = list(grades_of(rows).values())
    samples = resamples(40, 1000, seed=40)[:200]
    kappas = []
    for sample in samples:
        drawn = [pair for number, pair in enumerate(pairs) for _ in range(sample[number // 6])]
        theirs = list(their_kappas(drawn, None))
        kappas.append(sum(value * n for value, n in theirs) / sum(n for _, n in theirs))
    low, high = part.cohen.interval
    assert high - low == pytest.approx(2 * 2.0227 * np.std(kappas, ddof=1), rel=0.15)
    assert (low + high) / 2 == pytest.approx(np.mean(kappas), abs=0.02)
    assert part.cohen.interval.low < part.cohen.value < part.cohen.interval.high
    fleiss = []
    for sample in resamples(40, 1000, seed=40):
        drawn = np.repeat(np.arange(240), sample.astype(int)[group_of_pair])
        table = np.zeros((240, 3), dtype=int)
        for number, labels in enumerate(pairs):
            for grade in labels.values():
                table[number, grade] += 1
        fleiss.append(fleiss_kappa(table[drawn]))
    assert np.quantile(fleiss, [0.025, 0.975]) == pytest.approx(part.fleiss.interval, abs=0.012)


def test_one_group_has_no_interval():
    part = described(made_rows(), np.zeros(240, dtype=np.int64)).planned
    assert part.alpha.value is not None and part.alpha.low is None
    assert part.fleiss.interval == part.cohen.interval == part.unanimous_interval == (None, None)


def test_kappa_of_labels_without_a_common_pair_is_not_defined():
    labels = annotations([0, 1], [0, 1], [0, 1], domain=DOMAIN)
    kappa = mean_cohen_kappa(labels, np.array([0, 1]), weights="nominal")
    assert kappa == (None, (None, None), 0, 0, 0)


def test_golds_are_told_over_answers_and_over_annotators():
    person = np.array([3, 3, 3, 3, 8])
    shares = gold_shares(person, np.array([True, False, True, True, False]))
    assert shares[:2] == (3, 5)
    assert shares.interval == pytest.approx(proportion_confint(3, 5, method="wilson"))
    assert (shares.n_annotators, shares.mean) == (2, 0.375)
    assert (shares.least, shares.most) == (0, 0.75)
    assert gold_shares(person[:0], np.zeros(0, dtype=bool)) is None
