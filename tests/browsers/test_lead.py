"""A lead's work in Firefox and WebKit: the dashboard, a decision by key, a batch."""

import pytest

from annotate.models import Batch, Collection, Resolution, Role
from metrics.services.numbers import refresh
from tests import cast
from tests.annotate.views.review.inbox_rows import dispute, fail_batch

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.heavy]


@pytest.fixture
def collection() -> Collection:
    collection = cast.collection(
        "birds", grades=3, labels_per_pair=2, ceiling=2, gold_positives=0, gold_negatives=0
    )
    dispute(collection, 2)
    fail_batch(collection)
    refresh.refresh(collection=collection)
    cast.member(collection, Role.LEAD, cast.user("lea"))
    return collection


def test_the_dashboard_is_drawn_a_pair_decided_by_key_and_a_batch_accepted(window, collection):
    window.sign_in("lea")
    window.open("/c/birds/dashboard/")
    window.find(".cockpit", "Alpha, ordinal")
    window.open("/c/birds/dashboard/levels/")
    window.find(".chart-view svg")
    window.open("/c/birds/inbox/?tab=disputed")
    window.press("a.button", "Decide")
    window.find("h1", "Decide about a pair")
    window.wait_for(lambda: window.evaluate("document.readyState") == "complete")
    window.key("2")
    window.wait_for(
        lambda: Resolution.objects.filter(status="adjudicated", grade=2).exists(), "decided"
    )
    window.open("/c/birds/inbox/?tab=batches")
    window.press("main table a")
    window.press("button", "Accept")
    window.wait_for(lambda: Batch.objects.filter(verdict="accepted").exists(), "accepted")
