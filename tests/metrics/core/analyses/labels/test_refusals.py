"""Refused positives: counted again from labels in dictionaries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from metrics.core.analyses.labels.refusals import NamedGrades, refused_positives
from metrics.core.labels.label_sources import sorted_grades
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL
from tests.metrics.core.analyses.collection import recounts
from tests.sizes import cases

SOURCES = [3, 5, 8, 13]
LABELS = st.dictionaries(
    st.tuples(st.sampled_from(SOURCES), st.integers(1, 5)), st.integers(0, 3), max_size=20
)


def grades_of(labels):
    rows = [(*pair, grade) for pair, grade in labels.items()]
    return sorted_grades(np.array(rows, dtype=np.int64).reshape(-1, 3))


def refusals(people, *sets, threshold=1, groups=None, sources=None):
    sources = sources or SOURCES
    return refused_positives(
        grades_of(people),
        [NamedGrades(f"set {number}", grades_of(labels)) for number, labels in enumerate(sets)],
        sources=np.array(sources),
        threshold=threshold,
        groups=groups or Groups.single(len(sources)),
    )


@cases(300)
@given(LABELS, LABELS, LABELS, st.integers(0, 4), st.booleans())
def test_pairs_positive_by_a_set_and_not_by_people_are_refused(
    people, one_set, second_set, threshold, has_weights
):
    weight = dict(zip(SOURCES, [1.0, 2.0, 5.0, 2.0] if has_weights else [1.0] * 4, strict=True))
    groups = Groups.of(np.array([0, 1, 1, 2]), weight=np.array([*weight.values()]))
    ours = refusals(people, one_set, second_set, threshold=threshold, groups=groups)
    for number, (labels, row) in enumerate(zip((one_set, second_set), ours, strict=True)):
        positives = {pair for pair, grade in labels.items() if grade >= threshold}
        graded = sorted(positives & set(people))
        refused = [pair for pair in graded if people[pair] < threshold]
        assert row.name == f"set {number}"
        assert (row.n_positive, row.n_graded) == (len(positives), len(graded))
        assert list(zip(row.source.tolist(), row.target.tolist(), strict=True)) == refused
        assert row.reference_grade.tolist() == [labels[pair] for pair in refused]
        assert row.grade.tolist() == [people[pair] for pair in refused]
        if not graded:
            assert (row.share, row.interval) == (None, NO_INTERVAL)
            continue
        values = [int(pair in refused) for pair in graded]
        share = recounts.weighted_mean(values, [weight[source] for source, _ in graded])
        assert row.share == pytest.approx(share, abs=1e-12)


def test_the_share_of_single_queries_has_statsmodels_wilson():
    sources = list(range(40))
    people = {(source, 1): int(source >= 7) for source in sources}
    (row,) = refusals(people, dict.fromkeys(people, 1), sources=sources)
    theirs = proportion_confint(7, 40, method="wilson")
    assert row.share == 7 / 40
    assert row.interval == pytest.approx(theirs, abs=1e-12)


def test_positives_of_one_query_say_less_than_those_of_many():
    people = {(source, target): int(source > 3) for source in SOURCES for target in range(10)}
    (row,) = refusals(people, dict.fromkeys(people, 1))
    assert row.share == 0.25
    assert row.interval.high > proportion_confint(10, 40, method="wilson")[1] + 0.2
    (alone,) = refusals({(3, 1): 0}, {(3, 1): 1})
    assert (alone.share, alone.interval) == (1, NO_INTERVAL)
