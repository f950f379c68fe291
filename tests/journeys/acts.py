"""Acts of people in a browser, in the journeys and the stories."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browsing import awaiting_levels, with_long_timeout
from tests.servers.stack import Stack

PASSWORD = "a long pass phrase for the story"
UNDER_WAY = re.compile("^(Looking|Saving|Waiting)")


@pytest.fixture
def new_person(live_stack: Stack, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Function that makes a page in a new browser; policy errors and foreign requests fail.

    Its arguments are those of a browser's context: a phone's width, touch.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def make(**options: Any) -> Page:
        options = {"viewport": {"width": 1280, "height": 800}, **options}
        context = with_long_timeout(browser.new_context(base_url=live_stack.url, **options))
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda line: complaints.append(line.text) if "Content Security" in line.text else None,
        )
        ours = (live_stack.url, "blob:", "data:")
        page.on(
            "request",
            lambda request: request.url.startswith(ours) or complaints.append(request.url),
        )
        return page

    yield make
    for context in contexts:
        context.close()
    assert complaints == []


def upload(name: str, content: bytes) -> dict[str, Any]:
    """A file for an input of files."""
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}


def sign_in(page: Page, username: str, password: str) -> None:
    """Sign in by the form."""
    page.goto("/accounts/login/")
    page.locator("[name=login]").fill(username)
    page.locator("[name=password]").fill(password)
    page.locator("main form button").last.click()
    page.wait_for_url(lambda url: "/login/" not in url)


def make_collection(
    page: Page,
    *,
    slug: str,
    name: str,
    levels: dict[int, str],
    positive_from: int,
    items: dict[str, Any],
) -> None:
    """Make a collection of a file of items, and wait until that is read."""
    page.goto(reverse("annotate:collection-new"))
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Short name").fill(slug)
    for number, (grade, level) in enumerate(levels.items(), start=1):
        grade_field = page.get_by_label(f"Grade of level {number}", exact=True)
        unfold(grade_field)
        grade_field.fill(str(grade))
        page.get_by_label(f"Name of level {number}", exact=True).fill(level)
    page.get_by_label("Relevant from grade").fill(str(positive_from))
    page.get_by_label("Items").set_input_files(items)
    page.get_by_role("button", name="Make the collection").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Upload runs")
    see_import(page, slug, items["name"])


def load(page: Page, slug: str, kind: str, file: dict[str, Any], **fields: str) -> None:
    """Load a file of a kind of import, with the fields of its form, and wait until it is read."""
    address = reverse("annotate:load", args=[slug, kind])
    page.goto(address)
    for name, value in fields.items():
        element = page.locator(f"main form [name={name}]")
        element.select_option(value) if name == "direction" else element.fill(value)
    page.locator("main form [name=file]").set_input_files(file)
    page.locator("main form button").last.click()
    page.wait_for_url(lambda url: not url.endswith(address))
    see_import(page, slug, file["name"])


def see_import(page: Page, slug: str, file_name: str) -> None:
    """Open the page of an import, and wait until its file is read."""
    page.goto(reverse("annotate:imports", args=[slug]))
    page.get_by_role("link", name=file_name).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"from {file_name}")
    expect(page.locator("main")).to_contain_text("Done")


def unfold(field: Locator) -> None:
    """Open all that the field is folded away in."""
    for fold in field.locator("xpath=ancestor::details").all():
        fold.evaluate("fold => { fold.open = true; }")


def change_policy(page: Page, slug: str, **fields: str) -> None:
    """Store another version of the policy, for the pools that follow."""
    page.goto(reverse("annotate:policy", args=[slug]))
    policy_form = page.locator("form").filter(has=page.locator("[name=double_percent]"))
    for name, value in fields.items():
        field = policy_form.locator(f"[name={name}]")
        unfold(field)
        field.fill(value)
    policy_form.locator("button").last.click()
    expect(page.locator("main")).to_contain_text("follow version 2")


def upload_run(
    page: Page, slug: str, name: str, content: bytes, *, may_be_published: bool = False
) -> None:
    """Upload a run and wait until it is read."""
    address = reverse("pooling:run-upload", args=[slug])
    page.goto(address)
    page.locator("main form [name=name]").fill(name)
    page.get_by_label("Files", exact=True).set_input_files(upload(f"{name}.run", content))
    page.get_by_label("May be published").set_checked(may_be_published)
    page.locator("main form button").last.click()
    page.wait_for_url(lambda url: not url.endswith(address))
    page.goto(reverse("pooling:runs", args=[slug]))
    page.get_by_role("link", name=name, exact=True).click()
    expect(page.locator("main")).to_contain_text("Ready", timeout=120_000)


def preview_pool(page: Page, slug: str, *, name: str, depth: int) -> None:
    """Fill in the form of a pool, and wait for its preview."""
    page.goto(reverse("pooling:pool-new", args=[slug]))
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Depth", exact=True).fill(str(depth))
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview")).to_contain_text("People-hours")


def open_previewed_pool(page: Page, *, name: str) -> int:
    """Open the pool whose preview is on the page; returns its key."""
    slug = page.url.split("/c/")[1].split("/")[0]
    page.get_by_role("button", name="Open pool").click()
    page.wait_for_url(lambda url: not url.endswith("/new/"))
    page.goto(reverse("pooling:pools", args=[slug]))
    page.get_by_role("link", name=name, exact=True).click()
    expect(page.locator("main")).to_contain_text("Open")
    page.wait_for_url(re.compile(r"/pools/\d+/$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    return int(page.url.rstrip("/").rsplit("/", 1)[1])


def invite(page: Page, slug: str) -> str:
    """A link for one annotator."""
    page.goto(reverse("annotate:members", args=[slug]))
    page.get_by_label("Role").select_option("annotator")
    page.get_by_role("button", name="Make links").click()
    return page.get_by_label("Invitation link").input_value()


def accept(page: Page, link: str, username: str, collection: str) -> None:
    """Accept an invitation to a collection of this name, with a new account."""
    page.goto(link)
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Make the account and join").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(collection)


class KeyboardAnnotator:
    """An annotator who judges by keyboard until nothing is left.

    to_grade : the grade of the card on screen
    """

    def __init__(self, page: Page, slug: str, to_grade: Callable[[Page], int]) -> None:
        self.page, self.slug, self.to_grade = awaiting_levels(page), slug, to_grade

    def has_card(self) -> bool:
        """Wait for a card; False when nothing is left."""
        nothing = self.page.locator("#empty-title:visible").filter(has_not_text=UNDER_WAY)
        self.page.locator("#card:visible").or_(nothing).wait_for()
        return not nothing.is_visible()

    def work(self) -> int:
        """Judge everything; returns how many keys were pressed."""
        self.page.goto(reverse("annotate:judge", args=[self.slug]))
        pressed = 0
        while self.has_card():
            progress = self.page.locator("#progress-text").inner_text()
            position, size = map(int, re.findall(r"\d+", progress)[1:3])
            self.page.keyboard.press(str(self.to_grade(self.page)))
            pressed += 1
            if position != size:
                expect(self.page.locator("#progress-text")).not_to_have_text(progress)
        return pressed
