"""Agreement of each two annotators: against scikit-learn, statsmodels and a recount."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from metrics.core.agreement import kappas
from metrics.core.analyses.labels.person_pairs import AnnotatorLabels, agreement_by_person
from tests.sizes import cases

DOMAIN = [0, 1, 2, 5]  # positions, not distances, weigh disagreement
N_PEOPLE = 5

# (pair, annotator) -> grade, whether it was planned
LABELS = st.dictionaries(
    st.tuples(st.integers(0, 8), st.integers(0, N_PEOPLE - 1)),
    st.tuples(st.sampled_from(DOMAIN), st.booleans()),
    max_size=45,
)


def person_pairs(labels, *, has_order=True, n_people=N_PEOPLE):
    rows = [(*key, *value) for key, value in labels.items()]
    pair, annotator, grade, planned = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return agreement_by_person(
        AnnotatorLabels(pair, annotator, grade, planned.astype(bool)),
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
