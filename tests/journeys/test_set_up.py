"""From nothing to an open pool with two invited people: the clicks, pages and fields it takes."""

from collections.abc import Callable
from typing import Any

from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django import DjangoDbBlocker

from annotate.models import Collection, Invitation, Item, Role, Round
from config.up.processes import wait_until
from pooling.models import Run
from tests import cast
from tests.journeys import acts
from tests.journeys.study import small_study
from tests.servers.stack import Stack


class CountedWay:
    """A page on which clicks, filled fields and the pages where they happen are counted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.n_clicks = self.n_fields = 0
        self.paths: list[str] = []

    def note_page(self) -> None:
        """Count the open page, unless it is still the one counted last."""
        path = self.page.evaluate("location.pathname")
        if self.paths[-1:] != [path]:
            self.paths.append(path)

    def click(self, name: str) -> None:
        """Press a button, or follow a link."""
        self.note_page()
        main = self.page.locator("main")
        main.get_by_role("button", name=name).or_(main.get_by_role("link", name=name)).click()
        self.n_clicks += 1

    def fill(self, name: str, text: str) -> None:
        """Type into a field."""
        self.note_page()
        self.page.locator(f"main [name={name}]").fill(text)
        self.n_fields += 1

    def choose(self, *files: dict[str, Any]) -> None:
        """Choose files in the page's field of files."""
        self.note_page()
        self.page.locator("main [name=file]").set_input_files(list(files))
        self.n_fields += 1

    def arrives_at(self, heading: str) -> None:
        """Wait for the page of a heading."""
        expect(self.page.get_by_role("heading", level=1)).to_have_text(heading)


def test_a_pool_is_open_and_two_people_invited_after_five_clicks_on_four_pages(
    live_stack: Stack, django_db_blocker: DjangoDbBlocker, new_person: Callable[[], Page]
) -> None:
    study = small_study(3)
    with live_stack.orm(django_db_blocker):
        cast.member(cast.collection("earlier"), Role.RESEARCHER, cast.user("ruth"))
    page = new_person()
    acts.sign_in(page, "ruth", cast.PASSWORD)
    page.goto(reverse("annotate:home"))
    page.get_by_role("link", name="New collection").click()
    way = CountedWay(page)
    way.n_clicks = 1
    way.arrives_at("New collection")
    way.fill("name", "Way of Shapes")
    expect(page.get_by_label("Short name")).to_have_value("way-of-shapes")
    way.choose(acts.upload("items.zip", study.items))
    way.click("Make the collection")
    way.arrives_at("Upload runs")
    way.choose(*(acts.upload(f"{name}.run", run) for name, run in study.runs.items()))
    way.click("Upload")
    way.arrives_at("Pools")
    expect(page.locator("#preview")).to_contain_text("People-hours")
    way.click("Open the pool")
    way.arrives_at("Members")
    way.fill("email", "ada@example.org\nbea@example.org")
    way.click("Make links")
    expect(page.get_by_label("Invitation link")).to_have_count(2)
    assert (way.n_clicks, len(way.paths), way.n_fields) == (5, 4, 4), way.paths
    with live_stack.orm(django_db_blocker):
        collection = Collection.objects.get(slug="way-of-shapes")
        runs = Run.objects.filter(collection=collection)
        assert sorted(runs.values_list("name", "state")) == [
            (name, "ready") for name in sorted(study.runs)
        ]
        assert Invitation.objects.filter(collection=collection).count() == 2
        n_items = Item.objects.filter(collection=collection).count()
        assert n_items and not runs.exclude(report__n_unknown=0).exists()
        rounds = Round.objects.filter(collection=collection, kind=Round.Kind.POOL)
        assert wait_until(lambda: rounds.filter(state=Round.State.OPEN).exists(), seconds=240)
