"""The dashboard's charts as they are drawn."""

import pytest
from playwright.sync_api import expect

from annotate.models import Role
from metrics.services import refresh
from tests import cast
from tests.metrics import studies

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_axis_of_counts_has_no_mark_twice_where_there_is_one_label(page, live_server):
    study = studies.study("study")
    studies.judge(cast.annotator(study), n=1)
    refresh.refresh(collection=study)
    cast.sign_in(page.context, live_server.url, cast.member(study, Role.LEAD))
    page.goto(f"{live_server.url}/c/study/dashboard/")
    chart = page.get_by_role("figure", name="Labels by level")
    marks = chart.locator(".role-axis-label").first.locator("text")
    expect(marks.first).to_have_text("0")
    words = marks.all_text_contents()
    assert len(words) == len(set(words)), words
