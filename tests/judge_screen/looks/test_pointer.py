"""A pointer that rests on a level points at nothing of the next card until it moves."""

import pytest
from playwright.sync_api import Page

from tests.browsing import wait_until_levels_awake
from tests.judge_screen.screen import expect_position

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.browser_context_args(reduced_motion="reduce"),
]
# of each level the colours that a choice changes, and whether the pointer is on it
LOOKS = """() => [...document.querySelectorAll(".level")].map((level) => {
  const { borderTopColor, backgroundColor, boxShadow } = getComputedStyle(level);
  const look = [borderTopColor, backgroundColor, boxShadow].join();
  return { isHovered: level.matches(":hover"), look };
})"""


def looks_under_the_pointer(page: Page) -> tuple[set[str], set[str]]:
    """The looks of levels that the pointer is on, and those of the others."""
    levels = page.evaluate(LOOKS)
    return tuple(
        {level["look"] for level in levels if level["isHovered"] == is_hovered}
        for is_hovered in (True, False)
    )


def test_a_level_under_a_resting_pointer_looks_like_the_others_on_the_next_card(open_judge):
    page = open_judge()
    expect_position(page, 1)
    wait_until_levels_awake(page)
    box = page.locator(".level").first.bounding_box()
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*at)
    hovered, others = looks_under_the_pointer(page)
    assert len(hovered) == 1 and not hovered & others  # it was pointed at
    page.mouse.down()
    page.mouse.up()
    expect_position(page, 2)
    wait_until_levels_awake(page)
    hovered, others = looks_under_the_pointer(page)
    assert len(hovered) == 1 and hovered == others
    page.mouse.move(at[0] + 3, at[1])
    hovered, others = looks_under_the_pointer(page)
    assert len(hovered) == 1 and not hovered & others
