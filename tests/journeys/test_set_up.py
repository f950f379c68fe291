"""From nothing to an open pool with two invited people: clicks, pages, fields and seconds.

The seconds of the machine are those that a page is waited for: they are printed (with -s), for they
depend on the machine. The seconds of a person are an estimate by the keystroke-level model (Card,
Moran and Newell 1980), with its operators as they stand in `SECONDS`; neither has the other's in.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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

# K: a key, by somebody who types 40 words a minute; P: point with the mouse; B: press or release
# its button; H: move a hand between mouse and keys; M: make up one's mind
SECONDS = {"K": 0.28, "P": 1.1, "B": 0.1, "H": 0.4, "M": 1.35}
PRESS = "MPBB"
# in the system's dialog: a file, the last of several with the shift key held, and "Open"
CHOOSE_FILE, CHOOSE_MORE, OPEN = "MPBB", "HKPBB", "PBB"


class CountedWay:
    """A page on which clicks, filled fields and the pages where they happen are counted.

    machine_seconds : the time for which pages were waited
    operators : how many of each of `SECONDS` a person needs
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.n_clicks = self.n_fields = 0
        self.paths: list[str] = []
        self.machine_seconds = 0.0
        self.operators: Counter[str] = Counter()

    @property
    def person_seconds(self) -> float:
        """The seconds that a person acts, without waiting for the machine."""
        return sum(SECONDS[operator] * n for operator, n in self.operators.items())

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the time as the machine's."""
        start = time.monotonic()
        yield
        self.machine_seconds += time.monotonic() - start

    def note_page(self) -> None:
        """Count the open page, unless it is still the one counted last."""
        path = self.page.evaluate("location.pathname")
        if self.paths[-1:] != [path]:
            self.paths.append(path)

    def click(self, name: str) -> None:
        """Press a button, or follow a link."""
        self.note_page()
        main = self.page.locator("main")
        with self.waiting():
            main.get_by_role("button", name=name).or_(main.get_by_role("link", name=name)).click()
        self.n_clicks += 1
        self.operators.update(PRESS)

    def fill(self, name: str, text: str) -> None:
        """Type into a field."""
        self.note_page()
        self.page.locator(f"main [name={name}]").fill(text)
        self.n_fields += 1
        # the hand goes to the keys, and back to the mouse
        self.operators.update(f"{PRESS}H{'K' * len(text)}H")

    def choose(self, *files: dict[str, Any]) -> None:
        """Choose files in the page's field of files."""
        self.note_page()
        self.page.locator("main [name=file]").set_input_files(list(files))
        self.n_fields += 1
        self.operators.update(PRESS + CHOOSE_FILE + OPEN)
        if len(files) > 1:
            self.operators.update(CHOOSE_MORE)

    def arrives_at(self, heading: str) -> None:
        """Wait for the page of a heading."""
        with self.waiting():
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
    way = CountedWay(page)
    way.click("New collection")
    way.paths.clear()  # it begins with the first page on which something is said
    way.arrives_at("New collection")
    way.fill("name", "Way of Shapes")
    expect(page.get_by_label("Short name")).to_have_value("way-of-shapes")
    way.choose(acts.upload("items.zip", study.items))
    way.click("Make the collection")
    way.arrives_at("Upload runs")
    way.choose(*(acts.upload(f"{name}.run", run) for name, run in study.runs.items()))
    way.click("Upload")
    way.arrives_at("Pools")
    with way.waiting():
        expect(page.locator("#preview")).to_contain_text("People-hours")
    way.click("Open the pool")
    way.arrives_at("Members")
    way.fill("email", "ada@example.org\nbea@example.org")
    way.click("Make links")
    with way.waiting():
        expect(page.get_by_label("Invitation link")).to_have_count(2)
    print(f"machine {way.machine_seconds:.1f} s, person {way.person_seconds:.1f} s")
    print(", ".join(f"{n} {operator}" for operator, n in sorted(way.operators.items())))
    assert way.person_seconds <= 60
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
