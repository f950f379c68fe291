"""The people of the first page: labels of 24 hours beside all labels, which are of one moment.

To see these tests fail: count the labels of the last 24 hours at the time of asking.
"""

import pytest

from annotate.models import Judgment
from annotate.services.judging import claiming
from metrics.services.cockpit.cockpit import cockpit
from metrics.services.cockpit.people_rows import PersonRow
from metrics.services.dashboard import dashboard
from metrics.services.dashboard.dashboard import DashboardOptions
from metrics.services.numbers import refresh
from tests import campaigns, cast
from tests.annotate.views.review.inbox_rows import inbox_collection

pytestmark = pytest.mark.django_db(transaction=True)  # labels have moments of their own


def only_row(collection) -> tuple[PersonRow, str]:
    """The row of the only person on the first page, and its line of the moment."""
    options = DashboardOptions("ordinal")
    state = dashboard.state_of(collection=collection, options=options)
    page = dashboard.dashboard(collection=collection, options=options, state=state)
    (row,) = cockpit(collection=collection, dashboard=page, state=state).people
    return row, page.moment.first_page_text


def test_labels_of_the_last_24_hours_are_of_the_moment_of_all_labels():
    collection = inbox_collection()
    campaigns.open_pool_round(collection, cast.pairs(collection, 2))
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)
    first, second = claiming.open_hand_outs(annotator=annotator).select_related("batch__annotator")
    campaigns.judge(first, 1)
    refresh.refresh(collection=collection)
    row, text = only_row(collection)
    assert (row.n_last_day, row.numbers["n_labels"]) == (1, 1)
    assert text.startswith(
        "What waits, runs, pools, flags, who was seen last, pauses and rejected batches are live; "
        "all other numbers are as of "
    )
    assert "since" not in text
    seen_at = row.last_answer_at
    campaigns.judge(second, 1)
    row, text = only_row(collection)
    assert (row.n_last_day, row.numbers["n_labels"]) == (1, 1)
    assert row.last_answer_at > seen_at and text.endswith("; labels of 1 pair have come since.")
    refresh.refresh(collection=collection)
    row, _ = only_row(collection)
    assert (row.n_last_day, row.numbers["n_labels"]) == (2, 2)


@pytest.mark.parametrize(("hours", "n"), [(23.9, 1), (24.1, 0)])
def test_a_label_counts_for_24_hours_whatever_the_day_is(hours, n):
    collection = inbox_collection()
    campaigns.open_pool_round(collection, cast.pairs(collection, 1))
    campaigns.judge_batch(cast.annotator(collection), limit=1)
    campaigns.make_older(Judgment.objects.all(), hours=hours)
    refresh.refresh(collection=collection)
    row, _ = only_row(collection)
    assert (row.n_last_day, row.numbers["n_labels"]) == (n, 1)
