"""Error rates of pairs of runs, from the database and from files; REER by the scalar functions."""

from itertools import combinations

import numpy as np
import pytest

from annotate.models import Item
from metrics.charts.analyses.systems.error_rates import digits_of
from metrics.core.comparisons import swaps
from metrics.core.statistics.groups import Groups
from metrics.score_files.requests import NotDefined
from tests.metrics.core.comparisons.printed_error_rate import reer_independent
from tests.metrics.services.analysis.collection.small_study import queries_of
from tests.metrics.services.analysis.questions import answer_of, table_of
from tests.metrics.services.analysis.systems.score_study import (
    POSITIVES,
    matrix,
    of_scores,
    reciprocal_ranks,
    rows_of,
    score_study,
)
from tests.real_data import FOLDER, needs_real_data

pytestmark = pytest.mark.django_db
NAME = "error-rates"


def test_the_rates_of_the_runs_of_a_collection():
    study = score_study()
    values = reciprocal_ranks(study, POSITIVES)
    rows = [row for row in table_of(study, NAME, measure="RR", missing="zero") if row["size"] == 25]
    assert sum(row["n_pairs"] for row in rows) == len(values) * (len(values) - 1) / 2
    for row in rows:
        held = [
            (x, y)
            for x, y in combinations(map(np.array, values.values()), 2)
            if row["low"] - 1e-9 <= abs(x.mean() - y.mean()) < row["high"] - 1e-9
        ]
        for key, formula in (
            ("reer", swaps.reer_paired),
            ("reer_printed", reer_independent),
            ("reversal", swaps.reversal),
        ):
            expected = np.mean([formula(x, y, n_queries=25) for x, y in held])
            assert row[key] == pytest.approx(expected, abs=1e-9)
        assert row["beyond"] == "extrapolated"
    headline = answer_of(study, NAME, measure="RR", missing="zero").result.headline
    assert headline == "6 queries are too few to tell how often two sets of them would disagree"


def test_reversal_is_drawn_below_reer_by_the_same_sizes_and_bins():
    result = answer_of(score_study(), NAME, measure="RR", missing="zero").result
    upper, lower = result.spec["vconcat"]
    for panel, field in ((upper, "reer"), (lower, "reversal")):
        curves = [layer for layer in panel["layer"] if "size" in str(layer["encoding"].get("x"))]
        assert [layer["encoding"]["y"]["field"] for layer in curves] == [field] * 3
    rows = rows_of(result)
    for value in result.spec["data"]["values"]:
        (row,) = [
            row
            for row in rows
            if f"{row['low']:g} to {row['high']:g}" == value["bin"] and row["size"] == value["size"]
        ]
        assert value["reversal"] == pytest.approx(row["reversal"], rel=1e-4)
        assert value["reer"] == pytest.approx(row["reer"], rel=1e-4)


def test_excluded_queries_are_left_out():
    study = score_study()
    gone = queries_of(study)[5]
    Item.objects.filter(pk=gone.pk).update(excluded_at="2026-01-01T00:00Z", excluded_reason="bad")
    sizes = {row["size"] for row in table_of(study, NAME, measure="RR", missing="zero")}
    assert sizes == {5, 10, 25, 50, 100}


@pytest.mark.parametrize("choices", [{"team": "Blue"}, {"direction": "reverse"}])
def test_what_is_missing_is_told(choices):
    reason = answer_of(score_study(), NAME, **choices).reason
    assert reason == "It takes 2 runs of this direction; 1 run is chosen."


def test_groups_of_topics_are_drawn_as_a_whole():
    values = np.random.default_rng(3).random((30, 2))
    keys = [f"video {t // 3}" for t in range(30)]
    rows = {row["size"]: row for row in rows_of(of_scores(NAME, values, groups=keys))}
    shares = Groups.of(keys).shares(values)
    assert rows[10]["reer"] == pytest.approx(swaps.reer_paired(*shares.T))
    assert rows[10]["beyond"] == "" and rows[25]["beyond"] == "extrapolated"
    with pytest.raises(NotDefined, match="All topics are of one group"):
        of_scores(NAME, values, groups=["one"] * 30)


def test_runs_that_are_far_apart_can_be_trusted_and_equal_ones_not():
    rng = np.random.default_rng(4)
    values = 0.2 + 0.02 * rng.random((40, 3)) + np.array([0, 0.001, 0.305])
    result = of_scores(NAME, values)
    assert result.headline.startswith(
        "Of 3 pairs of 3 runs, by the mean of each bin, two sets of 40 topics would disagree on at "
        "most 1 % for differences of 0.3 or more"
    )
    equal = of_scores(NAME, np.repeat(rng.random((40, 1)), 3, axis=1))
    assert equal.headline == (
        "Among 3 pairs of 3 runs, by the mean of each bin, there is no difference from which on "
        "two sets of 40 topics would disagree on 5 % or less"
    )


def test_small_differences_have_small_bins_with_as_many_digits():
    """As of P@1000 for runs that are a thousandth apart on each topic."""
    values = np.random.default_rng(4).integers(0, 50, (40, 1)) / 1_000 + [0, 0.001, 0.002]
    result = of_scores(NAME, values)
    assert result.headline == (
        "Of 3 pairs of 3 runs, by the mean of each bin, two sets of 40 topics would disagree on at "
        "most 1 % for differences of 0.001 or more"
    )
    digits = {column.key: column.digits for column in result.columns}
    assert [digits[key] for key in ("low", "high", "trust_05", "trust_01")] == [4] * 4
    assert {row["low"] for row in rows_of(result)} == {0.001, 0.002}
    assert {value["bin"] for value in result.spec["data"]["values"]} == {
        *("0.001 to 0.0012", "0.002 to 0.0022"),
    }


def test_edges_have_the_digits_that_tell_them_apart():
    widths = (2.0, 0.05, 0.01, 0.005, 0.001, 2e-16)
    assert [digits_of(width) for width in widths] == [2, 2, 2, 3, 3, 16]


@needs_real_data
def test_the_runs_of_trec_8():
    """8,256 pairs; with 50 topics the paired rate falls below .05 earlier than the printed one."""
    values = matrix(FOLDER / "trec_topic_run_matrices" / "adhoc8_ap.csv")
    rows = [row for row in rows_of(of_scores(NAME, values)) if row["size"] == 50]
    assert sum(row["n_pairs"] for row in rows) == 8256
    assert all(row["reer"] <= row["reer_printed"] for row in rows if row["reer"] > 1e-4)
    assert {(row["trust_05"], row["trust_01"]) for row in rows} == {(0.04, 0.06)}


@needs_real_data
def test_the_runs_of_trec_8_are_trusted_on_a_smaller_scale_too():
    """Unscaled from .04 on: .0008 here, in bins half as wide as on that scale."""
    values = 0.02 * matrix(FOLDER / "trec_topic_run_matrices" / "adhoc8_ap.csv")
    (at_hand,) = {row["trust_05"] for row in rows_of(of_scores(NAME, values)) if row["size"] == 50}
    assert at_hand == pytest.approx(0.001)
