"""Headlines on alpha as labels came: settled, not settled, or not known just before."""

import pytest

from metrics.charts.analyses.labels.arrivals import arrivals_result
from metrics.core.analyses.labels.arrivals import ArrivalPoint

NOW = "Alpha of planned labels is 0.70 (95 % interval 0.60 to 0.80)"


@pytest.mark.parametrize(
    ("alphas", "headline"),
    [
        ((0.3, 0.71, 0.69, 0.7), f"{NOW}; since the first 20 of 40 labels it stayed within 0.05"),
        ((0.3, 0.2, 0.7), f"{NOW} and has not settled: just before it was more than 0.05 away"),
        ((None, None, 0.7), f"{NOW}; just before it was not defined yet"),
        ((0.7,), f"{NOW}; just before it was not defined yet"),
    ],
)
def test_alpha_is_said_to_be_away_only_where_it_was_known(alphas, headline):
    points = [
        ArrivalPoint(10 * number, 40, alpha, 0.6, 0.8)
        for number, alpha in enumerate(alphas, start=1)
    ]
    result = arrivals_result(points, points, level="ordinal", drawn_units="queries", notes=[])
    assert result.headline.startswith(headline)


def test_few_pairs_tell_nothing_of_alpha():
    points = [ArrivalPoint(10, 1, 0.5, None, None)]
    result = arrivals_result(points, points, level="ordinal", drawn_units="queries", notes=[])
    assert result.headline == (
        "1 pair has two planned labels or more: too few to tell whether alpha settled"
    )
