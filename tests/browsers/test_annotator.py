"""An annotator's hour in Firefox and in WebKit: pairs of every kind, mistakes, outages, reloads, two tabs."""

import itertools

import pytest

from annotate.models import Collection, Judgment, Report, Seat
from tests import campaigns
from tests.browsers.proxy import CLOSED, Proxy
from tests.browsers.window import Window
from tests.judge_screen.screen import image, show, video

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.full]
N_PAIRS = 24
IN_A_BATCH = 12
TEXT_OF = "document.querySelector(arguments[0])?.textContent.trim() ?? ''"
CARD = "document.querySelector('#card').getAttribute('aria-label')"
SHOWN = """[...document.querySelectorAll("#document :is(img, video, .text)")]
    .some((one) => one.naturalWidth > 0 || one.readyState >= 2 || one.textContent)"""


@pytest.fixture
def collection() -> Collection:
    return campaigns.open_collection(1, "birds", grades=3, batch_candidates=IN_A_BATCH)


class JudgeScreen:
    """The judge screen in a window, and how many pairs of it were dealt with."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.levels = itertools.cycle("201")
        self.n_done = 0

    def saved(self, words: str = "Saved") -> None:
        """Wait until the screen says so of what was given."""
        self.window.until(lambda: self.window.tell(TEXT_OF, "#saved") == words, words)

    def at(self, number: int) -> None:
        """Wait for a place in the batch, and until its card can be seen."""
        place = f" {number} of {IN_A_BATCH}"
        self.window.until(lambda: str(self.window.tell(TEXT_OF, "#progress-text")).endswith(place), f"pair {number}")
        # of another tab it may be heard how far one is before the card that is done with goes away
        card = f"Document, {number} of {IN_A_BATCH}"
        self.window.until(lambda: self.window.tell(CARD) == card, card)
        self.window.until(lambda: self.window.tell(SHOWN), f"the card of pair {number}")
        self.window.look()

    @property
    def place(self) -> int:
        """Where one is in the batch."""
        return self.n_done % IN_A_BATCH + 1

    def judge(self) -> None:
        """Look at the pair and give it a level."""
        self.at(self.place)
        self.window.key(next(self.levels))
        self.n_done += 1

    def judge_to(self, n: int) -> None:
        """Judge until so many pairs are done."""
        while self.n_done < n:
            self.judge()
        self.saved()


def test_every_answer_that_was_acknowledged_is_stored_once_whatever_happens(
    window, proxy, collection, annotator, media_root
):
    words = ({"kind": "text", "text": f"circle number {number}"} for number in itertools.count())
    kinds = itertools.cycle([lambda: next(words), lambda: image(collection), lambda: video(collection)])
    show(collection, *(next(kinds)() for _ in range(N_PAIRS)))
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
    screen.judge_to(IN_A_BATCH)
    next_batch(screen)
    screen.judge_to(IN_A_BATCH + 2)
    in_two_tabs(screen)
    screen.judge_to(N_PAIRS)
    window.find("#empty", "Batch done")
    assert_stored(collection, proxy.acknowledged)
    assert proxy.n_asked("/judge/answer") >= len(set(proxy.acknowledged))


def read_the_guidelines(window: Window) -> None:
    window.look()
    window.key("g")
    window.find("#guidelines", "How to judge")
    window.key("g")
    window.until(lambda: not window.has("#guidelines[open]"), "closed")


def undo(screen: JudgeScreen) -> None:
    screen.at(screen.place)
    screen.window.key("z")
    screen.n_done -= 1
    screen.at(screen.place)
    screen.saved()
    screen.judge()
    screen.saved()


def change(screen: JudgeScreen) -> None:
    """The last pair gets another level, which is a further judgment of the same seat."""
    window = screen.window
    screen.at(screen.place)
    before = Judgment.objects.count()
    window.key("r")
    window.press("#dialog-recent[open] [data-change]", "Change")
    window.find("#changing", "You said")
    window.look()
    said = str(window.tell(TEXT_OF, "#changing [data-what]"))
    window.key("0" if said != "Level 0" else "1")
    window.until(lambda: Judgment.objects.count() == before + 1, "changed")
    screen.saved()


def cannot_judge(screen: JudgeScreen) -> None:
    window = screen.window
    screen.at(screen.place)
    window.key("x")
    window.press("#dialog-cannot[open] label")
    window.press("#dialog-cannot[open] button", "Send to the lead")
    screen.n_done += 1
    screen.at(screen.place)
    screen.saved()
    assert Report.objects.get().kind == "cannot_judge"


def through_an_outage(screen: JudgeScreen, proxy: Proxy) -> None:
    """Connections are closed before and after the server has stored what they brought."""
    with proxy.answering("/judge/answer", CLOSED):
        screen.judge()
        screen.saved("Not saved - will retry (1 waiting)")
        screen.judge()
        screen.saved("Not saved - will retry (2 waiting)")
    screen.window.tell("dispatchEvent(new Event('online'))")
    screen.saved()
    with proxy.losing_answers("/judge/answer"):
        screen.judge()
        screen.saved("Not saved - will retry (1 waiting)")
    screen.window.tell("dispatchEvent(new Event('online'))")
    screen.saved()


def reload_in_flight(screen: JudgeScreen, proxy: Proxy) -> None:
    """What was on its way arrives, whichever of its ways is the first."""
    with proxy.holding("/judge/answer"):
        screen.judge()
        screen.window.driver.refresh()
    screen.saved()
    screen.at(screen.place)


def next_batch(screen: JudgeScreen) -> None:
    window = screen.window
    window.find("#empty", "Batch done")
    window.until(lambda: window.tell("document.activeElement.id") == "empty", "the focus")
    window.press("#empty-again", "Next batch")


def in_two_tabs(screen: JudgeScreen) -> None:
    """Each tab goes on from what the other one did."""
    driver = screen.window.driver
    first = driver.current_window_handle
    driver.switch_to.new_window("window")  # a tab would not be seen, and only who sees a card judges it
    screen.window.open("/c/birds/judge/")
    screen.judge()
    screen.saved()
    second = driver.current_window_handle
    driver.switch_to.window(first)
    screen.judge()
    screen.saved()
    driver.switch_to.window(second)
    screen.at(screen.place)
    driver.close()
    driver.switch_to.window(first)


def assert_stored(collection: Collection, acknowledged: list[str]) -> None:
    """What the browser was told is stored is, once; and every seat has the judgment that stands."""
    judgments = Judgment.objects.filter(collection=collection)
    stored = [str(submission) for submission in judgments.values_list("submission_id", flat=True)]
    assert len(stored) == len(set(stored))
    assert set(acknowledged) <= set(stored)
    assert Seat.objects.filter(judgment__isnull=False, state="done").count() == N_PAIRS - 1
