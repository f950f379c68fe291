"""An annotator's work in Firefox and WebKit: all kinds of pairs, mistakes, outages, two tabs."""

import itertools

import pytest

from annotate.models import Collection, Judgment, Report, Seat
from tests import campaigns
from tests.browsers.proxy import CLOSED, Proxy
from tests.browsers.window import Window
from tests.judge_screen.screen import image, open_documents, video

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.full]
N_PAIRS = 24
BATCH_SIZE = 12
TEXT_OF = "document.querySelector(arguments[0])?.textContent.trim() ?? ''"
CARD = "document.querySelector('#card').getAttribute('aria-label')"
IS_SHOWN = """[...document.querySelectorAll("#document :is(img, video, .text)")]
    .some((one) => one.naturalWidth > 0 || one.readyState >= 2 || one.textContent)"""


@pytest.fixture
def collection() -> Collection:
    return campaigns.open_collection(1, "birds", grades=3, batch_candidates=BATCH_SIZE)


class JudgeScreen:
    """The judge screen in a window, and the number of pairs done."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.levels = itertools.cycle("201")
        self.n_done = 0

    def wait_until_saved(self, words: str = "Saved") -> None:
        """Wait for a text in the screen's line about saving."""
        self.window.wait_for(lambda: self.window.evaluate(TEXT_OF, "#saved") == words, words)

    def wait_for_pair(self, number: int) -> None:
        """Wait for a position in the batch, until its card is visible."""
        ending = f" {number} of {BATCH_SIZE}"
        self.window.wait_for(
            lambda: str(self.window.evaluate(TEXT_OF, "#progress-text")).endswith(ending),
            f"pair {number}",
        )
        # the count of another tab may arrive before its answered card goes away
        card = f"Document, {number} of {BATCH_SIZE}"
        self.window.wait_for(lambda: self.window.evaluate(CARD) == card, card)
        self.window.wait_for(lambda: self.window.evaluate(IS_SHOWN), f"the card of pair {number}")
        self.window.wait_until_levels_awake()

    @property
    def position(self) -> int:
        """Position of the current pair in its batch, from 1."""
        return self.n_done % BATCH_SIZE + 1

    def judge(self) -> None:
        """Wait for the pair and give it a level."""
        self.wait_for_pair(self.position)
        self.window.key(next(self.levels))
        self.n_done += 1

    def judge_to(self, n: int) -> None:
        """Judge until n pairs are done, and saved."""
        while self.n_done < n:
            self.judge()
        self.wait_until_saved()


def test_every_answer_that_was_acknowledged_is_stored_once_whatever_happens(
    window, proxy, collection, annotator, media_root
):
    words = ({"kind": "text", "text": f"circle number {number}"} for number in itertools.count())
    kinds = itertools.cycle(
        [lambda: next(words), lambda: image(collection), lambda: video(collection)]
    )
    open_documents(collection, *(next(kinds)() for _ in range(N_PAIRS)))
    window.sign_in("ada")
    window.open("/c/birds/judge/")
    screen = JudgeScreen(window)
    read_the_guidelines(window)
    screen.judge_to(4)
    undo(screen)
    change(screen)
    cannot_judge(screen)
    through_an_outage(screen, proxy)
    reload_in_flight(screen, proxy)
    screen.judge_to(BATCH_SIZE)
    next_batch(screen)
    screen.judge_to(BATCH_SIZE + 2)
    in_two_tabs(screen)
    screen.judge_to(N_PAIRS)
    window.find("#empty", "Nothing is left to judge")
    assert_stored(collection, proxy.acknowledged)
    assert proxy.count_requests("/judge/answer") >= len(set(proxy.acknowledged))


def read_the_guidelines(window: Window) -> None:
    window.wait_until_levels_awake()
    window.key("g")
    window.find("#guidelines", "How to judge")
    window.key("g")
    window.wait_for(lambda: not window.has("#guidelines[open]"), "closed")


def undo(screen: JudgeScreen) -> None:
    screen.wait_for_pair(screen.position)
    screen.window.key("z")
    screen.n_done -= 1
    screen.wait_for_pair(screen.position)
    screen.wait_until_saved()
    screen.judge()
    screen.wait_until_saved()


def change(screen: JudgeScreen) -> None:
    """Change the last pair's level, which makes a second judgment of the same seat."""
    window = screen.window
    screen.wait_for_pair(screen.position)
    before = Judgment.objects.count()
    window.key("r")
    window.press("#dialog-recent[open] [data-change]", "Change")
    window.find("#changing", "You said")
    window.wait_until_levels_awake()
    old_level = str(window.evaluate(TEXT_OF, "#changing [data-what]"))
    window.key("0" if old_level != "Level 0" else "1")
    window.wait_for(lambda: Judgment.objects.count() == before + 1, "changed")
    screen.wait_until_saved()


def cannot_judge(screen: JudgeScreen) -> None:
    window = screen.window
    screen.wait_for_pair(screen.position)
    window.key("x")
    window.press("#dialog-cannot[open] label")
    window.press("#dialog-cannot[open] button", "Send to the lead")
    screen.n_done += 1
    screen.wait_for_pair(screen.position)
    screen.wait_until_saved()
    assert Report.objects.get().kind == "cannot_judge"


def through_an_outage(screen: JudgeScreen, proxy: Proxy) -> None:
    """Judge while connections are closed before, and after, the server has stored an answer."""
    with proxy.answering("/judge/answer", CLOSED):
        screen.judge()
        screen.wait_until_saved("Not saved - will retry (1 waiting)")
        screen.judge()
        screen.wait_until_saved("Not saved - will retry (2 waiting)")
    screen.window.evaluate("dispatchEvent(new Event('online'))")
    screen.wait_until_saved()
    with proxy.losing_answers("/judge/answer"):
        screen.judge()
        screen.wait_until_saved("Not saved - will retry (1 waiting)")
    screen.window.evaluate("dispatchEvent(new Event('online'))")
    screen.wait_until_saved()


def reload_in_flight(screen: JudgeScreen, proxy: Proxy) -> None:
    """Reload the page while an answer is on its way; it is stored once."""
    with proxy.holding("/judge/answer"):
        screen.judge()
        screen.window.driver.refresh()
    screen.wait_until_saved()
    screen.wait_for_pair(screen.position)


def next_batch(screen: JudgeScreen) -> None:
    window = screen.window
    window.find("#batch-end", "labels in this batch")
    window.wait_for(lambda: window.evaluate("document.activeElement.id") == "card", "the focus")
    window.press("#batch-end button", "Next batch")


def in_two_tabs(screen: JudgeScreen) -> None:
    """Judge in two tabs; each continues from the other's position."""
    driver = screen.window.driver
    first = driver.current_window_handle
    # a tab would be hidden, and levels of a hidden card stay asleep
    driver.switch_to.new_window("window")
    screen.window.open("/c/birds/judge/")
    screen.judge()
    screen.wait_until_saved()
    second = driver.current_window_handle
    driver.switch_to.window(first)
    screen.judge()
    screen.wait_until_saved()
    driver.switch_to.window(second)
    screen.wait_for_pair(screen.position)
    driver.close()
    driver.switch_to.window(first)


def assert_stored(collection: Collection, acknowledged: list[str]) -> None:
    """Every acknowledged answer is stored once, and every seat has its judgment."""
    judgments = Judgment.objects.filter(collection=collection)
    stored_submissions = [
        str(submission) for submission in judgments.values_list("submission_id", flat=True)
    ]
    assert len(stored_submissions) == len(set(stored_submissions))
    assert set(acknowledged) <= set(stored_submissions)
    assert Seat.objects.filter(judgment__isnull=False, state="done").count() == N_PAIRS - 1
