"""The judge screen as production serves it, while the server is killed under it: what it calls saved is on disk."""

from collections.abc import Callable
from contextlib import suppress

from django.db import OperationalError
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django import DjangoDbBlocker

from annotate.models import Judgment, Round
from annotate.services import seating
from config.up.processes import wait_until
from tests import cast
from tests.browsing import looking
from tests.stack import Stack

N_PAIRS = 18


def open_study() -> None:
    collection = cast.collection("busy", grades=3, batch_candidates=N_PAIRS)
    cast.annotator(collection, cast.user("ada"))
    pairs = cast.pairs(collection, N_PAIRS)
    seating.open_round(
        collection=collection, kind=Round.Kind.POOL, name="pool", policy=cast.policy(collection),
        pair_ids=[pair.pk for pair in pairs],
    )  # fmt: skip


def at_the_screen(page: Page, url: str) -> None:
    page.goto(f"{url}/accounts/login/?next=/c/busy/judge/")
    page.fill("[name=login]", "ada")
    page.fill("[name=password]", cast.PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator(".level").first).to_be_visible()
    page.wait_for_load_state()  # the levels are there before the scripts that listen to keys


def stored(stack: Stack, blocker: DjangoDbBlocker) -> list[int]:
    """The grades on disk, in their order; a database that was killed is waited for."""
    found: list[int] = []

    def is_told() -> bool:
        with suppress(OperationalError), stack.orm(blocker):
            found[:] = Judgment.objects.order_by("pk").values_list("level__grade", flat=True)
            return True
        return False

    assert wait_until(is_told, seconds=600)
    return found


def test_what_the_screen_called_saved_is_on_disk_after_the_server_was_killed_in_mid_batch(
    fault_stack: Callable[..., Stack], django_db_blocker: DjangoDbBlocker, context: BrowserContext
) -> None:
    stack = fault_stack("screen")
    with stack.orm(django_db_blocker):
        open_study()
    page = looking(context.new_page())
    at_the_screen(page, stack.url)
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
                assert stored(stack, django_db_blocker) == pressed
            assert wait_until(lambda part=part, dead=dead: stack.processes()[part] != dead, seconds=600)
        elif number % 2:
            continue  # the next one is pressed while this one is on its way
        expect(page.locator("#saved")).to_have_text("Saved", timeout=600_000)
        assert stored(stack, django_db_blocker) == pressed
