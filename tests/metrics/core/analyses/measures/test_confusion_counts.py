"""Right and wrong targets within k: recounted target by target."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.analyses.measures.rank_curves import confusion_counts
from metrics.core.measures.ranking import positives
from metrics.core.statistics.groups import Groups
from tests.metrics.core.cases import case
from tests.sizes import cases

N_DOCS, DEPTHS = 40, (1, 2, 5, 10, 40, 100)


def recount(generated, k: int) -> dict[str, float | None]:
    """Means over queries of what stands within k ranks and behind."""
    rows = []
    for ranking, labels in zip(generated.rankings, generated.qrels, strict=True):
        is_positive = {doc for doc, grade in labels.items() if grade >= 1}
        within = set(ranking[:k])
        behind = set(range(N_DOCS)) - within
        rows.append(
            [
                len(within & is_positive),
                len(within - is_positive),
                len(behind & is_positive),
                len(behind - is_positive),
            ]
        )
    table = np.array(rows, dtype=np.float64)
    right, wrong, missed, rejected = table.T
    with_positive, with_negative = right + missed > 0, wrong + rejected > 0
    true_rates = (right / np.maximum(right + missed, 1))[with_positive]
    false_rates = (wrong / np.maximum(wrong + rejected, 1))[with_negative]
    return {
        "counts": table.mean(axis=0).tolist(),
        "precision": float(np.mean(right / k)),
        "true_rate": float(np.mean(true_rates)) if len(true_rates) else None,
        "false_rate": float(np.mean(false_rates)) if len(false_rates) else None,
        "n": [int(with_positive.sum()), int(with_negative.sum())],
    }


@cases(100)
@given(st.integers(0, 10_000))
def test_counts_and_shares_are_those_of_a_recount(seed):
    generated = case(np.random.default_rng(seed), n_docs=N_DOCS)
    counts = confusion_counts(
        positives(generated.ranked, 1),
        n_targets=N_DOCS,
        depths=DEPTHS,
        groups=Groups.single(len(generated.qrels)),
    )
    assert [row.k for row in counts] == list(DEPTHS)
    for row in counts:
        expected = recount(generated, row.k)
        ours = [row.true_positive, row.false_positive, row.false_negative, row.true_negative]
        assert ours == pytest.approx(expected["counts"], abs=1e-12)
        assert sum(ours) == pytest.approx(N_DOCS)
        assert row.precision == pytest.approx(expected["precision"], abs=1e-12)
        assert row.true_rate == pytest.approx(expected["true_rate"], abs=1e-12)
        assert row.false_rate == pytest.approx(expected["false_rate"], abs=1e-12)
        assert [row.n_with_positive, row.n_with_negative] == expected["n"]


def test_no_query_with_a_positive_has_no_share_of_positives():
    generated = case(np.random.default_rng(1), highest=2)
    (row,) = confusion_counts(
        positives(generated.ranked, 9), n_targets=N_DOCS, depths=[5], groups=Groups.single(8)
    )
    assert (row.true_rate, row.n_with_positive, row.true_positive) == (None, 0, 0)
    assert row.false_rate is not None
