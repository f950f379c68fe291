"""Alpha of units in groups: its interval draws whole groups, and covers what it should."""

from types import SimpleNamespace

import numpy as np
import pytest

from metrics.core.agreement import agreement
from metrics.core.agreement.counts import UnitCounts
from metrics.core.agreement.unit_samples import GroupedUnits


def pairs_of_labels(
    seed: int, *, n_groups: int = 100, a_group: int = 6, spread: float = 1.0
) -> SimpleNamespace:
    """Two labels of 0..2 a unit; the rate of equal labels varies between groups."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), a_group)
    care = (1 / (1 + np.exp(-rng.normal(0.8, spread, n_groups))))[group]
    first = rng.choice(3, len(group), p=[0.5, 0.3, 0.2])
    second = np.where(
        rng.random(len(group)) < care, first, rng.choice(3, len(group), p=[0.5, 0.3, 0.2])
    )
    table = np.eye(3, dtype=np.int64)[first] + np.eye(3, dtype=np.int64)[second]
    kinds, kind = np.unique(table, axis=0, return_inverse=True)
    unit_counts = UnitCounts(kinds, np.bincount(kind.ravel()), np.arange(3))
    return SimpleNamespace(
        counted=unit_counts,
        in_groups=GroupedUnits(group, kind.ravel(), np.ones(len(group), dtype=np.int64)),
    )


def test_groups_of_one_unit_draw_units_as_without_groups():
    labels = pairs_of_labels(0, a_group=1)
    options = {"level": "ordinal", "n_replicates": 200}
    with_groups = agreement.alpha_of_counts(
        labels.counted, grouped_units=labels.in_groups, **options
    )
    assert with_groups == agreement.alpha_of_counts(labels.counted, **options)


def test_all_levels_at_once_are_each_by_itself():
    labels = pairs_of_labels(1)
    options = {"n_replicates": 200, "grouped_units": labels.in_groups}
    together = agreement.alphas_of_counts(labels.counted, **options)
    alone = {
        level: agreement.alpha_of_counts(labels.counted, level=level, **options)
        for level in agreement.MeasurementLevel
    }
    assert together == alone
    assert {alpha.n_groups for alpha in alone.values()} == {100}


def test_alphas_interval_over_groups_is_that_of_drawing_whole_groups():
    labels, rng = pairs_of_labels(2, n_groups=50), np.random.default_rng(0)
    group, kind, _ = labels.in_groups
    resampled_alphas = []
    for _ in range(2000):
        rows = np.concatenate([np.flatnonzero(group == g) for g in rng.integers(0, 50, 50)])
        frequency = np.bincount(kind[rows], minlength=len(labels.counted.counts))
        resampled_alphas.append(
            agreement.alpha_of_counts(
                labels.counted._replace(frequency=frequency), level="nominal"
            ).value
        )
    alpha = agreement.alpha_of_counts(
        labels.counted, level="nominal", n_replicates=4000, grouped_units=labels.in_groups
    )
    assert (alpha.low, alpha.high) == pytest.approx(
        np.quantile(resampled_alphas, [0.025, 0.975]), abs=0.012
    )


def test_the_order_and_names_of_groups_do_not_matter_and_one_group_has_no_interval():
    labels = pairs_of_labels(3)
    group, kind, n = labels.in_groups
    mixed = np.random.default_rng(0).permutation(len(kind))
    renamed = GroupedUnits(1_000 - 3 * group[mixed], kind[mixed], n[mixed])
    options = {"level": "ordinal", "n_replicates": 300}
    alpha = agreement.alpha_of_counts(labels.counted, grouped_units=labels.in_groups, **options)
    assert alpha == agreement.alpha_of_counts(labels.counted, grouped_units=renamed, **options)
    alone = GroupedUnits(np.zeros_like(group), kind, n)
    alone = agreement.alpha_of_counts(labels.counted, grouped_units=alone, **options)
    assert (alone.value, alone.low, alone.high) == (alpha.value, None, None)


def test_alphas_interval_over_groups_covers_95_percent_where_that_over_units_does_not():
    truth = agreement.alpha_of_counts(
        pairs_of_labels(0, n_groups=30_000, spread=2.0, a_group=20).counted, level="nominal"
    )
    inside = {"groups": 0, "units": 0}
    worlds = range(400)
    for seed in worlds:
        labels = pairs_of_labels(10_000 + seed, spread=2.0, a_group=20)
        for name, groups in (("groups", labels.in_groups), ("units", None)):
            alpha = agreement.alpha_of_counts(
                labels.counted, level="nominal", n_replicates=1000, grouped_units=groups
            )
            inside[name] += alpha.low <= truth.value <= alpha.high
    assert inside["groups"] / len(worlds) == pytest.approx(0.95, abs=0.02)
    assert inside["units"] / len(worlds) < 0.8
