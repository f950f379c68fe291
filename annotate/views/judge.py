"""The judge screen: one page, and the few calls its script makes."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.utils.formats import date_format
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotate import access, http
from annotate.markdown import to_html
from annotate.models import Annotator, HandOut, Report
from annotate.services import cards, claiming, hand_outs, judging, progress, reports, told, undoing, work
from annotate.services.training_gate import is_in_training

ERRORS = {
    http.BadRequest: 422,
    judging.UnknownGrade: 422,
    judging.UnknownReason: 422,
    hand_outs.NotHandedOut: 404,
    hand_outs.BatchSettled: 409,
    hand_outs.NotWhilePaused: 409,
    undoing.NothingToUndo: 409,
}


@require_GET
@never_cache
@login_required
def judge(request: HttpRequest, slug: str) -> HttpResponse:
    """The page; its script asks for cards."""
    annotator = access.get_annotator(user=request.user, slug=slug)
    if is_in_training(annotator=annotator):
        messages.info(request, "Before you judge, you go through a training: it shows what the levels mean here.")
        return redirect("annotate:training", slug)
    collection = annotator.collection
    guidelines = told.newest_guidelines(annotator=annotator)
    context = {
        "collection": collection,
        "levels": collection.levels.all(),
        "report_reasons": Report.Reason.choices,
        "guidelines_html": to_html(guidelines.markdown if guidelines else ""),
        "guidelines": guidelines,
        "guidelines_changed": told.judged_under_older(annotator=annotator, guidelines=guidelines),
    }
    return render(request, "annotate/judge.html", context)


def answers_with_cards(
    act: Callable[[Annotator, dict[str, Any]], dict[str, Any] | None],
) -> Callable[..., HttpResponse]:
    """A call of the script: sign-in, rights, errors as JSON; what it says of itself, and the next cards."""

    @require_POST
    @never_cache
    @http.for_signed_in
    @wraps(act)
    def view(request: HttpRequest, slug: str) -> JsonResponse:
        try:
            annotator = access.get_annotator(user=request.user, slug=slug)
        except Http404:  # her script tells this from a page that a proxy puts in the server's place
            return JsonResponse({"kept_out": True}, status=404)
        try:
            with transaction.atomic():  # one commit: an answer and its next cards are on disk together
                result = act(annotator, http.read_json(request)) or {}
                cards_ = _next_cards(annotator, asked=act is _open_batch)
        except tuple(ERRORS) as error:
            return JsonResponse({"error": str(error)}, status=ERRORS[type(error)])
        return JsonResponse({"saved": True, **result, **cards_})

    return view


def _open_batch(annotator: Annotator, body: dict[str, Any]) -> None:
    claiming.current_batch(annotator=annotator)


next_cards = answers_with_cards(_open_batch)


@answers_with_cards
def answer(annotator: Annotator, body: dict[str, Any]) -> None:
    """Store one judgment."""
    sent = http.read_form(http.AnswerForm, body)
    given = judging.Answer(
        submission_id=sent["submission_id"],
        grade=sent["grade"],
        reasons=http.read_reasons(body),
        comment=sent["comment"],
        active_ms=sent["active_ms"],
        played_ms=sent["played_ms"],
        n_replays=sent["n_replays"],
        n_changes=sent["n_changes"],
        guidelines=sent["guidelines"],
        is_change=sent["is_change"],
    )
    judging.record_judgment(annotator=annotator, token=sent["hand_out"], answer=given)


@answers_with_cards
def undo(annotator: Annotator, body: dict[str, Any]) -> dict[str, Any]:
    """Take back what was done last with one hand-out; what stands again is said, or the card dealt."""
    sent = http.read_form(http.UndoForm, body)
    hand_out = undoing.take_back(
        annotator=annotator, token=sent["hand_out"], submission_id=sent["submission_id"], kind=sent["kind"] or None
    )
    word = undoing.standing_word(hand_out=hand_out)
    card = _card(annotator, hand_out) if word is None else None
    return {"undone": {"card": card, "word": http.word(word) if word is not None else None}}


@answers_with_cards
def report(annotator: Annotator, body: dict[str, Any]) -> None:
    """Cannot judge, escalate, or later."""
    sent = http.read_form(http.ReportForm, body)
    if sent["kind"] == "later":
        reports.defer(annotator=annotator, token=sent["hand_out"])
        return
    reports.report_pair(
        annotator=annotator,
        token=sent["hand_out"],
        submission_id=sent["submission_id"],
        kind=Report.Kind(sent["kind"]),
        reason=sent["reason"],
        note=sent["note"],
        is_change=sent["is_change"],
    )


@require_GET
@never_cache
@http.for_signed_in
def recent(request: HttpRequest, slug: str) -> JsonResponse:
    """What was said last and can still be changed, newest first; and what an undo would take back."""
    annotator = access.get_annotator(user=request.user, slug=slug)
    acts = undoing.last_acts(annotator=annotator)
    last = {"hand_out": str(acts[0].token), "kind": acts[0].kind} if acts else None
    return JsonResponse({"judged": progress.recent(acts=acts), "last": last})


@require_GET
@never_cache
@http.for_signed_in
def word(request: HttpRequest, slug: str) -> JsonResponse:
    """A pair and what was said of it, to be said anew."""
    annotator = access.get_annotator(user=request.user, slug=slug)
    try:
        token = http.read_form(http.WordForm, request.GET.dict())["hand_out"]
        hand_out, said = undoing.changeable_word(annotator=annotator, token=token)
    except tuple(ERRORS) as error:
        return JsonResponse({"error": str(error)}, status=ERRORS[type(error)])
    return JsonResponse({"card": _card(annotator, hand_out), "word": http.word(said)})


@require_GET
@never_cache
@http.for_signed_in
def token(request: HttpRequest, slug: str) -> JsonResponse:
    """A fresh CSRF token for a page that stood open while the session changed."""
    annotator = access.get_annotator(user=request.user, slug=slug)
    # Whose token it is, so that answers that wait are not sent as somebody who signed in since.
    return JsonResponse({"csrf": get_token(request), "owner": str(annotator.user_id)})


def _card(annotator: Annotator, hand_out: HandOut) -> dict[str, Any]:
    """The card of one hand-out, whether it waits for an answer or not."""
    dealt, around = cards.card(annotator=annotator, hand_out=hand_out.pk)
    return http.card(dealt, slug=annotator.collection.slug, n_in_batch=around.n, ask_reasons=around.asks_reasons)


def _next_cards(annotator: Annotator, *, asked: bool) -> dict[str, Any]:
    """The cards that follow; `asked`: the person wants more, a finished batch is no answer to that."""
    left, around = cards.next_cards(annotator=annotator)
    slug = annotator.collection.slug
    return {
        "cards": [
            http.card(dealt, slug=slug, n_in_batch=around.n, ask_reasons=around.asks_reasons) for dealt in left
        ],
        "progress": progress.progress(annotator=annotator, around=around, with_total=not left),
        "empty": None if left else work.why_empty(annotator=annotator, asked=asked),
        "guidelines": _said_of(around),
    }


def _said_of(around: cards.Around) -> dict[str, Any] | None:
    """Which version is the newest, and of which day, for a page that shows an older one."""
    if around.guidelines is None or around.guidelines_at is None:
        return None
    return {"version": around.guidelines, "on": date_format(around.guidelines_at, "j F Y")}
