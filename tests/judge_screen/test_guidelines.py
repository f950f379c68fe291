"""Guidelines on the judge screen: version, notice of a change, and versions of judgments."""

import pytest
from playwright.sync_api import expect

from annotate.models import Judgment
from annotate.services.collection import collections
from annotate.services.collection.collections import Wording
from tests.judge_screen.screen import expect_position, expect_saved

pytestmark = pytest.mark.django_db(transaction=True)


def change(collection, text="# Look twice"):
    return collections.change_guidelines(
        collection=collection, markdown=text, wording=[Wording(2, "Exactly so", "It is.")], by=None
    )


def test_a_change_is_told_once_even_while_the_page_is_open_and_judgments_keep_what_they_saw(
    collection, open_judge
):
    page = open_judge()
    notice = page.locator("#guidelines-changed")
    expect(notice).to_be_hidden()
    change(collection)
    page.keyboard.press("2")
    expect_position(page, 2)
    expect(notice).to_contain_text("The guidelines changed on ")
    page.keyboard.press("2")
    expect_saved(page)
    assert set(Judgment.objects.values_list("guidelines__version", flat=True)) == {1}
    notice.get_by_role("button", name="Read them").click()
    drawer = page.locator("#guidelines")
    expect(drawer).to_contain_text("Look twice")
    expect(drawer).to_contain_text("Version 2, changed on")
    expect(page.get_by_role("radio", name="Exactly so")).to_be_visible()
    expect(notice).to_be_hidden()
    page.keyboard.press("2")  # the drawer is beside the work
    expect_position(page, 4)
    expect_saved(page)
    assert Judgment.objects.filter(guidelines__version=2).count() == 1
    page.goto(page.url.partition("#")[0])
    expect_position(page, 4)
    expect(notice).to_be_hidden()


def test_who_was_away_is_told_on_coming_back_until_she_closes_it(collection, open_judge):
    page = open_judge()
    page.keyboard.press("2")
    expect_saved(page)
    page.close()
    change(collection)
    page = open_judge()
    notice = page.locator("#guidelines-changed")
    expect(notice).to_be_visible()
    notice.get_by_role("button", name="Close").click()
    page.reload()
    expect_position(page, 2)
    expect(notice).to_be_hidden()


def test_the_drawer_opens_and_closes_by_key_and_leaves_the_keys_to_the_work(open_judge):
    page = open_judge()
    page.keyboard.press("g")
    expect(page.locator("#guidelines")).to_contain_text("Version 1, of")
    page.keyboard.press("2")
    expect_position(page, 2)
    page.keyboard.press("Escape")
    expect(page.locator("#guidelines")).to_be_hidden()
    page.keyboard.press("0")
    expect_position(page, 3)
