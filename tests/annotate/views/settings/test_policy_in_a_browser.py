"""A policy in a real browser: its words follow the figures typed, and grey where they cannot."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests import cast

pytestmark = pytest.mark.django_db(transaction=True)


def test_words_of_former_figures_are_greyed_while_a_figure_cannot_be_read(
    page: Page, live_server, lead, collection
):
    cast.sign_in(page.context, live_server.url, lead)
    page.goto(live_server.url + reverse("annotate:policy", args=[collection.slug]))
    words = page.locator("#policy-draft")
    labels = page.locator("[name=labels_per_pair]")
    labels.clear()
    # a number that is begun: the browser has it, and can make nothing of it
    labels.press("-")
    expect(page.locator("#id_labels_per_pair_error")).not_to_be_empty()
    expect(words).to_have_class(re.compile("is-old"))
    labels.press("Backspace")
    labels.fill("2")
    expect(words).to_contain_text("Every pair gets 2 labels")
    expect(words).not_to_have_class(re.compile("is-old"))
    expect(page.locator("#id_labels_per_pair_error")).to_be_empty()
