"""The people of the first page: labels of today beside all labels, which are of one moment.

To see these tests fail: count the labels of today at the time of asking.
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
    # the day stands still, should midnight come between two answers
    today = Judgment.objects.earliest("at").at.date()
    state = dashboard.state_of(collection=collection, options=options)._replace(today=today)
    page = dashboard.dashboard(collection=collection, options=options, state=state)
    (row,) = cockpit(collection=collection, dashboard=page, state=state).people
    return row, page.moment.first_page_text


def test_labels_of_today_are_of_the_moment_of_all_labels():
    collection = inbox_collection()
    campaigns.open_pool_round(collection, cast.pairs(collection, 2))
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)
    first, second = claiming.open_hand_outs(annotator=annotator).select_related("batch__annotator")
    campaigns.judge(first, 1)
    refresh.refresh(collection=collection)
    row, text = only_row(collection)
    assert (row.n_today, row.numbers["n_labels"]) == (1, 1)
    assert text.startswith(
        "What waits, runs, pools, flags, who was seen last, pauses and rejected batches are live; "
        "all other numbers are as of "
    )
    assert "since" not in text
    seen_at = row.last_answer_at
    campaigns.judge(second, 1)
    row, text = only_row(collection)
    assert (row.n_today, row.numbers["n_labels"]) == (1, 1)
    assert row.last_answer_at > seen_at and text.endswith("; labels of 1 pair have come since.")
    refresh.refresh(collection=collection)
    row, _ = only_row(collection)
    assert (row.n_today, row.numbers["n_labels"]) == (2, 2)
