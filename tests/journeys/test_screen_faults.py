"""The judge screen as production serves it, while the server is killed under it: what it calls saved is on disk."""

import re
from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect
from pytest_django import DjangoDbBlocker

from annotate.models import Judgment, Round
from annotate.services import seating
from config.up.processes import wait_until
from tests import cast
from tests.stack import Stack

N_PAIRS = 18
HASHED = re.compile(r"\.[0-9a-f]{12}\.js$")


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


def stored(stack: Stack, blocker: DjangoDbBlocker) -> list[int]:
    with stack.orm(blocker):
        return list(Judgment.objects.order_by("pk").values_list("level__grade", flat=True))


def test_what_the_screen_called_saved_is_on_disk_after_the_server_was_killed_in_mid_batch(
    fault_stack: Callable[..., Stack], django_db_blocker: DjangoDbBlocker, browser: Browser
) -> None:
    stack = fault_stack("screen", STATIC_FILES="hashed")
    with stack.orm(django_db_blocker):
        open_study()
    page = browser.new_page()
    scripts: list[str] = []
    page.on("request", lambda asked: asked.resource_type == "script" and scripts.append(asked.url))
    at_the_screen(page, stack.url)
    judging = [url for url in scripts if "/js/judge/" in url]
    assert len(judging) > 20
    assert [url for url in judging if not HASHED.search(url)] == []  # a new release brings all of them, or none
    pressed: list[int] = []
    for number in range(12):
        if number in (3, 7):
            part = "web" if number == 3 else "postgres"
            dead = stack.processes()[part]
            stack.kill(part)
        expect(page.locator("#card")).to_be_visible(timeout=60_000)
        grade = number % 3
        page.keyboard.press(str(grade))
        pressed.append(grade)
        if page.locator("#saved").inner_text() == "Saved":
            called_saved = list(pressed)
            assert stored(stack, django_db_blocker)[: len(called_saved)] == called_saved
        if number in (3, 7):
            assert wait_until(lambda part=part, dead=dead: stack.processes()[part] != dead, seconds=60)
        else:
            page.wait_for_timeout(150)
    expect(page.locator("#saved")).to_have_text("Saved", timeout=90_000)
    assert stored(stack, django_db_blocker) == pressed
    page.close()
