"""The end of a batch, told beside the first card of the next; it goes with the first answer."""

import pytest
from playwright.sync_api import Page, expect

from annotate.models import Batch, Collection
from tests import campaigns
from tests.judge_screen.looks.screens import level_places
from tests.judge_screen.screen import expect_saved, stored_grades

pytestmark = pytest.mark.django_db(transaction=True)
SIZE = 2
N_BATCHES = 3


@pytest.fixture
def collection() -> Collection:
    return campaigns.open_collection(
        SIZE * N_BATCHES, "birds", per_query=SIZE * N_BATCHES, grades=3, batch_candidates=SIZE
    )


def expect_card(page: Page, batch: int, number: int) -> None:
    """Wait until the card at this place of a batch is on screen."""
    expect(page.locator("#progress-text")).to_have_text(f"Batch {batch} · {number} of {SIZE}")
    expect(page.locator("#card")).to_be_visible()


def judge_batch(page: Page, batch: int) -> None:
    """Answer all cards of a batch."""
    for number in range(1, SIZE + 1):
        expect_card(page, batch, number)
        page.keyboard.press("2")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_next_batch_needs_no_key_of_its_own_and_no_level_moves(open_judge, width):
    page = open_judge()
    page.set_viewport_size({"width": width, "height": 800})
    expect_card(page, 1, 1)
    places = level_places(page)
    judge_batch(page, 1)
    expect_card(page, 2, 1)
    end = page.locator("#batch-end")
    expect(end).to_contain_text("2 labels in this batch.")
    expect(end).to_contain_text("4 pairs are left for you.")
    expect(end.get_by_role("button", name="Next batch")).to_be_in_viewport()
    assert level_places(page) == places
    page.keyboard.press("0")
    expect_card(page, 2, 2)
    expect(end).to_be_hidden()
    assert level_places(page) == places
    expect_saved(page)
    assert stored_grades() == [2, 2, 0]


@pytest.mark.parametrize("key", ["Enter", None])
def test_it_can_be_put_away_before(open_judge, key):
    page = open_judge()
    judge_batch(page, 1)
    expect_card(page, 2, 1)
    expect(page.locator("#batch-end")).to_be_visible()
    if key:
        page.keyboard.press(key)
    else:
        page.get_by_role("button", name="Next batch").click()
    expect(page.locator("#batch-end")).to_be_hidden()
    expect(page.locator("#card")).to_be_focused()
    expect_card(page, 2, 1)


def test_the_last_answer_is_taken_back_across_the_end_of_its_batch(open_judge):
    page = open_judge()
    expect_card(page, 1, 1)
    page.keyboard.press("2")
    expect_card(page, 1, 2)
    last = page.locator("#document").inner_text()
    page.keyboard.press("2")
    expect_card(page, 2, 1)
    page.keyboard.press("z")
    expect(page.locator("#document")).to_have_text(last)
    expect(page.locator("#batch-end")).to_be_hidden()
    page.keyboard.press("0")
    expect_card(page, 2, 1)
    expect_saved(page)
    assert stored_grades() == [2, 2, 0]
    assert Batch.objects.filter(finished_at=None).count() == 1


def test_where_nothing_is_left_the_figures_stand_with_the_reason(open_judge):
    page = open_judge()
    for batch in range(1, N_BATCHES + 1):
        judge_batch(page, batch)
    expect(page.locator("#empty-title")).to_have_text("Nothing is left to judge")
    expect(page.locator("#empty-batch")).to_contain_text("2 labels in this batch.")
    expect(page.locator("#empty-batch")).not_to_contain_text("left")
    expect(page.locator("#empty")).to_be_focused()
    expect_saved(page)
    assert len(stored_grades()) == SIZE * N_BATCHES


def test_without_a_network_the_next_batch_is_waited_for(open_judge, context):
    page = open_judge()
    expect_card(page, 1, 1)
    context.set_offline(True)
    judge_batch(page, 1)
    expect(page.locator("#empty-title")).to_have_text("Waiting for the server")
    context.set_offline(False)
    expect_card(page, 2, 1)
    expect(page.locator("#batch-end")).to_contain_text("2 labels in this batch.")
    assert stored_grades() == [2, 2]
