"""The story in a browser: from a new collection to its release, public, back in ir_measures.

The release is then fetched in every way there is.
"""

import csv
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect
from pytest_django import DjangoDbBlocker

from annotate.core.figures import percent_text
from annotate.models import ApiToken, Role
from annotate.services.people import tokens
from assayer import Client
from tests import cast
from tests.journeys import acts
from tests.servers.stack import Stack
from tests.stories import campaign, fetching, releases
from tests.stories.doc_blocks import Shell
from tests.stories.judging import account_name

SLUG, NAME, VERSION = "leaves-on-pages", "Leaves on pages", "1.0"
USERNAME = "lena-of-leaves"


@pytest.fixture
def token(live_stack: Stack, django_db_blocker: DjangoDbBlocker) -> str:
    """A token that reads releases, of a person who may make collections."""
    with live_stack.orm(django_db_blocker):
        person = cast.member(cast.collection("before-pages"), Role.RESEARCHER, cast.user(USERNAME))
        scopes = [ApiToken.Scope.RELEASES_READ]
        return tokens.create_token(user=person, name="reader", scopes=scopes, days=1).secret


def test_pages_lead_to_the_release_that_is_expected_and_every_way_gives_its_bytes(
    live_stack: Stack, new_person: Callable[[], Page], tmp_path: Path, token: str
) -> None:
    campaign.write_files(tmp_path)
    lead = new_person()
    acts.sign_in(lead, USERNAME, cast.PASSWORD)
    bring_files(lead, tmp_path)
    acts.preview_pool(lead, SLUG, name="first", depth=campaign.DEPTH)
    acts.open_previewed_pool(lead, name="first")
    for annotator in campaign.ANNOTATORS:
        judge(new_person(), acts.invite(lead, SLUG), annotator)
    read_agreement(lead)
    decide_dispute(lead)
    releases.assert_board_is_expected(board(lead))
    publish_release(lead)
    copies = {
        "member": fetching.by_member(lead, SLUG, VERSION),
        "visitor": fetching.by_visitor(new_person(), SLUG, VERSION),
    }
    with Shell(tmp_path, ASSAYER=live_stack.url, TOKEN=token) as shell:
        copies["curl"] = fetching.by_curl(shell, SLUG, VERSION)
    with Client(live_stack.url, token) as client:
        copies["client"] = fetching.by_client(client, SLUG, VERSION, tmp_path)
    releases.assert_same_bytes(copies)
    releases.assert_is_expected(tmp_path / VERSION, live_stack)


def upload(path: Path) -> dict:
    return acts.upload(path.name, path.read_bytes())


def bring_files(page: Page, folder: Path) -> None:
    """Make the collection, load its files and runs, and say how it is judged and published."""
    acts.make_collection(
        page,
        slug=SLUG,
        name=NAME,
        levels=campaign.LEVELS,
        positive_from=campaign.POSITIVE_FROM,
        items=upload(folder / "items.jsonl"),
    )
    acts.load(page, SLUG, "reference", upload(folder / "original.qrels"), name="original")
    acts.load(
        page, SLUG, "query_set", upload(folder / "short.txt"), name="short", direction="forward"
    )
    acts.change_policy(page, SLUG, double_percent="100", ceiling="2", batch_candidates="50")
    for system in campaign.SYSTEMS:
        content = (folder / f"runs/{system}.trec").read_bytes()
        acts.upload_run(page, SLUG, system, content, may_be_published=True)
    page.goto(reverse("annotate:settings", args=[SLUG]))
    section = page.locator("#publication")
    section.get_by_label("Creators").fill("Ada Byron")
    section.get_by_label("Texts of queries and documents").check()
    section.get_by_role("button", name="Save").click()
    expect(page.locator("#publication").get_by_label("Creators")).to_have_value("Ada Byron")


def judge(page: Page, link: str, annotator: str) -> None:
    """Accept an invitation, then judge by keyboard until nothing is left."""

    def to_grade(page: Page) -> int:
        query, document = (
            campaign.item_of_text(page.locator(f"#{side} .text").inner_text())
            for side in ("query", "document")
        )
        return campaign.label(annotator, query, document)

    acts.accept(page, link, account_name(SLUG, annotator), NAME)
    n_answers = acts.KeyboardAnnotator(page, SLUG, to_grade).work()
    assert n_answers >= len(campaign.pool())


def read_agreement(page: Page) -> None:
    """The dashboard has two labels of each pair, and says how far they agree."""
    page.goto(reverse("metrics:dashboard", args=[SLUG]))
    n_pairs = len(campaign.pool())
    main = page.locator("main")
    expect(main).to_contain_text(re.compile(rf"\b{2 * n_pairs} labels given"))
    page.goto(reverse("metrics:dashboard-tab", args=[SLUG, "agreement"]))
    expect(main).to_contain_text(
        re.compile(rf"Pairs unanimous, %\s*{percent_text(100 - 100 / n_pairs)}")
    )


def decide_dispute(page: Page) -> None:
    """The lead gives the grade of the one pair on which the people do not agree."""
    page.goto(reverse("annotate:inbox", args=[SLUG], query={"tab": "disputed"}))
    page.get_by_role("link", name="Decide about {} and {}".format(*campaign.DISPUTED)).click()
    page.get_by_label("Why").fill("It is on the left.")
    grade = campaign.LEVELS[campaign.grade(*campaign.DISPUTED)]
    page.get_by_role("group", name="Grade of this pair").get_by_role("button", name=grade).click()
    # the answer has come: what is opened before would be overtaken by it
    expect(page.get_by_role("heading", name="Inbox", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Decide")).to_have_count(0)


def board(page: Page) -> list[dict[str, str]]:
    """The rows of the leaderboard's CSV, once no newer numbers are on their way."""
    page.goto(reverse("metrics:leaderboard", args=[SLUG]))
    link: Locator = page.get_by_role("link", name="CSV", exact=True)
    newer: Locator = page.get_by_role("link", name="show them")
    deadline = time.monotonic() + 120
    while True:
        expect(link).to_be_visible()
        if not newer.count():
            rows = list(csv.DictReader(fetching.download(link).decode().splitlines()))
            if {row["is_stale"] for row in rows} == {"no"}:
                return rows
        assert time.monotonic() < deadline, "the numbers of the labels did not come"
        page.reload()


def publish_release(page: Page) -> None:
    """Make a release, wait until it is made, look at what becomes public, and publish it."""
    page.goto(reverse("metrics:releases", args=[SLUG]))
    page.get_by_label("Version").fill(VERSION)
    page.get_by_label("Notes").fill("The first one.")
    page.get_by_role("button", name="Make the release").click()
    page.get_by_role("link", name="Publish it").click()
    names = page.locator("dt:has-text('Runs by name') + dd")
    expect(names).to_contain_text("amber, birch and cedar")
    page.get_by_role("button", name="Make it public").click()
    expect(page.get_by_role("heading", name=re.compile("^Public since"))).to_be_visible()
