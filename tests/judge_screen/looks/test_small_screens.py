"""Small screens: query, document and every level lie within the first screen, without scrolling."""

import pytest
from playwright.sync_api import Page, expect

from annotate.core.training.quizzes import Question
from annotate.models import Annotator, Collection, Level, Role
from annotate.services.training import quizzes
from tests import campaigns, cast
from tests.annotate.trainees import trained
from tests.annotate.views.review.inbox_rows import address, dispute
from tests.browsing import awaiting_levels, wait_for_expression, wait_until_levels_awake
from tests.judge_screen.looks.screens import (
    BOXES,
    JUDGE_SCREEN,
    LEAST_SHARE,
    TARGET,
    VIEWPORTS,
    expect_all_in_sight,
    expect_levels_in_sight,
    faults_by_screen,
    level_places,
    set_levels,
    show_pictures,
)
from tests.judge_screen.screen import image, open_documents

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("media_root"),
    pytest.mark.browser_context_args(has_touch=True, is_mobile=True, reduced_motion="reduce"),
]
DECISION = {
    "query": ".review-items .explorer-text",
    "document": ".review-items img",
    "levels": ".review-level",
}
TOPS = """(selector) => [...new Set([...document.querySelectorAll(selector)]
    .map((one) => one.getBoundingClientRect().top))]"""
WAYS_BACK = ("[data-action='undo']", "a:text-is('Stop here')")
TOLD_AT_END = ("#echo-text", "#batch-end-text", ".batch-end a")
LOW_SCREENS = [(568, 320), (640, 280)]  # a phone on its side, with the bars of a browser
COVERED = """(selectors) => selectors.filter((selector) => {
  const element = document.querySelector(selector);
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return [left + 2, (left + right) / 2, right - 2].some((x) => [top + 2, bottom - 2].some(
    (y) => !element.contains(document.elementFromPoint(x, y)),
  ));
})"""
# reasons and Save that something covers in the middle: of what is seen, then of the whole
COVERED_REASONS = """() => {
  const covers = (button, top, bottom) => {
    const { left, right } = button.getBoundingClientRect();
    return !button.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  };
  const choices = document.querySelector(".reasons-choices");
  const chips = [...choices.querySelectorAll(".chip")];
  const { top: start, bottom: end } = choices.getBoundingClientRect();
  const seen = chips.filter((chip) => {
    const { top, bottom } = chip.getBoundingClientRect();
    const isSeen = bottom > start + 1 && top < end - 1;
    return isSeen && covers(chip, Math.max(top, start), Math.min(bottom, end));
  });
  const whole = [...chips, document.querySelector("#reasons-save")].filter((button) => {
    button.scrollIntoView({ block: "nearest" });
    const { top, bottom } = button.getBoundingClientRect();
    return covers(button, top, bottom);
  });
  choices.scrollTop = 0;
  return [...seen, ...whole].map((button) => button.textContent.trim());
}"""
TOLD = {"query": ".query .text", "document": "#document img", "levels": "#told-next"}


@pytest.fixture
def collection(n_levels: int) -> Collection:
    collection = campaigns.open_collection(2, "birds", per_query=2, grades=2)
    set_levels(collection, n_levels)
    open_documents(collection, image(collection))
    return collection


@pytest.fixture
def training_screen(context, live_server, annotator: Annotator, sign_in) -> Page:
    """The first pair of a training try."""
    show_pictures(annotator.collection)
    sign_in(annotator.user)
    page = awaiting_levels(context.new_page())
    page.goto(f"{live_server.url}/c/birds/judge/")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#document img")).to_be_visible()
    return page


def expect_pair_in_sight(page: Page) -> None:
    """All is in sight, and on a phone on its side the document has most of the height."""
    expect_all_in_sight(page)
    viewport = page.viewport_size
    if viewport["width"] > viewport["height"] and viewport["height"] <= 400:
        document = page.evaluate(BOXES, JUDGE_SCREEN)["document"]
        assert document["seen"] >= LEAST_SHARE * viewport["height"], document


@pytest.mark.parametrize("n_levels", [2, 4, 7])
def test_query_document_and_levels_are_in_sight_on_every_screen(open_judge, n_levels):
    page = open_judge()
    expect(page.locator("#document img")).to_be_visible()
    assert faults_by_screen(page, expect_pair_in_sight) == []


@pytest.mark.parametrize(
    "n_levels",
    [
        2,
        4,
        pytest.param(4, marks=pytest.mark.browser_context_args(reduced_motion="reduce")),
    ],
    ids=["2, touched", "4, touched", "4, by keys"],
)
def test_on_a_phone_held_upright_all_of_it_is_one_screen_and_the_actions_one_line(
    open_judge, n_levels
):
    page = open_judge()
    expect(page.locator("#document img")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    wait_for_expression(page, "innerWidth === 390 && innerHeight === 844")
    assert page.evaluate("document.documentElement.scrollHeight") <= 844
    for width in (390, 360, 320):
        page.set_viewport_size({"width": width, "height": 844})
        wait_for_expression(page, f"innerWidth === {width}")
        for actions in (".judge-actions", ".more-actions"):
            tops = page.evaluate(TOPS, f"{actions} .action")
            assert len(tops) == 1, (width, actions)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


class TestBatchEnd:
    """The end of a batch, beside the first card of the next one."""

    @pytest.fixture
    def collection(self, n_levels: int) -> Collection:
        collection = campaigns.open_collection(
            4, "birds", per_query=4, grades=n_levels, batch_candidates=2
        )
        show_pictures(collection)
        return collection

    @pytest.mark.parametrize("n_levels", [2, 4, 7])
    def test_it_is_told_with_its_ways_back_on_every_screen_beside_all_there_is_and_moves_no_level(
        self, open_judge, n_levels
    ):
        page = open_judge()
        for number in (1, 2):
            expect(page.locator("#progress-text")).to_have_text(f"Batch 1 · {number} of 2")
            wait_until_levels_awake(page)
            page.locator(".level").first.click()
        expect(page.locator("#progress-text")).to_have_text("Batch 2 · 1 of 2")
        expect(page.locator("#batch-end-text")).to_contain_text("2 labels in this batch")
        expect(page.locator("#echo-text")).to_contain_text("Saved:")
        places, places_after = [], []

        def expect_it_told(page: Page) -> None:
            places.append(level_places(page))
            expect_all_in_sight(page)
            expect(page.locator("#batch-end-text")).to_be_in_viewport(ratio=1)
            if page.viewport_size["width"] >= 960:
                return
            expect(page.locator("#echo-text")).to_be_in_viewport(ratio=1)
            assert page.evaluate(COVERED, list(TOLD_AT_END)) == []
            for way_back in WAYS_BACK:
                expect(page.locator(f".panel {way_back}:visible").first).to_be_in_viewport(ratio=1)

        assert faults_by_screen(page, expect_it_told) == []
        page.keyboard.press("Enter")
        expect(page.locator("#batch-end")).to_be_hidden()
        assert faults_by_screen(page, lambda page: places_after.append(level_places(page))) == []
        assert places == places_after


class TestReasons:
    """The reasons that a level asks for, and those of a reason that has more to say."""

    @pytest.fixture
    def collection(self, n_levels: int) -> Collection:
        collection = campaigns.open_collection(2, "birds", per_query=2, grades=2)
        set_levels(collection, n_levels)
        details = ["colour", "size", "number", "place", "what it does", "who does it"]
        reasons = [
            {"name": "does not match", "what": details},
            {"name": "is missing", "what": ["action", "thing"]},
            "stands still or moves otherwise",
            "too general",
        ]
        Level.objects.filter(collection=collection, grade=1).update(reasons=reasons)
        show_pictures(collection)
        return collection

    @pytest.mark.parametrize("n_levels", [2, 4, 7])
    def test_no_reason_lies_under_save_and_each_is_hit_by_a_finger(self, open_judge, n_levels):
        page = open_judge()
        expect(page.locator("#document img")).to_be_visible()
        wait_until_levels_awake(page)
        page.get_by_role("radio", name="Level number 1").click()
        expect(page.locator("#chips .chip")).to_have_count(4)

        def expect_all_hit(page: Page) -> None:
            if page.viewport_size["height"] > 320:
                expect(page.locator("#reasons-save")).to_be_in_viewport(ratio=1)
            assert page.evaluate(COVERED_REASONS) == []

        assert faults_by_screen(page, expect_all_hit, screens=[*VIEWPORTS, *LOW_SCREENS]) == []
        page.get_by_role("button", name="does not match").click()
        expect(page.locator("#chips-what .chip")).to_have_count(6)
        assert faults_by_screen(page, expect_all_hit, screens=[*VIEWPORTS, *LOW_SCREENS]) == []


class TestTraining:
    """The training screen, before an answer and after it."""

    @pytest.fixture
    def collection(self, n_levels: int) -> Collection:
        collection = trained(grades=(1, 0))
        set_levels(collection, n_levels)
        return collection

    @pytest.mark.parametrize("n_levels", [2, 4, 7])
    def test_query_document_and_levels_are_in_sight_on_every_screen(
        self, training_screen, n_levels
    ):
        assert faults_by_screen(training_screen, expect_pair_in_sight) == []

    @pytest.mark.parametrize("n_levels", [4])
    def test_the_way_on_is_in_sight_once_an_answer_was_told(self, training_screen):
        training_screen.locator(".level").last.click()
        expect(training_screen.locator("#told-next")).to_be_visible()
        assert (
            faults_by_screen(training_screen, lambda page: expect_levels_in_sight(page, TOLD)) == []
        )


class TestQuiz:
    """The quiz before a training, whose questions stand below the guidelines."""

    @pytest.fixture
    def collection(self) -> Collection:
        collection = trained()
        answers = ("It shows the bird that the query names, whole", "A plant", "A stone", "Nothing")
        questions = [Question(f"Question {n}: what is a match?", answers, 0, "So.") for n in "123"]
        quizzes.change_quiz(collection=collection, questions=questions, by=None)
        return collection

    @pytest.fixture
    def page(self, context, live_server, annotator: Annotator, sign_in) -> Page:
        sign_in(annotator.user)
        page = context.new_page()
        page.goto(f"{live_server.url}/c/birds/training/quiz/")
        return page

    def test_each_question_is_in_sight_with_all_its_answers_which_a_finger_hits(self, page):
        fieldsets = page.locator("form fieldset")
        expect(fieldsets).to_have_count(3)

        def expect_questions_in_sight(page: Page) -> None:
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "too wide"
            for index in range(fieldsets.count()):
                question = fieldsets.nth(index)
                question.evaluate("(question) => question.scrollIntoView({ block: 'center' })")
                expect(question).to_be_in_viewport(ratio=1)
                for answer in question.locator("label:has(input)").all():
                    height = answer.bounding_box()["height"]
                    assert height >= TARGET, f"{answer.inner_text()}: {height}"
            page.get_by_role("link", name="To the questions").click()
            expect(page.get_by_role("heading", name="Questions")).to_be_in_viewport(ratio=1)

        assert faults_by_screen(page, expect_questions_in_sight) == []


class TestDecision:
    """The page of a pair that a lead decides about."""

    @pytest.fixture
    def collection(self, n_levels: int) -> Collection:
        two_labels = {"labels_per_pair": 2, "ceiling": 2, "gold_positives": 0, "gold_negatives": 0}
        return cast.collection("birds", grades=n_levels, **two_labels)

    @pytest.fixture
    def page(self, context, live_server, collection, sign_in) -> Page:
        """The page of a disputed pair."""
        (pair,) = dispute(collection)
        show_pictures(collection)
        sign_in(cast.member(collection, Role.LEAD))
        page = context.new_page()
        page.goto(f"{live_server.url}{address('inbox-pair', pair.pk)}")
        # it loads once it is scrolled near
        page.locator(DECISION["document"]).scroll_into_view_if_needed()
        wait_for_expression(page, f"document.querySelector('{DECISION['document']}').complete")
        return page

    @pytest.mark.parametrize("n_levels", [3, 7])
    def test_levels_stay_in_sight_and_query_and_document_come_into_it_together(self, page):
        def expect_levels_on_the_way_down(page: Page) -> None:
            page.evaluate("scrollTo(0, 0)")
            expect_levels_in_sight(page, DECISION)
            page.locator(DECISION["query"]).evaluate("(query) => query.scrollIntoView()")
            expect_all_in_sight(page, DECISION)

        assert faults_by_screen(page, expect_levels_on_the_way_down) == []
