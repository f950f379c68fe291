"""The sentences of a person's page, and of a dashboard whose numbers could not be refreshed.

To see these tests fail: leave out a case of one of them.
"""

from datetime import UTC, datetime

import pytest

from annotate.core.labels.pair_states import StateCounts
from metrics.services.dashboard.dashboard import Dashboard, PoolTotals
from metrics.services.dashboard.people_pages import PersonPage
from metrics.services.numbers.refresh_tries import RefreshDelay

NONE = StateCounts({}, is_open=True)
MOMENT = datetime(2026, 3, 5, 7, 8, tzinfo=UTC)


def page(**fields):
    return PersonPage(*[None] * len(PersonPage._fields))._replace(**fields)


@pytest.mark.parametrize(
    ("details", "text"),
    [
        (None, "being computed"),
        ({"drag": None}, "alpha is not defined with or without them"),
        ({"drag": 0.01234}, "0.012 higher: these labels lower alpha"),
        ({"drag": -0.0004}, "0.000: these labels hardly change alpha"),
        ({"drag": -0.5}, "-0.500: these labels raise alpha"),
    ],
)
def test_labels_of_one_person_lower_or_raise_alpha(details, text):
    assert page(details=details).drag_text == text


@pytest.mark.parametrize(
    ("worker_missing", "end"),
    [(False, "."), (True, " once a worker runs: none has been seen for a minute.")],
)
def test_a_closer_look_that_is_to_come_says_so(worker_missing, end):
    text = page(worker_missing=worker_missing).waiting_text
    assert text == f"The closer look is being computed; it appears here{end}"


@pytest.mark.parametrize(
    ("n", "text"),
    [(2, "They are tried again"), (3, "The next try is not before 5 Mar 2026 07:08 UTC")],
)
def test_numbers_that_are_late_say_when_they_are_tried_again(n, text):
    delay = RefreshDelay(MOMENT, n, MOMENT, is_slow=False, slug="study")
    assert delay.next_try_text == text


def test_pools_that_overlap_say_why_they_add_up_to_more():
    def text(*sizes):
        rounds = [{"n_pairs": size} for size in sizes]
        totals = PoolTotals(644, NONE, 0, 0)
        return Dashboard(
            "", is_waiting=False, worker_missing=False, totals=totals, rounds=rounds
        ).overlap_text

    assert text(347, 297) == text() == ""
    assert text(347, 328).startswith(
        "The pools overlap: they add up to 675 pairs, and there are 644. Each label is counted in "
    )
    assert Dashboard("", is_waiting=True, worker_missing=False).overlap_text == ""
