"""What is shown once has a button that copies it, and is selected where a browser refuses that."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests import cast

pytestmark = pytest.mark.django_db(transaction=True)
REFUSAL = """Object.defineProperty(navigator, "clipboard", {
  value: { writeText: async () => { throw new DOMException("refused", "NotAllowedError"); } } })"""


def make_link(page, url):
    page.goto(url + reverse("annotate:members", args=["shapes"]))
    page.get_by_role("button", name="Make links").click()


def make_token(page, url):
    page.goto(url + reverse("annotate:tokens"))
    page.get_by_label("Name").fill("script")
    page.get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Make the token").click()


def make_webhook(page, url):
    page.goto(url + reverse("annotate:webhooks", args=["shapes"]))
    page.get_by_label("Address").fill("https://hooks.example.org/x")
    page.get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Add", exact=True).click()


FORMS = {
    "Invitation link": make_link,
    "Secret of the token": make_token,
    "Secret of the webhook": make_webhook,
}


@pytest.fixture
def page_of_lead(page: Page, live_server, collection, lead):
    cast.sign_in(page.context, live_server.url, lead)
    return page


@pytest.mark.parametrize("label", FORMS)
def test_a_press_copies_it(page_of_lead, live_server, label):
    page = page_of_lead
    page.context.grant_permissions(["clipboard-write"], origin=live_server.url)
    FORMS[label](page, live_server.url)
    text = page.get_by_label(label).input_value()
    page.get_by_role("button", name=re.compile("^Copy")).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    box = page.evaluate_handle("document.body.appendChild(document.createElement('textarea'))")
    box.as_element().focus()
    page.keyboard.press("Control+V")
    assert box.as_element().input_value() == text
    page.reload()
    expect(page.get_by_label(label)).to_have_value(text)


def test_where_the_browser_refuses_it_is_selected_and_announced(page_of_lead, live_server):
    page = page_of_lead
    page.add_init_script(REFUSAL)
    make_token(page, live_server.url)
    field = page.get_by_label("Secret of the token")
    page.get_by_role("button", name=re.compile("^Copy")).click()
    expect(page.get_by_text("Selected: copy it with the keyboard.")).to_be_attached()
    expect(field).to_be_focused()
    selection = "field => field.value.slice(field.selectionStart, field.selectionEnd)"
    assert field.evaluate(selection) == field.input_value()
