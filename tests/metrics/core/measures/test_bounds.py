"""The bounds of each measure against all completions of small rankings, and random large ones."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.measures import measures
from metrics.core.measures.bounds import bounds, has_bounds
from metrics.core.measures.completions import with_elsewhere_as
from metrics.core.measures.measures import parse_one
from tests.metrics.core.cases import Case, case
from tests.sizes import cases

RISING = ["C@1", "C@3", "Success@2", "P@3", "P@10", "RR", "RR@2", "P(rel=2)@2"]
RATIOS = [
    "R@1",
    "R@3",
    "F@3",
    "F(beta=2.0)@2",
    "Rprec",
    "Rprec(rel=2)",
    "PMRP",
    "PMRP(cap=2)",
    "AP",
    "AP@2",
    "AP(rel=2)",
    "AP_retrieved",
    "AP_retrieved@3",
    "mAP@R",
]
SCALED = ["ERR(max_grade=3.0)", "ERR(max_grade=3.0)@2", "gRBP(max_grade=3.0)"]
# the largest grade among the labels, which a completion may raise
OWN_SCALE = ["ERR", "ERR@2", "gRBP"]
GRADED = ["nDCG", "nDCG@1", "nDCG@3", "nDCG(dcg='exp-log2')", "nDCG(dcg='exp-log2')@2"]
OTHERS = [
    "IPrec@0",
    "IPrec@0.4",
    "IPrec@1",
    "IPrec11",
    "PMRP_mean",
    "PMRP_mean(cap=2)",
    "RBP",
    "RBP(p=0.95)",
]
RANKS = ["MedR", "MeanR"]
WITHOUT = [
    "Bpref",
    "infAP",
    "xinfAP",
    "xinfAP@5",
    "infNDCG",
    "Judged@5",
    "RBPres",
    "AP(judged_only=True)",
    "C(judged_only=True)@1",
]
ROUNDED = 1e-9
ELSEWHERE = 100  # the first document that no list holds


def small(seed: int, *, highest: int) -> Case:
    """One query, 0 to 7 documents returned of 9, at most 4 unjudged, some with a negative grade."""
    rng = np.random.default_rng(seed)
    ranking = rng.permutation(9)[: rng.integers(0, 8)].tolist()
    n_open = rng.integers(0, 5)
    grades = {doc: int(rng.integers(0, highest + 1)) for doc in range(9)}
    if rng.random() < 0.2:
        grades = dict.fromkeys(grades, 0)
    opened = rng.permutation(ranking)[:n_open].tolist() if ranking else []
    rest = {
        doc: grade
        for doc, grade in grades.items()
        if doc not in opened and (doc in ranking or rng.random() < 0.5)
    }
    return Case([ranking], [rest | {doc: -1 for doc in opened[:1] if rng.random() < 0.5}])


def completions_of(ranked_case: Case, best: int, n_elsewhere: int = 0) -> list[Case]:
    """Every completion; documents elsewhere are counts of grades."""
    (ranking,), (labels,) = ranked_case
    opened = [doc for doc in ranking if labels.get(doc, -1) < 0]
    beside = range(ELSEWHERE, ELSEWHERE + n_elsewhere)
    return [
        Case([ranking], [labels | dict(zip([*opened, *beside], [*inside, *outside], strict=True))])
        for inside in product(range(best + 1), repeat=len(opened))
        for outside in combinations_with_replacement(range(best + 1), n_elsewhere)
    ]


def ends_of(
    name: str, ranked_case: Case, *, n_elsewhere: int = 0, **options: float
) -> tuple[float, float]:
    """The bounds of a single query."""
    least, most = bounds(
        parse_one(name), ranked_case.ranked, elsewhere=np.array([n_elsewhere]), **options
    )
    return least[0], most[0]


def values_of(name: str, cases: list[Case], threshold: float) -> np.ndarray:
    """A value a completion, each computed by itself, as some measures scale by all labels."""
    return np.array(
        [parse_one(name).compute(ranked_case.ranked, threshold)[0] for ranked_case in cases]
    )


@pytest.mark.parametrize("name", [*RISING, *RATIOS, *SCALED, *OWN_SCALE, *GRADED, *OTHERS])
@cases(60)
@given(
    seed=st.integers(0, 2**32),
    best=st.integers(1, 2),
    highest=st.integers(0, 3),
    threshold=st.integers(0, 3),
    n_elsewhere=st.integers(0, 2),
)
def test_every_completion_lies_inside(name, seed, best, highest, threshold, n_elsewhere):
    ranked_case = small(seed, highest=highest)
    least, most = ends_of(
        name, ranked_case, best_grade=best, threshold=threshold, n_elsewhere=n_elsewhere
    )
    values = values_of(name, completions_of(ranked_case, best, n_elsewhere), threshold)
    assert least - ROUNDED <= values.min() <= values.max() <= most + ROUNDED
    if threshold > 0:  # from 0 up the unjudged are positive in every completion, and not before
        assert least <= parse_one(name).compute(ranked_case.ranked, threshold)[0] <= most


@pytest.mark.parametrize("name", [*RISING, *RATIOS, *SCALED])
@cases(60)
@given(
    seed=st.integers(0, 2**32),
    best=st.integers(1, 2),
    threshold=st.integers(1, 3),
    n_elsewhere=st.integers(0, 2),
)
def test_ends_are_attained(name, seed, best, threshold, n_elsewhere):
    ranked_case = small(seed, highest=3)
    least, most = ends_of(
        name, ranked_case, best_grade=best, threshold=threshold, n_elsewhere=n_elsewhere
    )
    values = values_of(name, completions_of(ranked_case, best, n_elsewhere), threshold)
    # what may follow below the list
    tail = 0.8 ** len(ranked_case.rankings[0]) if name.startswith("gRBP") else 0
    assert (least, most - tail) == pytest.approx((values.min(), values.max()), abs=ROUNDED)


@pytest.mark.parametrize("name", GRADED)
@cases(60)
@given(seed=st.integers(0, 2**32), n_elsewhere=st.integers(0, 3))
def test_ends_of_ndcg_are_attained_where_grades_are_0_and_1(name, seed, n_elsewhere):
    ranked_case = small(seed, highest=1)
    least, most = ends_of(name, ranked_case, best_grade=1, n_elsewhere=n_elsewhere)
    values = values_of(name, completions_of(ranked_case, 1, n_elsewhere), 1)
    assert (least, most) == pytest.approx((values.min(), values.max()), abs=ROUNDED)


@pytest.mark.parametrize("name", [*RISING, *RATIOS, *SCALED, *GRADED, *OTHERS, *RANKS])
@cases(30)
@given(seed=st.integers(0, 2**32), share=st.sampled_from([0.1, 0.5, 0.9]))
def test_means_of_longer_rankings_stay_inside_whatever_the_unjudged_turn_out_to_be(
    name, seed, share
):
    """Eight queries: missing, with negative grades, and without a positive, which ranks leave out.

    Some have unjudged ones in the list and elsewhere, some in one of both, some nowhere.
    """
    rng, measure = np.random.default_rng(seed), parse_one(name)
    ranked_case = case(rng)
    n_elsewhere = rng.integers(0, 5, len(ranked_case.rankings)) * rng.integers(
        0, 2, len(ranked_case.rankings)
    )
    ends = bounds(measure, ranked_case.ranked, best_grade=3, elsewhere=n_elsewhere)
    for _ in range(5):
        qrels = [dict(labels) for labels in ranked_case.qrels]
        for labels, ranking, n in zip(
            qrels, ranked_case.rankings, n_elsewhere.tolist(), strict=True
        ):
            new = [doc for doc in ranking if labels.get(doc, -1) < 0] + list(
                range(ELSEWHERE, ELSEWHERE + n)
            )
            labels |= {doc: int(rng.integers(1, 4)) if rng.random() < share else 0 for doc in new}
        values = measure.compute(Case(ranked_case.rankings, qrels).ranked)
        weight = rng.uniform(0.5, 2, len(values))
        for options in ({}, {"weight": weight}):
            low, value, high = (
                measure.average(per_query, **options)
                for per_query in (ends.least, values, ends.most)
            )
            assert np.isnan(value) or low - ROUNDED <= value <= high + ROUNDED
        if name not in RANKS:
            assert np.all((ends.least - ROUNDED <= values) & (values <= ends.most + ROUNDED))


def test_a_query_without_a_positive_may_come_into_a_mean_rank_at_any_rank():
    ranked_case = Case([[0, 1, 2], [0, 1, 2], [0, 1]], [{2: 1}, {0: 0}, {0: 0, 1: 0}])
    ends = bounds(parse_one("MeanR"), ranked_case.ranked, best_grade=1)
    assert (ends.least[:2].tolist(), ends.most[:2].tolist()) == ([1, 1], [3, np.inf])
    assert np.isnan([ends.least[2], ends.most[2]]).all()
    ends = bounds(
        parse_one("MeanR"), ranked_case.ranked, best_grade=1, elsewhere=np.array([0, 1, 1])
    )
    assert (ends.least.tolist(), ends.most.tolist()) == ([1, 1, 1], [3, np.inf, np.inf])


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("AP", (1 / 3, 1)),
        ("R@2", (1 / 3, 1)),
        ("F@2", (2 / 5, 2 / 3)),
        ("AP_retrieved", (1, 1)),
        ("C@1", (1, 1)),
        ("nDCG", (1 / (1 + 1 / np.log2(3) + 1 / 2), 1)),
        ("nDCG@2", (1 / (1 + 1 / np.log2(3)), 1)),
        ("IPrec@1", (0, 1)),
        ("IPrec@0.4", (0, 1)),
    ],
)
def test_what_no_list_holds_lowers_the_least_and_not_the_most(name, ends):
    """Relevant at rank 1 and nothing else in the list is open; two of the pool are elsewhere."""
    ranked_case = Case([[1, 2]], [{1: 1, 2: 0}])
    assert ends_of(name, ranked_case, best_grade=1, n_elsewhere=2) == pytest.approx(ends)
    assert ends_of(name, ranked_case, best_grade=1) == pytest.approx(
        [parse_one(name).compute(ranked_case.ranked)[0]] * 2
    )


def test_what_no_list_holds_may_also_raise_a_measure_that_looks_as_deep_as_there_are_positives():
    """Irrelevant first, relevant second: Rprec is 0, with one more elsewhere 1/2, with two 1/3."""
    ranked_case = Case([[1, 2, 3]], [{1: 0, 2: 1, 3: 0}])
    assert ends_of("Rprec", ranked_case, best_grade=1, n_elsewhere=2) == (0, 1 / 2)
    assert ends_of("mAP@R", ranked_case, best_grade=1, n_elsewhere=2) == (0, 1 / 4)
    assert ends_of("Rprec", ranked_case, best_grade=1) == (0, 0)


def test_what_no_list_holds_is_negative_for_the_most_and_at_the_levels_that_it_cannot_reach():
    """Unjudged first, relevant second.

    A document of grade 3 alone, one elsewhere of grade 1 at most: 1/2, 1 and 1.
    """
    ranked_case = Case([[1, 2]], [{2: 1}])
    assert ends_of("IPrec@1", ranked_case, best_grade=1, n_elsewhere=2) == (0, 1)
    ranked_case = Case([[1]], [{1: 3}])
    assert ends_of("PMRP_mean", ranked_case, best_grade=1, n_elsewhere=1) == pytest.approx(
        ((1 / 2 + 1 + 1) / 3, 1)
    )


def test_a_scale_is_raised_by_what_no_list_holds():
    """Grade 1 first: ERR is 1/2 on its own scale, and (2^1 - 1) / 2^2 with a grade 2 elsewhere."""
    ranked_case = Case([[1]], [{1: 1}])
    assert ends_of("ERR", ranked_case, best_grade=2, n_elsewhere=1) == (0.25, 0.5)
    assert values_of("ERR", completions_of(ranked_case, 2, 1), 1).tolist() == [0.5, 0.5, 0.25]


def test_with_nothing_unjudged_both_ends_are_the_value():
    ranked_case = Case([[3, 1, 2], []], [{1: 2, 2: 0, 3: 1, 4: 3}, {5: 1}])
    for name in [
        *RISING,
        *RATIOS,
        *SCALED,
        *OWN_SCALE,
        *GRADED,
        *RANKS,
        "IPrec@0.4",
        "IPrec11",
        "PMRP_mean",
    ]:
        least, most = bounds(parse_one(name), ranked_case.ranked, best_grade=3)
        tail = np.array([0.8**3, 1]) if name.startswith("gRBP") else 0
        value = parse_one(name).compute(ranked_case.ranked)
        assert least == pytest.approx(value, abs=ROUNDED) and most == pytest.approx(
            value + tail, abs=ROUNDED
        ), name


def test_average_precision_may_fall_below_and_rise_above_both_scenarios():
    """Relevant at 1, unjudged at 2 and 9: AP 1; all positive (1 + 1 + 3/9) / 3.

    The last alone (1 + 2/9) / 2.
    """
    ranked_case = Case([list(range(1, 10))], [{1: 1} | dict.fromkeys(range(3, 9), 0)])
    least, most = bounds(parse_one("AP"), ranked_case.ranked, best_grade=1)
    assert (least[0], most[0]) == pytest.approx(((1 + 2 / 9) / 2, 1))
    least, most = bounds(parse_one("nDCG"), ranked_case.ranked, best_grade=1)
    assert (least[0], most[0]) == pytest.approx(((1 + 1 / np.log2(10)) / (1 + 1 / np.log2(3)), 1))


def test_a_scale_that_a_completion_may_raise_is_taken_at_its_worse_end():
    """Grade 1 first, unjudged second, best 2.

    ERR: grades 0, 1, 2 give .5, .625, .53125; the ends are .25 and .6875.
    """
    ranked_case = Case([[1, 2]], [{1: 1}])
    assert values_of("ERR", completions_of(ranked_case, 2), 1).tolist() == [0.5, 0.625, 0.53125]
    least, most = bounds(parse_one("ERR"), ranked_case.ranked, best_grade=2)
    assert (least[0], most[0]) == pytest.approx((0.25, 0.6875))
    least, most = bounds(parse_one("gRBP"), ranked_case.ranked, best_grade=2)
    assert (least[0], most[0]) == pytest.approx((0.5 * 0.2, 0.2 + 0.2 * 0.8 + 0.8**2))


@pytest.mark.parametrize("name", OWN_SCALE)
def test_a_query_alone_has_the_value_and_the_ends_that_it_has_beside_others(name):
    rankings, labels = [[0, 1, 2], [0, 1, 2]], [{0: 1, 2: 2}, {1: 3}]
    both, alone = case_of(rankings, labels), case_of(rankings[:1], labels[:1])
    (scaled,) = measures.with_scale([parse_one(name)], [1, 2, 3])
    assert scaled.name == name
    assert (
        scaled.compute(alone)[0]
        == parse_one(name).compute(both)[0]
        != parse_one(name).compute(alone)[0]
    )
    expected, ends = (
        bounds(parse_one(name), both, best_grade=4),
        bounds(scaled, alone, best_grade=4),
    )
    assert (ends.least[0], ends.most[0]) == (expected.least[0], expected.most[0])


def test_a_scale_that_a_name_holds_stays():
    scaled_by_name = measures.parse("ERR(max_grade=4.0) gRBP(max_grade=4.0) nDCG AP")
    assert measures.with_scale(scaled_by_name, [1, 9]) == scaled_by_name
    assert measures.with_scale(measures.parse("ERR"), []) == measures.parse("ERR")


def case_of(rankings, labels):
    return Case(rankings, labels).ranked


def test_the_upper_end_of_rbp_is_its_residual_with_the_tail():
    ranked_case = case(np.random.default_rng(4), lowest=-1, highest=1)
    least, most = bounds(parse_one("RBP"), ranked_case.ranked, best_grade=1)
    assert most - least == pytest.approx(parse_one("RBPres").compute(ranked_case.ranked))


def test_measures_without_bounds_have_none_and_all_others_are_tried_here():
    tried = {
        parse_one(name).family for name in [*RISING, *RATIOS, *SCALED, *GRADED, *OTHERS, *RANKS]
    }
    others = set(measures.FAMILIES) - tried
    assert not any(has_bounds(measures.Measure(family, family)) for family in others)
    ranked = case(np.random.default_rng(0)).ranked
    for name in WITHOUT:
        assert not has_bounds(parse_one(name))
        with pytest.raises(ValueError, match="has no bounds"):
            bounds(parse_one(name), ranked, best_grade=3)


def test_labels_of_documents_outside_the_lists_stand_in_no_row():
    ranked = Case([[0, 1], [0]], [{0: 1}, {1: 2}]).ranked
    more = with_elsewhere_as(ranked, 0, np.array([2, 1]))
    columns = (more.label_query, more.label_grade, more.label_row)
    assert [column.tolist() for column in columns] == [
        [0, 0, 0, 1, 1],
        [1, 0, 0, 2, 0],
        [0, -1, -1, 1, -1],
    ]
