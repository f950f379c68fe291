"""Labels by pool: against the package krippendorff, statsmodels, FIRE's Table 2 and a recount."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from metrics.core.analyses.labels.by_pool import (
    PairOutcome,
    PairOutcomes,
    PoolMembers,
    RoundLabels,
    labels_by_pool,
    pair_agreement,
)
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import NO_INTERVAL, mean_intervals
from tests.sizes import cases

DOMAIN = np.array([0, 1, 2])
ROUNDS = (7, 9)


@st.composite
def studies(draw):
    """Pairs as (outcome, grade, group), pools as sets of pairs, labels as rows of five."""
    n = draw(st.integers(1, 12))
    outcome = st.tuples(
        st.sampled_from(list(PairOutcome)), st.sampled_from([0, 1, 2]), st.integers(0, 3)
    )
    pairs = draw(st.lists(outcome, min_size=n, max_size=n))
    pools = [draw(st.sets(st.integers(0, n - 1))) for _ in ROUNDS]
    label = st.tuples(
        st.integers(0, n - 1),
        st.sampled_from([0, 1, 2]),
        st.sampled_from(ROUNDS),
        st.booleans(),
        st.booleans(),
    )
    return pairs, pools, draw(st.lists(label, max_size=40))


def described(pairs, pools, labels, *, threshold=1, level="ordinal"):
    members = [
        PoolMembers(f"pool {key}", "pool", key, np.array(sorted(pool), dtype=np.int64))
        for key, pool in zip(ROUNDS, pools, strict=False)
    ]
    members.append(PoolMembers("everything", "", None, np.arange(len(pairs))))
    outcome, grade, group = np.array(pairs, dtype=np.int64).reshape(-1, 3).T
    pair, value, round_, planned, program = np.array(labels, dtype=np.int64).reshape(-1, 5).T
    return labels_by_pool(
        members,
        PairOutcomes(outcome, grade, group),
        RoundLabels(pair, value, round_, planned.astype(bool), program.astype(bool)),
        threshold=threshold,
        domain=DOMAIN,
        level=level,
    )


@cases(200)
@given(studies(), st.integers(0, 2))
def test_counts_are_those_of_a_recount_pair_by_pair(study, threshold):
    pairs, pools, labels = study
    rows = described(pairs, pools, labels, threshold=threshold)
    for row, pool, key in zip(rows, [*pools, set(range(len(pairs)))], [*ROUNDS, None], strict=True):
        outcomes = [pairs[pair][0] for pair in pool]
        assert row.n_pairs == len(pool)
        assert row.n_by_outcome == {kind: outcomes.count(kind) for kind in PairOutcome}
        assert row.n_positive == sum(
            pairs[pair][0] == PairOutcome.GRADED and pairs[pair][1] >= threshold for pair in pool
        )
        own = [label for label in labels if label[0] in pool]
        assert row.n_labels == len(own)
        assert row.n_program_labels == sum(label[4] for label in own)
        if key is None:
            assert row.n_own_labels is None
        else:
            assert row.n_own_labels == sum(label[2] == key for label in own)
        for agreement, counts in (
            (row.planned, [label for label in own if label[3]]),
            (row.whole, own),
        ):
            values = [[label[1] for label in counts if label[0] == pair] for pair in sorted(pool)]
            several = [grades for grades in values if len(grades) > 1]
            assert agreement.n_pairs == len(several)
            if several:
                share = sum(len(set(grades)) == 1 for grades in several) / len(several)
                assert agreement.unanimous == pytest.approx(share, abs=1e-12)
            else:
                assert agreement.unanimous is None
                assert agreement.alpha.value is None
                assert agreement.interval == NO_INTERVAL


@cases(200)
@given(studies(), st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_is_that_of_the_package_krippendorff(study, level):
    pairs, pools, labels = study
    rows = described(pairs, pools, labels, level=level)
    for row, pool in zip(rows, [*pools, set(range(len(pairs)))], strict=True):
        for agreement, only_planned in ((row.planned, True), (row.whole, False)):
            values = [
                [label[1] for label in labels if label[0] == pair and label[3] >= only_planned]
                for pair in sorted(pool)
            ]
            table = np.full((41, max(len(values), 1)), np.nan)
            for column, grades in enumerate(values):
                table[: len(grades), column] = grades
            pairable = [grade for grades in values if len(grades) > 1 for grade in grades]
            if len(set(pairable)) < 2:
                assert agreement.alpha.value is None
                continue
            theirs = krippendorff.alpha(
                table, level_of_measurement=level, value_domain=DOMAIN.tolist()
            )
            assert agreement.alpha.value == pytest.approx(theirs, abs=1e-9)


def made_labels(n_pairs=300):
    """Two planned labels of each pair, a third where they differ, and its group of queries."""
    rng = np.random.default_rng(5)
    pairs = [(PairOutcome.GRADED, 1, int(group)) for group in rng.integers(0, 40, n_pairs)]
    labels = []
    for pair in range(n_pairs):
        first, second = rng.choice(3, 2, p=[0.6, 0.3, 0.1])
        second = first if rng.random() < 0.7 else second
        labels += [(pair, int(first), 7, True, False), (pair, int(second), 7, True, False)]
        if first != second:
            labels.append((pair, int(rng.choice([first, second])), 9, False, False))
    return pairs, labels


def test_a_third_label_on_disagreement_is_among_all_labels_alone():
    pairs, labels = made_labels()
    (row,) = described(pairs, [], labels)
    n_differ = sum(label[2] == 9 for label in labels)
    assert n_differ > 30
    assert row.planned.n_pairs == row.whole.n_pairs == 300
    assert row.planned.unanimous == pytest.approx(1 - n_differ / 300)
    assert row.whole.alpha.value > row.planned.alpha.value + 0.02
    assert row.planned.alpha.low < row.planned.alpha.value < row.planned.alpha.high
    assert row.planned.alpha.n_replicates == 1000
    assert row.whole.alpha.low is None


def test_the_interval_of_a_share_is_wilsons_of_single_pairs_and_that_of_groups_of_others():
    pairs, labels = made_labels()
    (grouped,) = described(pairs, [], labels)
    (single,) = described([(*pair[:2], number) for number, pair in enumerate(pairs)], [], labels)
    n_equal = round(300 * single.planned.unanimous)
    theirs = proportion_confint(n_equal, 300, method="wilson")
    assert single.planned.interval == pytest.approx(theirs, abs=1e-9)
    is_equal = np.array(
        [len({label[1] for label in labels if label[0] == pair}) == 1 for pair in range(300)]
    )
    groups = Groups.of([pair[2] for pair in pairs])
    assert [grouped.planned.interval] == mean_intervals(
        is_equal[None, :].astype(float), are_shares=True, groups=groups
    )
    assert grouped.planned.interval != single.planned.interval


def test_pairs_of_a_single_group_have_no_interval():
    pairs, labels = made_labels()
    (row,) = described([(*pair[:2], 3) for pair in pairs], [], labels)
    assert row.planned.interval == NO_INTERVAL
    assert row.planned.alpha.low is None
    assert row.planned.alpha.value is not None


@pytest.mark.parametrize(
    ("n_pairs", "n_relevant", "n_irrelevant", "n_disputed", "n_labels"),
    [(24_183, 2_855, 21_312, 16, 24_507), (555_391, 39_909, 513_923, 1_559, 659_126)],
    ids=["MSR-VTT", "MSVD"],
)
def test_the_counts_of_fires_table_2_add_up_as_ours_do(
    n_pairs, n_relevant, n_irrelevant, n_disputed, n_labels
):
    """Its rows hold the printed numbers of pairs, of which ours are the same sums."""
    outcome = np.repeat(
        [PairOutcome.GRADED, PairOutcome.DISPUTED], [n_relevant + n_irrelevant, n_disputed]
    )
    grade = (np.arange(n_pairs) < n_relevant).astype(np.int64)
    pair = np.arange(n_labels) % n_pairs
    no = np.zeros(n_labels, dtype=bool)
    (row,) = labels_by_pool(
        [PoolMembers("all", "", None, np.arange(n_pairs))],
        PairOutcomes(outcome, grade, np.zeros(n_pairs, dtype=np.int64)),
        RoundLabels(pair, grade[pair], np.ones(n_labels, dtype=np.int64), no, no),
        threshold=1,
        domain=np.array([0, 1]),
        level="nominal",
    )
    assert (row.n_pairs, row.n_positive, row.n_labels) == (n_pairs, n_relevant, n_labels)
    assert row.n_by_outcome[PairOutcome.DISPUTED] == n_disputed
    assert row.n_by_outcome[PairOutcome.GRADED] - row.n_positive == n_irrelevant


def test_agreement_without_labels_is_not_defined():
    agreement = pair_agreement(
        np.zeros((3, 3), dtype=np.int64),
        np.arange(3),
        domain=DOMAIN,
        level="nominal",
        n_replicates=10,
    )
    assert (agreement.n_pairs, agreement.unanimous) == (0, None)
    assert agreement.alpha.value is None
