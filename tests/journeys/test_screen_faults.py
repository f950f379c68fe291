"""The judge screen while the server is killed: answers that it calls saved are on disk."""

from collections.abc import Callable
from contextlib import suppress

from django.db import OperationalError
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django import DjangoDbBlocker

from annotate.models import Judgment, Round
from annotate.services import seating
from config.up.processes import wait_until
from tests import cast
from tests.browsing import awaiting_levels
from tests.servers.stack import Stack

N_PAIRS = 18


def open_study() -> None:
    collection = cast.collection("busy", grades=3, batch_candidates=N_PAIRS)
    cast.annotator(collection, cast.user("ada"))
    pairs = cast.pairs(collection, N_PAIRS)
    seating.open_round(
        collection=collection,
        kind=Round.Kind.POOL,
        name="pool",
        policy=cast.policy(collection),
        pair_ids=[pair.pk for pair in pairs],
    )


def open_judge_screen(page: Page, url: str) -> None:
    page.goto(f"{url}/accounts/login/?next=/c/busy/judge/")
    page.fill("[name=login]", "ada")
    page.fill("[name=password]", cast.PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator(".level").first).to_be_visible()
    page.wait_for_load_state()  # the levels are there before the scripts that listen to keys


def read_grades(stack: Stack, blocker: DjangoDbBlocker) -> list[int]:
    """The stored grades in their order; waits for a killed database."""
    stored_grades: list[int] = []

    def is_read() -> bool:
        with suppress(OperationalError), stack.orm(blocker):
            stored_grades[:] = Judgment.objects.order_by("pk").values_list(
                "level__grade", flat=True
            )
            return True
        return False

    assert wait_until(is_read, seconds=600)
    return stored_grades


def test_what_the_screen_called_saved_is_on_disk_after_the_server_was_killed_in_mid_batch(
    fault_stack: Callable[..., Stack], django_db_blocker: DjangoDbBlocker, context: BrowserContext
) -> None:
    stack = fault_stack("screen")
    with stack.orm(django_db_blocker):
        open_study()
    page = awaiting_levels(context.new_page())
    open_judge_screen(page, stack.url)
    pressed: list[int] = []
    for number in range(13):
        if number in (3, 7):
            part = "web" if number == 3 else "postgres"
            dead = stack.processes()[part]
            stack.kill(part)
        expect(page.locator("#card")).to_be_visible(timeout=600_000)
        grade = number % 3
        page.keyboard.press(str(grade))
        pressed.append(grade)
        if number in (3, 7):
            if page.locator("#saved").inner_text() == "Saved":  # perhaps before it died
                assert read_grades(stack, django_db_blocker) == pressed
            assert wait_until(
                lambda part=part, dead=dead: stack.processes()[part] != dead, seconds=600
            )
        elif number % 2:
            continue  # press the next key while this answer is on its way
        expect(page.locator("#saved")).to_have_text("Saved", timeout=600_000)
        assert read_grades(stack, django_db_blocker) == pressed
