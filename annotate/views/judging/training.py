"""Training for annotators: a page of steps, the quiz, and the screen with its calls."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
    require_safe,
)

from annotate import access, http
from annotate.core.training.states import TrainingState
from annotate.forms.training import QuizForm
from annotate.http import SignedIn
from annotate.markdown import to_html
from annotate.models import Annotator, HandOut
from annotate.services.collection.media import stored_bytes
from annotate.services.judging import cards, hand_outs, judging
from annotate.services.training import quizzes
from annotate.services.training import tries as service
from annotate.services.training.sentences import TryResult, pairs_step, review_text
from annotate.services.training.status import newest_quiz, rules_of, training_of, training_status

ERRORS = {
    http.BadRequest: 422,
    judging.UnknownGrade: 422,
    judging.UnknownReason: 422,
    hand_outs.NotHandedOut: 404,
    hand_outs.BatchSettled: 409,
    service.TryOver: 409,
}
N_CARDS = 3  # the card to judge, and those whose media the browser loads meanwhile
AFTER_QUIZ = ("ready", "trying", "waiting", "review", "used_up", "passed")


@require_safe
@never_cache
@login_required
def training(request: SignedIn, slug: str) -> HttpResponse:
    """Show her status in the training, and the next step."""
    annotator = access.get_annotator(user=request.user, slug=slug)
    training_ = training_of(collection=annotator.collection)
    status = training_status(annotator=annotator)
    finished_tries = [try_ for try_ in status.tries if try_.passed is not None]
    last_result = TryResult(finished_tries[-1]) if finished_tries else None
    context = {
        "collection": annotator.collection,
        "training": training_,
        "rules": rules_of(training=training_),
        "status": status if training_.is_on else status._replace(state=TrainingState("passed")),
        "quiz_is_done": status.state.name in AFTER_QUIZ,
        "last_result": last_result,
        "review_text": review_text(last_result),
        "pairs_step": pairs_step(training_, n_tries=len(finished_tries)),
    }
    return render(request, "annotate/training/training.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def quiz(request: SignedIn, slug: str) -> HttpResponse:
    """The guidelines and the questions about them; after an attempt, which were right and why."""
    annotator = access.get_annotator(user=request.user, slug=slug)
    newest = newest_quiz(collection=annotator.collection)
    if newest is None:
        return redirect("annotate:training", slug)
    questions = quizzes.questions_of(collection=annotator.collection)
    post_data = request.POST if request.method == "POST" else None
    form = QuizForm(post_data, questions=questions, initial={"version": newest.version})
    attempt = None
    if form.is_valid():
        try:
            version = form.cleaned_data["version"]
            attempt = quizzes.take_quiz(
                annotator=annotator, version=version, choices=form.choices()
            )
        except quizzes.QuizChanged as error:
            messages.warning(request, str(error))
            return redirect("annotate:training-quiz", slug)
    return _quiz_page(request, annotator, form, questions, attempt)


def _quiz_page(
    request: HttpRequest,
    annotator: Annotator,
    form: QuizForm,
    questions: list[quizzes.Question],
    attempt: quizzes.MarkedAttempt | None,
) -> HttpResponse:
    guidelines = annotator.collection.guidelines.latest("version")
    fields = [field for field in form if not field.is_hidden]
    right = attempt.result.right if attempt else [None] * len(questions)
    context = {
        "collection": annotator.collection,
        "guidelines": guidelines,
        "guidelines_html": to_html(guidelines.markdown),
        "form": form,
        "questions": list(zip(fields, questions, right, strict=True)),
        "attempt": attempt,
        "training": training_of(collection=annotator.collection),
    }
    return render(
        request, "annotate/training/quiz.html", context, status=422 if form.errors else 200
    )


@require_POST
@login_required
def begin(request: SignedIn, slug: str) -> HttpResponse:
    """Begin a try, or go on with it."""
    annotator = access.get_annotator(user=request.user, slug=slug)
    try:
        service.begin(annotator=annotator)
    except service.TryRefused as error:
        messages.error(request, str(error))
        return redirect("annotate:training", slug)
    return redirect("annotate:training-screen", slug)


@require_GET
@never_cache
@login_required
def screen(request: SignedIn, slug: str) -> HttpResponse:
    """The screen of a try under way; its script asks for cards."""
    annotator = access.get_annotator(user=request.user, slug=slug)
    if not service.waiting_hand_outs(annotator=annotator):
        return redirect("annotate:training", slug)
    guidelines = annotator.collection.guidelines.latest("version")
    context = {
        "collection": annotator.collection,
        "levels": annotator.collection.levels.all(),
        "guidelines": guidelines,
        "guidelines_html": to_html(guidelines.markdown),
    }
    return render(request, "annotate/training/screen.html", context)


def answers_with_cards(
    act: Callable[[Annotator, dict[str, Any]], dict[str, Any]],
) -> Callable[..., HttpResponse]:
    """Make a view of `act`: check the annotator's access, and answer with JSON.

    The answer holds the result of `act` and the next cards, or an error.
    """

    @require_POST
    @never_cache
    @http.for_signed_in
    @wraps(act)
    def view(request: HttpRequest, slug: str) -> JsonResponse:
        annotator = access.get_annotator(user=request.user, slug=slug)
        try:
            reply = act(annotator, http.read_json(request))
        except tuple(ERRORS) as error:
            return JsonResponse({"error": str(error)}, status=ERRORS[type(error)])
        return JsonResponse({"saved": True, **reply, **_next_cards(annotator)})

    return view


@answers_with_cards
def next_cards(annotator: Annotator, body: dict[str, Any]) -> dict[str, Any]:
    """Change nothing; `answers_with_cards` adds the next cards."""
    return {}


@answers_with_cards
def answer(annotator: Annotator, body: dict[str, Any]) -> dict[str, Any]:
    """Store one answer and return its feedback."""
    token, judgment_answer = http.read_answer(body)
    feedback = service.answer(annotator=annotator, token=token, answer=judgment_answer)
    return {"feedback": feedback._asdict()}


@answers_with_cards
def report(annotator: Annotator, body: dict[str, Any]) -> dict[str, Any]:
    """Leave out a pair that cannot be judged."""
    fields = http.read_form(http.ReportForm, body)
    service.report(
        annotator=annotator,
        token=fields["hand_out"],
        submission_id=fields["submission_id"],
        reason=fields["reason"],
        note=fields["note"],
    )
    return {}


def _next_cards(annotator: Annotator) -> dict[str, Any]:
    hand_outs = service.waiting_hand_outs(annotator=annotator)
    next_hand_outs = hand_outs[:N_CARDS]
    if next_hand_outs:
        judging.note_shown(hand_out=next_hand_outs[0])
    slug = annotator.collection.slug
    size_of = partial(stored_bytes, annotator.collection)
    n = HandOut.objects.filter(batch__hand_outs=next_hand_outs[0]).count() if next_hand_outs else 0
    return {
        "cards": [
            http.card_json(card, slug=slug, n_in_batch=n, size_of=size_of)
            for card in cards.cards_of(hand_outs=next_hand_outs)
        ],
        "done_url": reverse("annotate:training", args=[slug]),
    }
