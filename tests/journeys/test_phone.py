"""An annotator on a phone: from the link through the training to the second batch, by touch."""

from collections.abc import Callable

from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django import DjangoDbBlocker

from annotate.models import Judgment, JudgmentEvent, Role, Seat
from annotate.services.people import accounts
from tests import cast
from tests.addresses.page_checks import PHONE
from tests.annotate.trainees import trained
from tests.browsing import wait_until_levels_awake
from tests.journeys import acts
from tests.servers.stack import Stack

SLUG, SIZE, N_PAIRS = "on-a-phone", 4, 6
RIGHT = 2  # the level of every training pair


class Phone:
    """A phone on which the judge screen is open; everything is tapped."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def tap(self, name: str) -> None:
        """Tap a button or a link."""
        button = self.page.get_by_role("button", name=name)
        button.or_(self.page.get_by_role("link", name=name)).locator("visible=true").first.tap()

    def answer(self, grade: int) -> None:
        """Tap a level once the screen takes answers."""
        wait_until_levels_awake(self.page)
        self.page.locator(".level").filter(has_text=f"Level {grade}").tap()

    def expect_card(self, batch: int, number: int, size: int) -> None:
        """Wait for the card at a place of a batch."""
        text = f"Batch {batch} · {number} of {size}"
        expect(self.page.locator("#progress-text")).to_have_text(text)
        expect(self.page.locator("#card")).to_be_visible()

    def expect_saved(self, text: str) -> None:
        """Wait for a text in the screen's line about saving."""
        expect(self.page.locator("#saved")).to_have_text(text)


def invited_token() -> str:
    """The token of an invitation to a collection that trains its newcomers."""
    collection = trained(SLUG, grades=(RIGHT, RIGHT))
    lead = cast.member(collection, Role.LEAD)
    return accounts.invite(collection=collection, role=Role.ANNOTATOR, by=lead).token


def accept(phone: Phone, token: str) -> None:
    """Open the link, and make the account."""
    page = phone.page
    page.goto(reverse("annotate:invitation", args=[token]))
    page.get_by_label("User name").fill("paula-on-a-phone")
    page.get_by_label("Password", exact=True).fill(acts.PASSWORD)
    phone.tap("Make the account and join")


def pass_training(phone: Phone) -> None:
    """Answer the pairs of the training; after each the phone tells why."""
    phone.tap("Go to the training")
    phone.tap("Begin")
    for number in (1, 2):
        expect(phone.page.locator("#progress-text")).to_have_text(f"{number} of 2")
        phone.answer(RIGHT)
        expect(phone.page.locator("#told-title")).to_have_text("Right")
        expect(phone.page.locator("#told-why")).to_contain_text("reason")
        phone.page.locator("#told-next").tap()
    expect(phone.page.get_by_text("You passed with 2 of 2 right")).to_be_visible()
    phone.tap("Judge")


def judge_first_batch(phone: Phone) -> None:
    """Judge a batch, of which one answer is taken back and two are given without a network."""
    phone.expect_card(1, 1, SIZE)
    phone.answer(0)
    phone.expect_card(1, 2, SIZE)
    phone.tap("Undo")
    phone.expect_card(1, 1, SIZE)
    phone.answer(1)
    phone.expect_card(1, 2, SIZE)
    phone.expect_saved("Saved")
    phone.page.context.set_offline(True)
    for number, grade in ((2, 2), (3, 0)):
        phone.expect_card(1, number, SIZE)
        phone.answer(grade)
    phone.expect_saved("Not saved - will retry (2 waiting)")
    phone.page.context.set_offline(False)
    phone.expect_saved("Saved")
    phone.expect_card(1, SIZE, SIZE)
    phone.answer(2)


def judge_second_batch(phone: Phone) -> None:
    """See the end of the batch, go on to the next, and judge all that is left."""
    size = N_PAIRS - SIZE
    phone.expect_card(2, 1, size)
    end = phone.page.locator("#batch-end")
    expect(end).to_contain_text(f"{SIZE} labels in this batch")
    phone.tap("Next batch")
    expect(end).to_be_hidden()
    for number in range(1, size + 1):
        phone.expect_card(2, number, size)
        phone.answer(1)
    expect(phone.page.locator("#empty-title")).to_have_text("Nothing is left to judge")
    phone.expect_saved("Saved")


def test_who_is_invited_comes_by_touch_to_the_end_of_all_pairs_and_loses_nothing(
    live_stack: Stack, django_db_blocker: DjangoDbBlocker, new_person: Callable[..., Page]
) -> None:
    with live_stack.orm(django_db_blocker):
        token = invited_token()
    phone = Phone(new_person(**PHONE))
    accept(phone, token)
    pass_training(phone)
    judge_first_batch(phone)
    judge_second_batch(phone)
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 390
    with live_stack.orm(django_db_blocker):
        of_phone = Judgment.objects.filter(collection__slug=SLUG)
        answers = of_phone.filter(purpose=Seat.Purpose.LABEL).order_by("pk")
        assert list(answers.values_list("level__grade", flat=True)) == [0, 1, 2, 0, 2, 1, 1]
        undone = JudgmentEvent.objects.filter(judgment__in=answers)
        assert list(undone.values_list("judgment", flat=True)) == [answers[0].pk]
        assert of_phone.filter(purpose=Seat.Purpose.TRAINING).count() == 2
