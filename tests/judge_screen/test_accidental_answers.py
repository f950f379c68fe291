"""Accidental answers: keys count only after the card was visible for a moment."""

import random

import pytest
from playwright.sync_api import expect

from annotate.models import Judgment
from tests.browsing import wait_for_condition, wait_for_expression
from tests.judge_screen.screen import MEDIA, expect_saved, image, open_documents, video
from tests.sizes import share_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
MOMENT = 250  # milliseconds
# WATCH records when each document was visible, frame by frame, and when each answer was stored.
WATCH = """() => {
  const events = (window.recorded = []);
  let shown = null;
  const look = () => {
    const item = document.querySelector("#document > *");
    const image = item?.querySelector("img"), video = item?.querySelector("video");
    const hasImage = !image || (image.complete && image.naturalWidth);
    const isThere = item && hasImage && (!video || video.readyState > 1);
    if (isThere && item !== shown) events.push({ what: "shown", at: performance.now() });
    if (isThere) shown = item;
    requestAnimationFrame(look);
  };
  look();
  const keep = Storage.prototype.setItem;
  Storage.prototype.setItem = function (key, value) {
    const entry = key.includes(".outbox.") ? JSON.parse(value) : {};
    const answer = { what: "answer", at: performance.now(), hand_out: entry.body?.hand_out };
    if (entry.kind === "answer" && !entry.tried) events.push(answer);
    return keep.call(this, key, value);
  };
}"""
# PRESS presses keys in pairs, `gaps` apart.
PRESS = """async (gaps) => {
  const judge = document.getElementById("judge"), again = document.getElementById("empty-again");
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const key = { key: "2", bubbles: true };
  const press = () => document.body.dispatchEvent(new KeyboardEvent("keydown", key));
  const answers = () => window.recorded.filter((event) => event.what === "answer").length;
  for (const [number, gap] of gaps.entries()) {
    const n = answers();
    if (n !== number) throw new Error(`${n} answers after ${number} pairs of presses`);
    while (judge.matches(".is-asleep, .is-empty, .is-loading")) {
      if (!again.hidden) again.click();
      await wait(10);
    }
    press();
    await wait(gap);
    press();
  }
}"""


def text(collection, number):
    return {"kind": "text", "text": f"Two circles, and a square {number}."}


def picture(collection, number):
    return image(collection, f"s{1 + number % 3:03}.webp")


def clip(collection, number):
    return video(collection)


@pytest.mark.parametrize("part", [text, picture, clip])
def test_two_presses_label_one_pair(collection, open_judge, part):
    rng = random.Random(7)
    gaps = [rng.uniform(5, MOMENT - 10) for _ in range(share_of(66))]
    open_documents(collection, *(part(collection, number) for number in range(len(gaps) + 1)))
    page = open_judge()
    page.evaluate(WATCH)
    page.evaluate(PRESS, gaps)
    expect_saved(page)
    events = page.evaluate("window.recorded")
    answers = [index for index, event in enumerate(events) if event["what"] == "answer"]
    assert len(answers) == len({events[index]["hand_out"] for index in answers}) == len(gaps)
    for index in answers[1:]:  # the first card was shown before the recording
        shown_at = max(event["at"] for event in events[:index] if event["what"] == "shown")
        assert events[index]["at"] - shown_at >= MOMENT - 1
    assert Judgment.objects.count() == len(gaps)


def test_levels_sleep_until_the_picture_is_there(collection, open_judge):
    open_documents(collection, image(collection))
    held_routes = []

    def hold(route):
        held_routes.append(route)

    page = open_judge(before=lambda page: page.route(MEDIA, hold))
    wait_for_condition(page, lambda: held_routes)
    page.wait_for_timeout(2 * MOMENT)
    expect(page.locator("#judge")).to_contain_class("is-asleep")
    expect(page.locator(".levels")).to_have_attribute("aria-disabled", "true")
    page.evaluate(
        'document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "2", bubbles: true }))'
    )
    expect(page.locator("#progress-text")).to_contain_text("1 of 1")
    held_routes[0].continue_()
    page.keyboard.press("2")
    expect_saved(page)
    expect(page.locator("#empty-title")).to_be_visible()
    assert Judgment.objects.count() == 1


def test_what_a_warning_covered_is_seen_before_it_is_labelled(collection, open_judge):
    open_documents(collection, text(collection, 1), warning="It may upset you")
    page = open_judge()
    wait_for_expression(page, "!document.querySelector('#judge').matches('.is-asleep')")
    asleep = page.evaluate("""() => {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "v", bubbles: true }));
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "2", bubbles: true }));
      return document.querySelector("#judge").matches(".is-asleep");
    }""")
    assert asleep
    wait_for_expression(page, "!document.querySelector('#judge').matches('.is-asleep')")
    assert not Judgment.objects.exists()
