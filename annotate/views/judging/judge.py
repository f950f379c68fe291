"""Judge screen: one page, and the calls of its script."""

from collections.abc import Callable
from functools import partial, wraps
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
from annotate.core.labels.cards import Card
from annotate.http import SignedIn
from annotate.markdown import to_html
from annotate.models import Annotator, HandOut, Report
from annotate.services.collection import guidelines_shown
from annotate.services.collection.media import stored_bytes
from annotate.services.judging import (
    cards,
    claiming,
    hand_outs,
    judging,
    reports,
    undoing,
    work_availability,
)
from annotate.services.judging.training_gate import is_in_training
from annotate.services.pages import annotator_progress, batch_ends

ERRORS = {
    http.BadRequest: 422,
    judging.UnknownGrade: 422,
    judging.UnknownReason: 422,
    hand_outs.NotHandedOut: 404,
    hand_outs.BatchSettled: 409,
    hand_outs.NotWhileStopped: 409,
    undoing.NothingToUndo: 409,
}


@require_GET
@never_cache
@login_required
def judge(request: SignedIn, slug: str) -> HttpResponse:
    """The page; its script asks for cards."""
    annotator = access.get_annotator(user=request.user, slug=slug)
    if is_in_training(annotator=annotator):
        messages.info(
            request,
            "Before you judge, you go through a training: it shows what the levels mean here.",
        )
        return redirect("annotate:training", slug)
    collection = annotator.collection
    guidelines = guidelines_shown.newest_guidelines(annotator=annotator)
    context = {
        "collection": collection,
        "levels": collection.levels.all(),
        "report_reasons": Report.Reason.choices,
        "guidelines_html": to_html(guidelines.markdown if guidelines else ""),
        "guidelines": guidelines,
        "guidelines_changed": guidelines_shown.judged_under_older(
            annotator=annotator, guidelines=guidelines
        ),
    }
    return render(request, "annotate/judging/judge.html", context)


@require_GET
@never_cache
@login_required
def signed_in(request: SignedIn, slug: str) -> HttpResponse:
    """The end of a sign-in in a new tab: the tab that asked for it hears of it and goes on."""
    annotator = access.get_annotator(user=request.user, slug=slug)
    context = {"collection": annotator.collection}
    return render(request, "annotate/judging/signed_in.html", context)


def answers_with_cards(
    act: Callable[[Annotator, dict[str, Any]], dict[str, Any] | None],
) -> Callable[..., HttpResponse]:
    """Make a view of `act`: check the annotator's access, and answer with JSON.

    The answer holds the result of `act` and the next cards, if they are wanted, or an error.
    """

    @require_POST
    @never_cache
    @http.for_signed_in
    @wraps(act)
    def view(request: HttpRequest, slug: str) -> JsonResponse:
        try:
            annotator = access.get_annotator(user=request.user, slug=slug)
        except Http404:  # her script distinguishes this from a proxy's page
            return JsonResponse({"kept_out": True}, status=404)
        try:
            # one commit: an answer and its next cards are on disk together
            with transaction.atomic():
                body = http.read_json(request)
                act_fields = act(annotator, body) or {}
                cards_ = _next_cards(annotator, body, wants_batch=act is _open_batch)
        except tuple(ERRORS) as error:
            return JsonResponse({"error": str(error)}, status=ERRORS[type(error)])
        return JsonResponse({"saved": True, **act_fields, **cards_})

    return view


def _open_batch(annotator: Annotator, body: dict[str, Any]) -> None:
    claiming.current_batch(annotator=annotator)


next_cards = answers_with_cards(_open_batch)


@answers_with_cards
def answer(annotator: Annotator, body: dict[str, Any]) -> None:
    """Store one judgment."""
    token, judgment_answer = http.read_answer(body)
    judging.record_judgment(annotator=annotator, token=token, answer=judgment_answer)


@answers_with_cards
def undo(annotator: Annotator, body: dict[str, Any]) -> dict[str, Any]:
    """Take back the last act on one hand-out; answer with the act before it, or with the card.

    With the card goes the answer taken back.
    """
    fields = http.read_form(http.UndoForm, body)
    hand_out = undoing.take_back(
        annotator=annotator,
        token=fields["hand_out"],
        submission_id=fields["submission_id"],
        kind=fields["kind"] or None,
    )
    own_answer = undoing.current_response(hand_out=hand_out)
    if own_answer is not None:
        return {"undone": {"card": None, "word": http.answer_json(own_answer), "earlier": None}}
    earlier = undoing.undone_answer(hand_out=hand_out, submission_id=fields["submission_id"])
    return {
        "undone": {
            "card": _card(annotator, hand_out),
            "word": None,
            "earlier": http.answer_json(earlier) if earlier is not None else None,
        }
    }


@answers_with_cards
def report(annotator: Annotator, body: dict[str, Any]) -> None:
    """Cannot judge, escalate, or later."""
    fields = http.read_form(http.ReportForm, body)
    if fields["kind"] == "later":
        reports.defer(annotator=annotator, token=fields["hand_out"])
        return
    reports.report_pair(
        annotator=annotator,
        token=fields["hand_out"],
        submission_id=fields["submission_id"],
        kind=Report.Kind(fields["kind"]),
        reason=fields["reason"],
        note=fields["note"],
        is_change=fields["is_change"],
    )


@require_GET
@never_cache
@http.for_signed_in
def recent(request: HttpRequest, slug: str) -> JsonResponse:
    """Return the last answers that can be changed, newest first, and the act an undo takes back."""
    annotator = access.get_annotator(user=request.user, slug=slug)
    acts = undoing.last_acts(annotator=annotator)
    last_act = {"hand_out": str(acts[0].token), "kind": acts[0].kind} if acts else None
    return JsonResponse(
        {"judged": annotator_progress.recent(acts=acts, slug=slug), "last": last_act}
    )


@require_GET
@never_cache
@http.for_signed_in
def changeable_answer(request: HttpRequest, slug: str) -> JsonResponse:
    """Return a pair and its annotator's own answer, to be changed."""
    annotator = access.get_annotator(user=request.user, slug=slug)
    try:
        token = http.read_form(http.HandOutForm, request.GET.dict())["hand_out"]
        hand_out, own_answer = undoing.changeable_response(annotator=annotator, token=token)
    except tuple(ERRORS) as error:
        return JsonResponse({"error": str(error)}, status=ERRORS[type(error)])
    return JsonResponse({"card": _card(annotator, hand_out), "word": http.answer_json(own_answer)})


@require_GET
@never_cache
@http.for_signed_in
def token(request: HttpRequest, slug: str) -> JsonResponse:
    """A fresh CSRF token for a page that stood open while the session changed."""
    annotator = access.get_annotator(user=request.user, slug=slug)
    # The owner of the token, so that waiting answers are not sent as a person who signed in since.
    return JsonResponse({"csrf": get_token(request), "owner": str(annotator.user_id)})


def _card(annotator: Annotator, hand_out: HandOut) -> dict[str, Any]:
    """The card of one hand-out, whether it waits for an answer or not."""
    card, card_context = cards.card(annotator=annotator, hand_out=hand_out.pk)
    return _card_json(annotator, card, card_context)


def _card_json(annotator: Annotator, card: Card, card_context: cards.CardContext) -> dict[str, Any]:
    return http.card_json(
        card,
        slug=annotator.collection.slug,
        n_in_batch=card_context.n,
        size_of=partial(stored_bytes, annotator.collection),
        ask_reasons=card_context.asks_reasons,
    )


def _next_cards(annotator: Annotator, body: dict[str, Any], *, wants_batch: bool) -> dict[str, Any]:
    """Return the order of the cards that follow, and those of them that the browser lacks.

    body : names the hand-outs whose cards the browser holds, or that it shows none
    wants_batch : the person asked for more, so a finished batch is no answer.
    """
    if body.get("wants_cards") is False:
        return {}
    at_hand = http.read_at_hand(body)
    next_cards_, card_context = cards.next_cards(annotator=annotator, at_hand=at_hand)
    empty = (
        None
        if next_cards_.order
        else work_availability.no_card_reason(annotator=annotator, wants_more=wants_batch)
    )
    return {
        "order": [str(token) for token in next_cards_.order],
        "cards": [_card_json(annotator, card, card_context) for card in next_cards_.cards],
        "progress": annotator_progress.progress(
            annotator=annotator, context=card_context, with_total=not next_cards_.order
        ),
        "empty": empty,
        # asked for no oftener than a batch ends: it counts what is left
        "batch_end": batch_ends.batch_end(annotator=annotator).text
        if empty and empty["reason"] == "batch_done"
        else None,
        "guidelines": _newest_guidelines(card_context),
    }


def _newest_guidelines(card_context: cards.CardContext) -> dict[str, Any] | None:
    """Newest version of the guidelines and its day, for a page that shows an older one."""
    if card_context.guidelines is None or card_context.guidelines_at is None:
        return None
    return {
        "version": card_context.guidelines,
        "on": date_format(card_context.guidelines_at, "j F Y"),
    }
