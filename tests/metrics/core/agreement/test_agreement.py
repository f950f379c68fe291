"""Krippendorff's alpha: published examples, the krippendorff package, and general properties."""

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.core.agreement.agreement import (
    MeasurementLevel,
    alpha,
    alpha_of_counts,
    percent_agreement,
)
from metrics.core.agreement.counts import UnitCounts, annotations, count_units
from metrics.core.agreement.unit_samples import GroupedUnits
from tests.metrics.core.agreement.running_alpha import RunningAlpha
from tests.sizes import cases

LEVELS = list(MeasurementLevel)
N = np.nan
# Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011: examples A (binary), B (nominal),
# C (missing data)
EXAMPLE_A = ["0100000010", "1110010000"]
EXAMPLE_B = ["aabbdcccedda", "babbbccceddd"]
EXAMPLE_C = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]
LABELS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4), st.integers(1, 4)), max_size=40)


def long_form(table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    table = np.asarray(table, dtype=float)
    annotator, unit = np.nonzero(~np.isnan(table))
    return unit, annotator, table[annotator, unit]


def of_table(table, level, **options):
    return alpha(*long_form(table), level=level, **options)


def theirs(table, level) -> float | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = krippendorff.alpha(table, level_of_measurement=level)
        except ValueError:
            return None
    return None if np.isnan(value) else value


def test_krippendorff_s_binary_example():
    assert of_table([list(row) for row in EXAMPLE_A], "nominal").value == pytest.approx(
        0.095, abs=5e-4
    )


def test_krippendorff_s_nominal_example_with_letters():
    unit, annotator = np.tile(np.arange(12), 2), np.repeat([0, 1], 12)
    coefficient = alpha(unit, annotator, np.array(list("".join(EXAMPLE_B))), level="nominal")
    assert coefficient.value == pytest.approx(0.692, abs=5e-4)


@pytest.mark.parametrize(
    ("level", "expected"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_krippendorff_s_example_with_missing_data(level, expected):
    coefficient = of_table(EXAMPLE_C, level)
    assert coefficient.value == pytest.approx(expected, abs=5e-4)
    assert (
        coefficient.n_units,
        coefficient.n_labels,
        coefficient.n_pairable_units,
        coefficient.n_pairable_labels,
    ) == (12, 41, 11, 40)


@pytest.mark.parametrize("level", LEVELS)
def test_thousands_of_generated_tables_equal_the_krippendorff_package(level):
    rng = np.random.default_rng(LEVELS.index(level))
    for _ in range(1000):
        shape = rng.integers(2, 7), rng.integers(1, 14)
        table = rng.choice(rng.uniform(0, 9, size=rng.integers(1, 7)).round(1), size=shape)
        table[rng.random(shape) < rng.random() * 0.8] = np.nan
        expected, coefficient = theirs(table, str(level)), of_table(table, level)
        assert coefficient.value == (
            None if expected is None else pytest.approx(expected, abs=1e-12)
        )
        assert bool(coefficient.reason) == (expected is None)


def test_no_unit_with_two_labels_is_undefined_with_a_reason():
    coefficient = alpha([1, 2, 3], [1, 1, 1], [0, 1, 0], level="nominal", n_replicates=9)
    assert (coefficient.value, coefficient.low, coefficient.reason) == (
        None,
        None,
        "no unit has two labels yet",
    )
    assert alpha([], [], [], level="ordinal").reason == "no unit has two labels yet"


def test_one_value_throughout_is_undefined_with_a_reason_and_not_1():
    coefficient = alpha([1, 1, 2, 2], [1, 2, 1, 2], [3, 3, 3, 3], level="ordinal")
    assert coefficient.value is None
    assert "same value" in coefficient.reason


def test_the_last_label_of_an_annotator_on_a_unit_counts():
    repeated = alpha([1, 1, 1, 2, 2], [7, 8, 7, 7, 8], [0, 1, 1, 0, 0], level="nominal")
    assert repeated == alpha([1, 1, 2, 2], [8, 7, 7, 8], [1, 1, 0, 0], level="nominal")
    assert annotations([1, 1, 1], [7, 8, 7], [0, 1, 1]).n_repeated == 1


def test_the_order_of_a_domain_counts_and_its_unused_values_do_not():
    unit, annotator, value = long_form(EXAMPLE_C)
    plain = alpha(unit, annotator, value, level="ordinal").value
    assert alpha(
        unit, annotator, value, level="ordinal", domain=[1, 2, 2.5, 3, 4, 5, 9]
    ).value == pytest.approx(plain)
    assert alpha(
        unit, annotator, value, level="ordinal", domain=[3, 1, 5, 2, 4]
    ).value != pytest.approx(plain)
    words = np.array(["", "no", "perhaps", "yes", "sure", "very"])
    of_words = alpha(unit, annotator, words[value.astype(int)], level="ordinal", domain=words[1:])
    assert of_words.value == pytest.approx(plain)


def test_a_value_outside_the_domain_or_missing_is_refused():
    with pytest.raises(ValueError, match="outside the value domain"):
        alpha([1, 1], [1, 2], [1, 7], level="ordinal", domain=[1, 2])
    with pytest.raises(ValueError, match="leave missing labels out"):
        alpha([1, 1], [1, 2], [1, np.nan], level="ordinal")
    with pytest.raises(ValueError, match="same length"):
        alpha([1, 1], [1, 2], [1], level="ordinal")


@pytest.mark.parametrize("level", LEVELS)
@cases(60)
@given(labels=LABELS, seed=st.integers(0, 2**32))
def test_renaming_and_reordering_units_and_people_changes_nothing(level, labels, seed):
    unit, annotator, value = np.array(labels, dtype=int).reshape(-1, 3).T
    # the last of each
    last_labels = dict(zip(zip(unit, annotator, strict=True), value, strict=True))
    rng = np.random.default_rng(seed)
    names, people = rng.permutation(7), rng.permutation(5)
    rows = [(names[u], people[a], v) for (u, a), v in last_labels.items()]
    rng.shuffle(rows)
    moved = alpha(*np.array(rows, dtype=int).reshape(-1, 3).T, level=level).value
    before = alpha(unit, annotator, value, level=level).value
    assert moved == (None if before is None else pytest.approx(before, abs=1e-12))
    assert before is None or before <= 1 + 1e-12


@cases(100)
@given(labels=LABELS)
def test_renaming_values_leaves_nominal_alpha_and_stretching_them_leaves_interval_alpha(labels):
    unit, annotator, value = np.array(labels, dtype=int).reshape(-1, 3).T
    for level, renamed in (
        ("nominal", np.array([0, 3, 1, 4, 2])[value]),
        ("interval", 7 - 3.5 * value),
    ):
        before = alpha(unit, annotator, value, level=level).value
        after = alpha(unit, annotator, renamed, level=level).value
        assert after == (None if before is None else pytest.approx(before, abs=1e-9))


@pytest.mark.parametrize("level", LEVELS)
@cases(60)
@given(steps=st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4), st.booleans()), max_size=60))
def test_label_by_label_alpha_equals_the_batch_after_any_additions_and_removals(level, steps):
    running = RunningAlpha([1, 2, 3, 4])
    present: list[tuple[int, int]] = []
    for unit, value, take_back in steps:
        if take_back and present:
            running.remove(*present.pop(unit % len(present)))
        else:
            running.add(unit, value)
            present.append((unit, value))
        units, values = np.array(present, dtype=int).reshape(-1, 2).T
        batch = alpha(units, np.arange(len(units)), values, level=level).value
        assert running.value(level) == (None if batch is None else pytest.approx(batch, abs=1e-12))


def test_a_label_that_is_not_there_cannot_be_taken_back():
    running = RunningAlpha([0, 1])
    running.add("u", 1)
    with pytest.raises(KeyError, match="has no label 0"):
        running.remove("u", 0)


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_equals_resampling_units_one_by_one(level):
    """Drawing kinds of units at once has the distribution of drawing units: the same quantiles."""
    rng = np.random.default_rng(5)
    unit, annotator = np.repeat(np.arange(60), 3), np.tile(np.arange(3), 60)
    value = np.clip(np.repeat(rng.integers(1, 5, 60), 3) + rng.integers(-1, 2, 180), 1, 4)
    coefficient = alpha(unit, annotator, value, level=level, n_replicates=4000)
    table = value.reshape(60, 3)
    resampled_alphas = [
        of_table(table[rng.integers(0, 60, 60)].T, level).value for _ in range(1500)
    ]
    low, high = np.quantile(resampled_alphas, [0.025, 0.975])
    assert (coefficient.low, coefficient.high) == pytest.approx((low, high), abs=0.02)
    assert coefficient.low < coefficient.value < coefficient.high


def test_the_same_labels_have_the_same_interval_in_whatever_order_and_beside_whatever_levels():
    unit, annotator, value = long_form(EXAMPLE_C)
    coefficient = alpha(unit, annotator, value, level="ordinal", n_replicates=100)
    mixed = np.random.default_rng(2).permutation(len(unit))
    again = alpha(
        *(np.asarray(column)[mixed] for column in (unit, annotator, value)),
        level="ordinal",
        n_replicates=100,
    )
    assert again == coefficient
    beside = count_units(annotations(unit, annotator, value, domain=range(-3, 12)))
    assert alpha_of_counts(beside, level="ordinal", n_replicates=100) == coefficient
    assert (coefficient.seed, coefficient.low < coefficient.value < coefficient.high) == (
        again.seed,
        True,
    )


def test_other_labels_are_drawn_otherwise_and_a_seed_may_be_given():
    unit_counts = count_units(annotations(*long_form(EXAMPLE_C)))
    doubled = unit_counts._replace(frequency=2 * unit_counts.frequency)
    first, second = (
        alpha_of_counts(counts, level="ordinal", n_replicates=100)
        for counts in (unit_counts, doubled)
    )
    assert first.seed != second.seed
    chosen = [
        alpha_of_counts(unit_counts, level="ordinal", n_replicates=100, seed=seed)
        for seed in (3, 3, 4)
    ]
    assert chosen[0] == chosen[1] != chosen[2]


def test_samples_in_which_alpha_is_undefined_are_counted():
    coefficient = alpha([1, 1, 2, 2], [1, 2, 1, 2], [0, 0, 1, 1], level="nominal", n_replicates=500)
    # both draws the same unit: half of the time
    assert 150 < coefficient.n_undefined_replicates < 350
    assert coefficient.low == coefficient.high == 1


def test_the_three_percent_agreements_differ_and_are_named():
    unit_counts = count_units(
        annotations([1, 1, 2, 2, 2, 3], [1, 2, 1, 2, 3, 1], [0, 0, 1, 1, 0, 5])
    )
    percent = percent_agreement(unit_counts)
    assert percent.n_units == 2
    assert percent.unanimous_units == 0.5
    assert percent.mean_of_units == pytest.approx((1 + 1 / 3) / 2)
    assert percent.observed == pytest.approx((2 * 1 + 3 * (1 / 3)) / 5)
    assert percent_agreement(count_units(annotations([1], [1], [1]))) == (None, None, None, 0)


@cases(100)
@given(labels=LABELS)
def test_nominal_alpha_follows_from_observed_agreement(labels):
    """alpha = 1 - Do / De with Do = 1 - observed agreement and De from the value counts."""
    unit_counts = count_units(annotations(*np.array(labels, dtype=int).reshape(-1, 3).T))
    coefficient, percent = (
        alpha_of_counts(unit_counts, level="nominal"),
        percent_agreement(unit_counts),
    )
    if coefficient.value is not None:
        rows = (
            unit_counts.counts[unit_counts.counts.sum(axis=1) > 1],
            unit_counts.frequency[unit_counts.counts.sum(axis=1) > 1],
        )
        totals = rows[1] @ rows[0]
        n = totals.sum()
        expected = 1 - np.sum(totals * (totals - 1)) / (n * (n - 1))
        assert coefficient.value == pytest.approx(1 - (1 - percent.observed) / expected, abs=1e-12)


def test_what_tells_holds_a_label_beside_the_commonest():
    assert (
        of_table(
            [[0, 0, 0, 1, 0, 2, 5], [0, 0, 1, 1, 0, 2, N]], MeasurementLevel.NOMINAL
        ).n_informative
        == 3
    )
    counts = np.array([[2, 0, 0], [2, 0, 0], [1, 1, 0], [0, 2, 0], [2, 0, 0], [0, 0, 2]])
    unit_counts = UnitCounts(counts, np.ones(6, dtype=int), np.arange(3))
    in_groups = GroupedUnits.of(counts, np.array([7, 8, 8, 8, 9, 7]), unit_counts)
    assert (
        alpha_of_counts(
            unit_counts, level=MeasurementLevel.NOMINAL, grouped_units=in_groups
        ).n_informative
        == 2
    )
    assert of_table([[0, 0], [0, 0]], MeasurementLevel.NOMINAL).n_informative == 0
