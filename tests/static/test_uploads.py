"""Choosing, dropping and sending files in a real browser, with the script and without."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotate.models import Collection, Import, User
from tests import cast
from tests.browsing import with_long_timeout

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("open_media_root")]
LINE = b'{"side": "document", "id": "d1", "text": "x"}\n'
DROP = """(box) => {
  const carried = new DataTransfer();
  carried.items.add(new File(["x".repeat(2048)], "dropped.jsonl"));
  const properties = { bubbles: true, cancelable: true, dataTransfer: carried };
  for (const name of ["dragenter", "dragover", "drop"])
    box.dispatchEvent(new DragEvent(name, properties));
}"""


@pytest.fixture
def signed_in(page: Page, live_server: object, researcher: User) -> Page:
    """The form for items, open before a researcher; the collection is set up."""
    Collection.objects.update(scheme_frozen_at=timezone.now())
    cast.sign_in(page.context, live_server.url, researcher)
    page.goto(live_server.url + reverse("annotate:load", args=["shapes", "items"]))
    return page


def choose(page: Page, label: str, name: str, content: bytes) -> None:
    page.get_by_label(label).set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content}
    )


def send(page: Page) -> None:
    page.get_by_role("button", name="Load items").click()


def test_a_dropped_file_is_shown_with_its_size(signed_in):
    signed_in.locator("[data-field=file] .file-drop").evaluate(DROP)
    expect(signed_in.locator("[data-field=file] output")).to_have_text("dropped.jsonl · 2.0 KB")
    assert (
        signed_in.get_by_label("Items").evaluate("(input) => input.files[0].name")
        == "dropped.jsonl"
    )


def test_a_sent_file_leads_to_its_import(signed_in):
    choose(signed_in, "Items", "a.jsonl", LINE)
    send(signed_in)
    expect(signed_in.get_by_role("heading", level=1)).to_have_text("Items from a.jsonl")


def test_what_is_wrong_is_shown_and_the_files_stay_chosen(signed_in):
    choose(signed_in, "Items", "a.jsonl", LINE)
    choose(signed_in, "Media", "a.png", b"x")
    send(signed_in)
    expect(signed_in.locator("[data-field=media] .field-error")).to_contain_text(
        "a.png is no zip archive"
    )
    expect(signed_in.locator("[data-field=file] output")).to_contain_text("a.jsonl")
    signed_in.get_by_label("Media").set_input_files([])
    send(signed_in)
    expect(signed_in.get_by_role("heading", level=1)).to_have_text("Items from a.jsonl")


def test_a_file_that_is_too_large_is_not_sent(signed_in, settings):
    signed_in.get_by_label("Items").evaluate("(input) => { input.dataset.maxBytes = 10; }")
    choose(signed_in, "Items", "a.jsonl", LINE)
    send(signed_in)
    message = signed_in.get_by_label("Items").evaluate("(input) => input.validationMessage")
    assert "larger than 10 bytes" in message
    assert not Import.objects.exists()


def test_without_script_the_form_sends_its_file_all_the_same(new_context, signed_in):
    context = with_long_timeout(
        new_context(java_script_enabled=False, storage_state=signed_in.context.storage_state())
    )
    plain = context.new_page()
    plain.goto(signed_in.url)
    choose(plain, "Items", "a.jsonl", LINE)
    send(plain)
    expect(plain.get_by_role("heading", level=1)).to_have_text("Items from a.jsonl")
