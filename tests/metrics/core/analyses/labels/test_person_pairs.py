"""Agreement of each two annotators: against scikit-learn, SciPy, statsmodels and a recount."""

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from metrics.core.agreement import kappas
from metrics.core.analyses.labels import person_pairs as module
from metrics.core.analyses.labels.person_pairs import AnnotatorLabels, agreement_by_person
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import mean_intervals
from tests.sizes import cases

DOMAIN = [0, 1, 2, 5]  # positions, not distances, weigh disagreement
N_PEOPLE = 5

# (pair, annotator) -> grade, whether it was planned
LABELS = st.dictionaries(
    st.tuples(st.integers(0, 8), st.integers(0, N_PEOPLE - 1)),
    st.tuples(st.sampled_from(DOMAIN), st.booleans()),
    max_size=45,
)


def person_pairs(labels, *, has_order=True, n_people=N_PEOPLE, group_of_pair=None):
    """Each pair is a group of its own, unless it is said which."""
    rows = [(*key, *value) for key, value in labels.items()]
    pair, annotator, grade, planned = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    group = pair if group_of_pair is None else np.asarray(group_of_pair)[pair]
    return agreement_by_person(
        AnnotatorLabels(pair, annotator, grade, planned.astype(bool), group),
        n_annotators=n_people,
        domain=np.array(DOMAIN),
        has_order=has_order,
    )


def in_common(labels, first, second, *, only_planned):
    """The grades of both annotators on each pair that both labelled."""
    sides = [
        {
            pair: grade
            for (pair, annotator), (grade, planned) in labels.items()
            if annotator == person and planned >= only_planned
        }
        for person in (first, second)
    ]
    return [(sides[0][pair], sides[1][pair]) for pair in sorted(sides[0].keys() & sides[1].keys())]


@cases(300)
@given(LABELS)
def test_numbers_of_pairs_and_equal_grades_are_those_of_a_recount(labels):
    ours = person_pairs(labels)
    expected = []
    for first, second in combinations(range(N_PEOPLE), 2):
        if every := in_common(labels, first, second, only_planned=False):
            planned = in_common(labels, first, second, only_planned=True)
            numbers = [(len(rows), sum(a == b for a, b in rows)) for rows in (planned, every)]
            expected.append((first, second, *numbers[0], *numbers[1]))
    columns = (ours.first, ours.second, ours.n, ours.n_equal, ours.n_all, ours.n_all_equal)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected


@cases(300)
@given(LABELS)
def test_kappas_are_scikit_learns_and_blank_where_both_used_one_grade(labels):
    ours = person_pairs(labels)
    for number, (first, second) in enumerate(zip(ours.first, ours.second, strict=True)):
        rows = in_common(labels, first, second, only_planned=True)
        if len({grade for row in rows for grade in row}) < 2:
            assert np.isnan(ours.kappa[number]) and np.isnan(ours.weighted_kappa[number])
            continue
        a, b = zip(*rows, strict=True)
        for weights, kappa in ((None, ours.kappa), ("quadratic", ours.weighted_kappa)):
            theirs = cohen_kappa_score(a, b, labels=DOMAIN, weights=weights)
            assert kappa[number] == pytest.approx(theirs, abs=1e-9)


def made_labels(n_pairs=400):
    """Three annotators on the same pairs, who agree on about four in five."""
    rng = np.random.default_rng(2)
    grades = rng.choice(DOMAIN, n_pairs)
    return {
        (pair, person): (int(grades[pair] if rng.random() < 0.8 else rng.choice(DOMAIN)), True)
        for pair in range(n_pairs)
        for person in range(3)
    }


def test_kappas_and_intervals_of_many_labels_are_those_of_statsmodels():
    labels = made_labels()
    ours = person_pairs(labels)
    assert ours.n.tolist() == [400, 400, 400]
    for number, (first, second) in enumerate([(0, 1), (0, 2), (1, 2)]):
        table = np.zeros((4, 4))
        for a, b in in_common(labels, first, second, only_planned=True):
            table[DOMAIN.index(a), DOMAIN.index(b)] += 1
        assert ours.kappa[number] == pytest.approx(cohens_kappa(table).kappa, abs=1e-12)
        weighted = cohens_kappa(table, weights=np.arange(4), wt="fc")
        assert ours.weighted_kappa[number] == pytest.approx(weighted.kappa, abs=1e-12)
        n_equal = int(np.trace(table))
        assert ours.share[number] == n_equal / 400
        theirs = proportion_confint(n_equal, 400, method="wilson")
        assert (ours.low[number], ours.high[number]) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(("grades", "share"), [((0, 0), 1), ((0, 1), 0)])
def test_the_ends_of_no_and_of_full_agreement_are_exact(grades, share):
    labels = {(pair, person): (grades[person], True) for pair in range(7) for person in (0, 1)}
    ours = person_pairs(labels)
    assert ours.share.tolist() == [share]
    assert (ours.high if share else ours.low).tolist() == [share]
    other_end = proportion_confint(7 * share, 7, method="wilson")[0 if share else 1]
    assert (ours.low if share else ours.high)[0] == pytest.approx(other_end, abs=1e-12)


def effective_pairs(p, variance, n, n_groups):
    """Pairs over the design effect, with fewer degrees of freedom: Korn & Graubard 1998.

    Made smaller where few agree or few do not: docs/adr/0016.
    """
    ratio = stats.t.ppf(0.975, n - 1) / stats.t.ppf(0.975, n_groups - 1)
    trials = min(n, p * (1 - p) / variance / (1 - 1 / n) * ratio**2)
    weight = np.exp(-0.75 * min(p, 1 - p) * trials)
    return 1 / ((1 - weight) / trials + weight / min(trials, n_groups))


def test_equal_answers_of_a_group_count_as_few_more_than_one():
    # ten queries of 20 pairs on which both agree throughout, five on which they never do
    group_of_pair = np.repeat(np.arange(15), 20)
    labels = {
        (pair, person): (1 if person and group_of_pair[pair] >= 10 else 0, True)
        for pair in range(300)
        for person in range(2)
    }
    ours = person_pairs(labels, group_of_pair=group_of_pair)
    p = 2 / 3
    # the variance of a mean of 15 groups alike within is that of 15 single answers
    n_effective = effective_pairs(p, p * (1 - p) / 14, n=300, n_groups=15)
    theirs = proportion_confint(p * n_effective, n_effective, method="wilson")
    assert (ours.low[0], ours.high[0]) == pytest.approx(theirs, abs=1e-12)
    narrow = proportion_confint(200, 300, method="wilson")
    assert ours.high[0] - ours.low[0] > 4 * (narrow[1] - narrow[0])
    assert (ours.low[0], ours.high[0]) == pytest.approx((0.40, 0.85), abs=0.02)


def grouped_labels():
    """Three annotators on 400 pairs of 40 queries that differ in size and in difficulty."""
    rng = np.random.default_rng(7)
    group_of_pair = np.sort(rng.integers(0, 40, 400) ** 2 // 40)
    difficulty = rng.random(40)[group_of_pair]
    labels = {
        (pair, person): (int(rng.random() < difficulty[pair] / 2), bool(rng.random() < 0.9))
        for pair in range(400)
        for person in range(3)
    }
    return labels, group_of_pair


def common_pairs(labels, first, second):
    """The pairs with a planned label of both, ascending, and whether the grades are equal."""
    grades = [
        {
            pair: grade
            for (pair, other), (grade, planned) in labels.items()
            if planned and other == person
        }
        for person in (first, second)
    ]
    pairs = sorted(grades[0].keys() & grades[1].keys())
    return pairs, np.array([float(grades[0][pair] == grades[1][pair]) for pair in pairs])


@pytest.mark.parametrize("most_rows", [1, 300, 1_000_000])
def test_intervals_of_groups_that_differ_in_size_are_those_of_a_regression(monkeypatch, most_rows):
    monkeypatch.setattr(module, "MOST_ROWS", most_rows)
    labels, group_of_pair = grouped_labels()
    ours = person_pairs(labels, group_of_pair=group_of_pair)
    for number, (first, second) in enumerate([(0, 1), (0, 2), (1, 2)]):
        pairs, is_equal = common_pairs(labels, first, second)
        group = group_of_pair[pairs]
        fit = sm.OLS(is_equal, np.ones(len(pairs))).fit(
            cov_type="cluster", cov_kwds={"groups": group}
        )
        size = np.bincount(group).astype(float)
        p, variance = float(fit.params[0]), float(fit.cov_params()[0, 0])
        n_groups = size.sum() ** 2 / (size @ size)
        n_effective = effective_pairs(p, variance, len(pairs), n_groups)
        assert n_effective < 0.9 * len(pairs)
        theirs = proportion_confint(p * n_effective, n_effective, method="wilson")
        assert (ours.low[number], ours.high[number]) == pytest.approx(theirs, abs=1e-9)


@cases(300)
@given(
    st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=12, max_size=12),
    st.lists(st.integers(0, 6), min_size=12, max_size=12),
)
def test_intervals_are_those_of_every_share_by_itself(answers, group_of_pair):
    labels = {
        (pair, person): (abs(answer) % 2, answer != -2)
        for pair, of_pair in enumerate(answers)
        for person, answer in enumerate(of_pair)
    }
    ours = person_pairs(labels, group_of_pair=group_of_pair)
    for number, (first, second) in enumerate(zip(ours.first, ours.second, strict=True)):
        pairs, is_equal = common_pairs(labels, first, second)
        (theirs,) = mean_intervals(
            is_equal[None, :], are_shares=True, groups=Groups.of(np.take(group_of_pair, pairs))
        )
        ends = (ours.low[number], ours.high[number])
        if theirs.low is None:
            assert np.isnan(ends).all()
        else:
            assert ends == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("group_of_pair", [[0] * 60, [0] * 57 + [1, 2, 3]])
def test_pairs_of_one_group_and_of_hardly_more_have_no_interval(group_of_pair):
    labels = {(pair, person): (pair % 2, True) for pair in range(60) for person in range(2)}
    ours = person_pairs(labels, group_of_pair=group_of_pair)
    assert ours.share.tolist() == [1] and np.isnan([ours.low, ours.high]).all()


def test_without_planned_labels_in_common_a_share_is_not_defined():
    ours = person_pairs({(0, 0): (1, True), (0, 1): (1, False)})
    assert (ours.n.tolist(), ours.n_all.tolist(), ours.n_all_equal.tolist()) == ([0], [1], [1])
    for values in (ours.share, ours.low, ours.high, ours.kappa, ours.weighted_kappa):
        assert np.isnan(values).all()


def test_grades_without_an_order_have_no_weighted_kappa():
    assert person_pairs(made_labels(20), has_order=False).weighted_kappa is None


@pytest.mark.parametrize(
    "labels", [{}, {(0, 0): (1, True)}, {(0, 0): (1, True), (1, 1): (1, True)}]
)
def test_without_a_pair_in_common_there_is_no_row(labels):
    assert len(person_pairs(labels).n) == 0


@pytest.mark.parametrize("weights", kappas.WEIGHTS)
def test_kappas_of_tables_are_those_of_the_labels_one_by_one(weights):
    rng = np.random.default_rng(4)
    sides = rng.choice(DOMAIN, (30, 2, 25))
    tables = np.zeros((30, 4, 4))
    for table, (first, second) in zip(tables, sides, strict=True):
        np.add.at(table, (np.searchsorted(DOMAIN, first), np.searchsorted(DOMAIN, second)), 1)
    theirs = None if weights == "nominal" else weights
    expected = [
        cohen_kappa_score(first, second, weights=theirs, labels=DOMAIN) for first, second in sides
    ]
    assert kappas.cohen_kappas(tables, weights=weights) == pytest.approx(expected, abs=1e-12)
