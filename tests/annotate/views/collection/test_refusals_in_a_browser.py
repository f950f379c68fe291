"""A refused form shows its message to the eye, the keyboard and the screen reader."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Collection
from annotate.services.golds import golds
from tests import campaigns, cast

pytestmark = pytest.mark.django_db(transaction=True)
SAVE = "Save"
AS_SENT_BY_A_PROGRAM = """form => {
    form.noValidate = true;
    for (const field of form.elements) field.removeAttribute("maxlength");
}"""
FORMS = {
    "policy": (
        "settings/policy/",
        "Labels at most",
        "1",
        SAVE,
        "must not be fewer",
    ),
    "nominal": (
        "settings/policy/",
        "Tolerated distance",
        "1",
        SAVE,
        "no distance",
    ),
    "wording": (
        "settings/guidelines/",
        "Name of grade 0",
        " ",
        SAVE,
        "required",
    ),
    "pay": ("settings/", "Pay an hour", "-1", "Save", "greater than or equal to 0"),
    "deletion": (
        "settings/",
        "Its short name",
        "fish",
        "Delete birds with 11 items for good",
        "is “birds”",
    ),
    "gold": ("judging/golds/", "Query's id", " ", "Add", "required"),
    "retirement": (
        "judging/golds/",
        "Reason",
        "x" * 201,
        "Retire",
        "at most 200 characters",
    ),
    "pause": ("dashboard/people/{person}/", "Reason", " ", "Pause", "Say why"),
    "webhook": ("settings/webhooks/", "Address", "http://example.org/", "Add", "https"),
    "release": ("results/releases/", "Version", "first", "Make the release", "A digit, then"),
    "pool": ("judging/pools/new/", "Name", " ", "Open pool", "required"),
    "query set": ("imports/query-sets/", "Name", " ", "Load query set", "required"),
    "invitation": ("people/members/", "Days the link works", "0", "Make links", "1"),
}
OF_RESEARCHERS = ("pool", "query set")  # leads do without these pages


@pytest.fixture
def collection():
    collection = campaigns.open_collection(4, "birds", grades=3, labels_per_pair=2, ceiling=2)
    Collection.objects.filter(pk=collection.pk).update(measurement="nominal")
    golds.add_gold(
        collection=collection, by=None, query="q0", document="d0", grade=1, explanation="It is so."
    )
    return collection


def form_of(page, label):
    """The form that has a field of this label."""
    field = page.locator("main").get_by_label(label).first
    return field.locator("xpath=ancestor::form"), field


@pytest.mark.parametrize("name", FORMS)
def test_the_refused_field_is_in_view_with_the_focus_its_message_and_what_was_typed(
    collection, lead, researcher, annotator, page: Page, live_server, name
):
    path, label, value, button, message = FORMS[name]
    person = researcher if name in OF_RESEARCHERS else lead
    cast.sign_in(page.context, live_server.url, person)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/c/birds/{path.format(person=annotator.pk)}")
    form, field = form_of(page, label)
    form.evaluate(AS_SENT_BY_A_PROGRAM)  # the answer of the server is tested
    for fine_print in field.locator("xpath=ancestor::details").all():
        fine_print.locator("summary").first.click()
    field.fill(value)
    # a policy's draft is sent as it is typed too
    with page.expect_response(lambda answer: answer.request.is_navigation_request()) as response:
        form.get_by_role("button", name=button, exact=True).first.click()
    assert response.value.status == 422
    _, field = form_of(page, label)
    expect(field).to_be_focused()
    expect(field).to_be_in_viewport(ratio=1)
    expect(field).to_have_value(value)
    expect(field).to_have_accessible_description(re.compile(re.escape(message)))
