"""A newcomer's first hour as a lead: from a name and a file to decided pairs and their qrels.

The lead types no address: every page is reached by what the page before offers.
"""

import base64
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pytest_django import DjangoDbBlocker

from annotate.models import Collection, Gold, Part, Resolution, Role
from config.up.processes import wait_until
from tests import cast
from tests.journeys import acts
from tests.journeys.study import StudyFiles, small_study
from tests.journeys.test_story import shown_item
from tests.servers.stack import Stack

SLUG, NAME = "first-hour", "First hour"
LEVELS = {3: "Exactly", 2: "Mostly", 1: "Somewhat", 0: "Not relevant"}  # of the preset
DROP = """(box, [name, content]) => {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], name));
  box.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
}"""


@pytest.fixture(scope="module")
def study() -> StudyFiles:
    return small_study(1)


def heading(page: Page, text: str) -> None:
    """Wait for the page of a heading."""
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def step(page: Page, title: str) -> None:
    """Follow a step of the rail."""
    page.get_by_role("navigation", name="Set-up", exact=True).get_by_role(
        "link", name=title
    ).click()


def section(page: Page, label: str) -> None:
    """Go to a section of the collection, by the bar."""
    bar = page.get_by_role("navigation", name="Collection", exact=True)
    bar.get_by_role("link", name=label).click()


def press(page: Page, name: str) -> None:
    page.locator("main").get_by_role("button", name=name).click()


def make_collection(page: Page, study: StudyFiles) -> None:
    """Choose a scheme, drop the file, look at what it is understood as, and send it."""
    page.get_by_role("link", name="New collection").click()
    page.get_by_label("Name", exact=True).fill(NAME)
    page.get_by_role("link", name="Graded 0 to 3").click()
    expect(page.get_by_label("Relevant from grade")).to_have_value("2")
    box = page.locator(".file-drop:has([name=file])")
    box.evaluate(DROP, ["items.zip", base64.b64encode(study.items).decode()])
    preview = page.locator("[data-preview]")
    expect(preview).to_contain_text("1 query")
    picture = preview.locator("img").first
    expect(picture).to_be_visible()
    assert wait_until(lambda: picture.evaluate("one => one.naturalWidth") > 0, seconds=120)
    expect(page.get_by_label("Name", exact=True)).to_have_value(NAME)
    press(page, "Make the collection")
    heading(page, "Upload runs")


def upload_runs(page: Page, study: StudyFiles) -> None:
    files = [acts.upload(f"{name}.run", run) for name, run in study.runs.items()]
    page.get_by_label("Files", exact=True).set_input_files(files)
    press(page, "Upload")
    heading(page, "Pools")


def choose_policy(page: Page) -> None:
    """Begin from a preset, with two labels a pair: two people are to come."""
    step(page, "Policy")
    heading(page, "Policy")
    page.get_by_role("link", name="Gold standard").click()
    labels = page.get_by_label("Labels a pair")
    expect(labels).to_have_value("3")
    labels.fill("2")
    page.locator("[name=ceiling]").fill("2")
    expect(page.locator("#policy-draft")).to_contain_text("2 labels")
    press(page, "Save")
    expect(page.locator("main")).to_contain_text("follow version 2")
    heading(page, "Golds")
    page.get_by_role("link", name="Leave out, go on to Pool").click()
    heading(page, "Pools")


def open_pool(page: Page) -> None:
    expect(page.locator("#preview")).to_contain_text("People-hours")
    press(page, "Open the pool")
    heading(page, "Members")


def invite(page: Page) -> list[str]:
    """Links for two people."""
    page.locator("main [name=email]").fill("anna@example.org\nbert@example.org")
    press(page, "Make links")
    links = page.get_by_label("Invitation link")
    expect(links).to_have_count(2)
    return [links.nth(number).input_value() for number in range(2)]


def add_gold(page: Page, study: StudyFiles) -> None:
    """Look for both items by what is known of them, and say what the pair is."""
    ((caption, grades),) = study.truth.items()
    document = [item for item in study.label_of.values() if not grades.get(item)][-1]
    step(page, "Golds")
    heading(page, "Golds")
    for label, text in (("Query's id", caption), ("Document's id", document)):
        page.get_by_role("combobox", name=label).press_sequentially(text)
        page.locator(".item-options [role=option]").first.click()
    page.get_by_label("Grade", exact=True).select_option("0")
    page.get_by_label("Why").fill("It shows nothing of the caption.")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", name="1 gold in use")).to_be_visible()


def see_cockpit(page: Page) -> None:
    """The overview has the numbers, and no steps any more."""
    section(page, "Home")
    heading(page, NAME)
    expect(page.locator(".cockpit-headline").first).to_be_visible()
    expect(page.get_by_role("heading", name="How far")).to_be_visible()
    expect(page.locator(".cockpit-who tbody tr")).to_have_count(1)
    expect(page.get_by_role("navigation", name="Set-up", exact=True)).to_have_count(0)


def decide(page: Page, document: str, grade: int) -> None:
    """Decide about the one pair on which the two do not agree, led there by the cockpit."""
    section(page, "Home")
    page.locator(".cockpit-waits").get_by_role("link", name="Decide").click()
    page.get_by_role("link", name=document).click()
    page.get_by_label("Why").fill("I looked twice.")
    group = page.get_by_role("group", name="Grade of this pair")
    group.get_by_role("button", name=LEVELS[grade]).click()
    # the answer has come: a link that is pressed before would be overtaken by it
    heading(page, "Inbox")
    expect(page.get_by_role("link", name="Decide about")).to_have_count(0)


def download_qrels(page: Page) -> list[list[str]]:
    """The rows of the qrels."""
    section(page, "Results")
    page.get_by_role("navigation", name="Results").get_by_role("link", name="Downloads").click()
    heading(page, "Downloads")
    press(page, "Make qrels")
    with page.expect_download() as file:
        page.get_by_role("link", name=".qrels").first.click()
    return [line.split() for line in file.value.path().read_text().splitlines()]


def test_a_newcomer_comes_from_nothing_to_decided_qrels_by_what_the_pages_offer(
    live_stack: Stack,
    django_db_blocker: DjangoDbBlocker,
    new_person: Callable[..., Page],
    study: StudyFiles,
) -> None:
    with live_stack.orm(django_db_blocker):
        cast.member(cast.collection("before-the-hour"), Role.RESEARCHER, cast.user("lena"))
    lead = new_person()
    acts.sign_in(lead, "lena", cast.PASSWORD)
    lead.goto("/")
    make_collection(lead, study)
    upload_runs(lead, study)
    choose_policy(lead)
    open_pool(lead)
    links = invite(lead)
    add_gold(lead, study)
    with live_stack.orm(django_db_blocker):
        parts = Part.objects.filter(item__collection__slug=SLUG, item__side="document")
        item_of_part = dict(parts.values_list("pk", "item__external_id"))
    (grades,) = study.truth.values()
    disputed = study.runs["heron"].decode().split()[2]
    slip = (grades.get(disputed, 0) + 1) % 4

    def true_grade(page: Page) -> int:
        return grades.get(shown_item(page, study, item_of_part), 0)

    def grade_with_a_slip(page: Page) -> int:
        return slip if shown_item(page, study, item_of_part) == disputed else true_grade(page)

    judge(new_person(), links[0], "anna-of-the-hour", true_grade)
    see_cockpit(lead)
    judge(new_person(), links[1], "bert-of-the-hour", grade_with_a_slip)
    decide(lead, disputed, slip)
    assert {row[2]: int(row[3]) for row in download_qrels(lead)}[disputed] == slip
    with live_stack.orm(django_db_blocker):
        collection = Collection.objects.get(slug=SLUG)
        assert Gold.objects.filter(collection=collection, origin=Gold.Origin.CURATED).count() == 1
        resolutions = Resolution.objects.filter(pair__collection=collection)
        assert resolutions.filter(status="adjudicated").count() == 1


def judge(page: Page, link: str, username: str, to_grade: Callable[[Page], int]) -> None:
    acts.accept(page, link, username, NAME)
    assert acts.KeyboardAnnotator(page, SLUG, to_grade).work() > 0
