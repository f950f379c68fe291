"""Names of measures, worked examples of the papers, and properties of every measure."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.measures import measures, ranking, retrieval
from metrics.core.measures.alignment import LabelledPairs, RankedGrades, Rankings, align
from metrics.core.measures.incomplete import with_unjudged_as
from tests.metrics.core.cases import case
from tests.sizes import cases

EVERY = (
    "C@5 P@5 R@5 F@5 F(beta=2)@5 Rprec PMRP AP AP@5 AP_retrieved@5 mAP@R RR RR@5 IPrec@0.5 IPrec11 "
    "nDCG nDCG@5 "
)
EVERY += "nDCG(dcg='exp-log2')@5 ERR ERR@5 RBP RBP(p=0.5) gRBP RBPres Bpref infAP xinfAP xinfAP@5 "
EVERY += "infNDCG infNDCG@5 Judged@5"


def of(
    grades: list[int], *, unretrieved: tuple[int, ...] = (), unjudged: tuple[int, ...] = ()
) -> RankedGrades:
    """One query whose ranking has these grades.

    `unjudged` ranks carry no label, `unretrieved` labels no rank.
    """
    labelled = [i for i in range(len(grades)) if i + 1 not in unjudged]
    docs = [*labelled, *range(100, 100 + len(unretrieved))]
    values = [*(grades[i] for i in labelled), *unretrieved]
    return align(
        Rankings(np.array([0, len(grades)]), np.arange(len(grades))),
        LabelledPairs(
            np.zeros(len(docs), dtype=int), np.array(docs, dtype=int), np.array(values, dtype=int)
        ),
    )


def value(name: str, ranked: RankedGrades, threshold: float = 1) -> float:
    return float(measures.parse(name)[0].compute(ranked, threshold)[0])


def test_names_parse_in_their_order_with_parameters_and_cut_offs():
    parsed = measures.parse(
        "nDCG@10 C@1, AP  mAP@R\nRBP(p=0.8) P(rel=2,judged_only=True)@5 IPrec@0.1 "
        "nDCG( dcg='exp-log2' )@5"
    )
    assert [m.name for m in parsed] == [
        "nDCG@10",
        "C@1",
        "AP",
        "mAP@R",
        "RBP(p=0.8)",
        "P(judged_only=True,rel=2)@5",
        "IPrec@0.1",
        "nDCG(dcg='exp-log2')@5",
    ]
    assert (parsed[1].cutoff, parsed[2].cutoff) == (1, None)
    assert measures.parse("P@1000000")[0].name == "P@1000000"
    assert measures.parse(" ") == []


def test_an_unknown_name_lists_what_exists():
    with pytest.raises(
        measures.UnknownMeasure, match=r'no measure "foo"; there are: C@k, .*nDCG, nDCG@k.*Judged@k'
    ):
        measures.parse("AP foo")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("C", "needs a cut-off, for example C@10"),
        ("IPrec", "for example IPrec@0.1"),
        ("Rprec@5", "takes no cut-off"),
        ("P@0", "whole number from 1 up"),
        ("P@2.5", "whole number from 1 up"),
        ("IPrec@1.5", "between 0 and 1"),
        ("RBP(q=1)", 'no parameter "q"; it has: p, judged_only, rel'),
        ("RBP(p=much)", '"much" is not a number'),
    ],
)
def test_a_name_that_cannot_be_read_says_why(name, message):
    with pytest.raises(measures.UnknownMeasure, match=message.replace("(", r"\(")):
        measures.parse(name)


def test_every_family_is_named_in_what_exists_and_computes():
    ranked = case(np.random.default_rng(0)).ranked
    assert len(measures.FAMILIES) <= len(measures.spellings())
    for form in measures.spellings():
        name = form.replace("@k", "@5").replace("@recall", "@0.5")
        assert measures.parse(name)[0].compute(ranked).shape == (8,)


@pytest.mark.parametrize(
    ("positive_ranks", "expected"),
    [((1, 2, 3, 4, 8), 1479 / 2240), ((8,), 1 / 64 * 8), ((2, 3, 5, 7), None)],
)
def test_map_at_r_follows_musgrave_s_definition(positive_ranks, expected):
    """R = 8 positives, some of them among the first 8 ranks."""
    grades = [int(rank in positive_ranks) for rank in range(1, 9)]
    ranked = of(grades, unretrieved=(1,) * (8 - len(positive_ranks)))
    by_hand = sum(sum(grades[:i]) / i for i in positive_ranks) / 8
    assert value("mAP@R", ranked) == pytest.approx(by_hand)


def test_fire_s_code_divides_by_the_positives_it_found_and_its_paper_by_all():
    ranked = of([1, 0, 0, 0], unretrieved=(1,) * 9)
    assert value("AP_retrieved", ranked) == 1
    assert value("AP", ranked) == 0.1


def test_the_usual_example_of_linear_and_exponential_gain():
    """Grades 1, 3, 0, 2: .7884 with gain g and .7142 with 2^g - 1."""
    assert value("nDCG", of([1, 3, 0, 2])) == pytest.approx(0.7884, abs=5e-5)
    assert value("nDCG(dcg='exp-log2')", of([1, 3, 0, 2])) == pytest.approx(0.7142, abs=5e-5)


def test_rank_biased_precision_and_its_residual_add_up():
    """Moffat & Zobel: positive at 1 and 3, unjudged at 2, n = 4, p = .5: .5 + .125.

    Residual .25 + .0625.
    """
    ranked = of([1, 0, 1, 0], unjudged=(2,))
    assert value("RBP(p=0.5)", ranked) == pytest.approx(0.625)
    assert value("RBPres(p=0.5)", ranked) == pytest.approx(0.3125)
    # the unseen tail, all judged or not
    assert value("RBPres(p=0.5)", of([1, 1])) == pytest.approx(0.25)


def test_pmrp_caps_the_number_of_positives_at_50():
    grades = [1] * 40 + [0] * 60
    ranked = of(grades, unretrieved=(1,) * 60)
    assert value("Rprec", ranked) == pytest.approx(40 / 100)
    assert value("PMRP", ranked) == pytest.approx(40 / 50)


def test_median_and_mean_rank_make_up_no_rank_for_a_positive_that_no_list_holds():
    med, mean = measures.parse("MedR MeanR")
    values = np.array([2, np.inf, 4, np.nan])  # a miss, and a query without a positive
    assert (med.average(values), mean.average(values)) == (4, np.inf)
    assert (med.average(values[[0, 2, 3]]), mean.average(values[[0, 2, 3]])) == (3, 3)
    assert (med.average(values[:2]), med.average(values[[1, 1, 2]])) == (np.inf, np.inf)
    assert math.isnan(med.average(values[3:])) and math.isnan(mean.average(values[3:]))


def test_the_rank_of_the_first_positive_is_unknown_for_a_miss_and_none_without_a_positive():
    ranked = align(
        Rankings(np.array([0, 3, 5, 5, 6]), np.array([1, 2, 3, 4, 5, 6])),
        LabelledPairs(np.array([0, 1, 2, 3]), np.array([2, 9, 9, 6]), np.array([1, 1, 1, 0])),
    )
    first = retrieval.first_rank(ranking.positives(ranked)).tolist()
    assert first[:3] == [2, np.inf, np.inf]
    assert math.isnan(first[3])


def test_judged_counts_up_to_k_and_leaves_pooled_but_unjudged_out():
    assert value("Judged@4", of([1, 0, -1, 0], unjudged=(2,))) == 0.5
    assert value("Judged@10", of([1, 0])) == 0.2


def test_the_precision_recall_curve_falls_and_its_mean_is_the_11_point_average():
    positive_ranks = ranking.positives(case(np.random.default_rng(4), n_queries=30).ranked)
    curve = retrieval.precision_recall_curve(positive_ranks)
    assert np.all(np.diff(curve, axis=1) <= 0)
    assert np.array_equal(curve.mean(axis=1), retrieval.eleven_point_average(positive_ranks))


def test_no_query_has_no_average():
    assert math.isnan(measures.parse("AP")[0].average(np.zeros(0)))


@pytest.mark.parametrize("name", EVERY.split())
@cases(25)
@given(seed=st.integers(0, 2**32), threshold=st.integers(1, 3))
def test_every_value_lies_between_0_and_1_and_missing_queries_score_0(name, seed, threshold):
    generated = case(np.random.default_rng(seed))
    values = measures.parse(name)[0].compute(generated.ranked, threshold)
    assert np.all((values >= 0) & (values <= 1 + 1e-12))
    missing = [q for q, ranked in enumerate(generated.rankings) if not ranked]
    assert values[missing].tolist() == [1.0 if name == "RBPres" else 0.0] * len(missing)


@pytest.mark.parametrize("name", EVERY.split())
@cases(25)
@given(seed=st.integers(0, 2**32))
def test_names_of_targets_and_order_of_labels_change_nothing(name, seed):
    rng = np.random.default_rng(seed)
    generated = case(rng)
    names = rng.choice(2**62, size=40, replace=False).tolist()
    shuffled = [
        [list(labels.items())[i] for i in rng.permutation(len(labels))]
        for labels in generated.qrels
    ]
    renamed = type(generated)(
        [[names[doc] for doc in ranked] for ranked in generated.rankings],
        [{names[doc]: grade for doc, grade in labels} for labels in shuffled],
    )
    measure = measures.parse(name)[0]
    assert np.array_equal(measure.compute(generated.ranked), measure.compute(renamed.ranked))


GAINS = [name for name in EVERY.split() if name not in ("RBPres", "Judged@5", "AP_retrieved@5")]


@pytest.mark.parametrize("name", GAINS)
@cases(40)
@given(
    grades=st.lists(st.integers(0, 3), min_size=2, max_size=10),
    missing=st.lists(st.integers(1, 3), max_size=3),
    at=st.integers(0, 8),
)
def test_moving_a_better_target_up_never_lowers_a_value(name, grades, missing, at):
    at %= len(grades) - 1
    worse = list(grades)
    worse[at], worse[at + 1] = sorted((worse[at], worse[at + 1]))
    better = list(worse)
    better[at], better[at + 1] = better[at + 1], better[at]
    unretrieved = (3, *missing)  # the largest grade is always there, so ERR's scale does not move
    assert (
        value(name, of(better, unretrieved=unretrieved))
        >= value(name, of(worse, unretrieved=unretrieved)) - 1e-12
    )


@cases(50)
@given(seed=st.integers(0, 2**32))
def test_judging_what_is_unjudged_leaves_nothing_unjudged(seed):
    ranked = case(np.random.default_rng(seed)).ranked
    full = with_unjudged_as(ranked, 0)
    assert full.rank.tolist() == [rank for depth in ranked.depth for rank in range(1, depth + 1)]
    assert np.all(full.grade >= 0)
    again = with_unjudged_as(full, 3)
    assert np.array_equal(again.grade, full.grade)
    assert np.array_equal(again.label_grade, full.label_grade)


def test_several_measures_at_once_equal_one_by_one():
    ranked = case(np.random.default_rng(1)).ranked
    parsed = measures.parse(EVERY + " AP(judged_only=True) P(rel=2)@5")
    together = measures.evaluate(parsed, ranked, 2)
    for measure in parsed:
        assert np.array_equal(together[measure.name], measure.compute(ranked, 2))


def test_a_grade_above_the_scale_of_err_is_refused():
    with pytest.raises(ValueError, match="above the largest of 2"):
        value("ERR(max_grade=2)", of([3]))


def test_an_unknown_gain_is_refused():
    with pytest.raises(ValueError, match="log2, exp-log2"):
        value("nDCG(dcg='burges')", of([1]))


def test_doubled_labels_and_doubled_targets_are_refused():
    run = Rankings(np.array([0, 2]), np.array([1, 1]))
    with pytest.raises(ValueError, match="same target twice"):
        align(run, LabelledPairs(np.array([0]), np.array([1]), np.array([1])))
    with pytest.raises(ValueError, match="two labels"):
        align(
            Rankings(np.array([0, 1]), np.array([1])),
            LabelledPairs(*np.array([[0, 0], [1, 1], [1, 0]])),
        )
    with pytest.raises(ValueError, match=r"outside 0\.\.0"):
        align(Rankings(np.array([0, 1]), np.array([1])), LabelledPairs(*np.array([[1], [1], [1]])))


def test_nothing_labelled_or_nothing_ranked_is_no_error():
    nothing = np.zeros(0, dtype=int)
    ranked = align(
        Rankings(np.array([0, 2]), np.array([1, 2])), LabelledPairs(nothing, nothing, nothing)
    )
    assert value("AP", ranked) == value("nDCG@5", ranked) == value("Bpref", ranked) == 0
    assert (
        align(
            Rankings(np.array([0]), nothing), LabelledPairs(nothing, nothing, nothing)
        ).depth.tolist()
        == []
    )


def test_a_few_labels_among_many_ranked_targets_are_found_through_the_filter():
    """The filter only runs where labels are few: compare with the exact search it replaces."""
    rng = np.random.default_rng(0)
    docs = np.stack([rng.permutation(5000)[:1000] for _ in range(60)])
    query = rng.integers(0, 60, 300)
    pairs = np.unique(np.stack([query, rng.integers(0, 5000, 300)]), axis=1)
    ranked = align(
        Rankings(np.arange(61) * 1000, docs.ravel()),
        LabelledPairs(*pairs, np.ones(pairs.shape[1], dtype=int)),
    )
    expected = [(q, int(np.flatnonzero(docs[q] == d)[0]) + 1) for q, d in pairs.T if d in docs[q]]
    assert sorted(zip(ranked.query.tolist(), ranked.rank.tolist(), strict=True)) == sorted(expected)
