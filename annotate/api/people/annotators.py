"""API of annotators for leads: pausing and resuming one, withdrawing and restoring labels."""

from collections.abc import Callable
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate import access
from annotate.api import TokenRequest, Unprocessable, get_collection, invalid_form
from annotate.api.endpoints import Endpoint, repeatable
from annotate.api.fields import StrictSerializer, validated
from annotate.api.filters import Filters, ListedChoiceField, read_filters
from annotate.api.jobs import JobAnswer, job_json
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.api.parameters import page_parameters
from annotate.api.people.members import LEAD, AnnotatorAnswer
from annotate.core.consequences import CountChanged
from annotate.forms.review import (
    PERSON_ACTS_WITH_REASON,
    REASON_LENGTH,
    PersonAct,
    ReasonForm,
)
from annotate.models import Annotator, ApiToken, ReviewWork
from annotate.services.supervision import bulk_decisions, pausing, withdrawing

ANNOTATOR = "collections/<slug:slug>/annotators/<int:pk>/"


class WithdrawalAnswer(serializers.Serializer):
    """Answers that were withdrawn for one reason, and not restored."""

    reason = serializers.CharField()
    n = serializers.IntegerField(help_text="How many answers.")
    since = serializers.DateTimeField(help_text="The first, to the microsecond; restore with it.")
    until = serializers.DateTimeField(help_text="The last, to the microsecond; restore with it.")


class AnnotatorDecisionAnswer(serializers.Serializer):
    """A decision about answers: the outcome, or the work that is under way."""

    summary = serializers.CharField(help_text="In words, as the page says it.")
    n_total = serializers.IntegerField(help_text="How many answers it is about.")
    n_done = serializers.IntegerField(help_text="How many are done so far.")
    n_surplus = serializers.IntegerField(
        help_text="How many stay out, as others have given these pairs their labels since."
    )
    job = JobAnswer(allow_null=True, help_text="Null where none began.")


class WholeAnnotatorAnswer(AnnotatorAnswer):
    """An annotator with what leads decided about the answers."""

    withdrawals = WithdrawalAnswer(many=True)
    decisions = AnnotatorDecisionAnswer(many=True, help_text="Those under way, or half done.")

    class Meta(AnnotatorAnswer.Meta):
        fields = [*AnnotatorAnswer.Meta.fields, "withdrawals", "decisions"]


class WithdrawableAnswer(serializers.Serializer):
    """The extent of a withdrawal."""

    n_labels = serializers.IntegerField(help_text="Labels, which enter agreement.")
    n_checks = serializers.IntegerField(help_text="Answers to golds and other checks.")
    n_pairs = serializers.IntegerField()
    n = serializers.IntegerField(help_text="All answers: `expected` of the withdrawal.")


class ReasonRequest(StrictSerializer):
    """A reason, which stays in the log."""

    reason = serializers.CharField(max_length=REASON_LENGTH, default="", allow_blank=True)


class WithdrawalRequest(ReasonRequest):
    """A withdrawal of a person's answers from a moment on."""

    since = serializers.DateTimeField()
    expected = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, help_text="The `n` that was shown; more by now is 422."
    )


class RestorationRequest(ReasonRequest):
    """A restoration of answers that were withdrawn within a time."""

    since = serializers.DateTimeField()
    until = serializers.DateTimeField()


class AnnotatorEndpoint(Endpoint):
    """The scope and the rows of all endpoints of annotators."""

    scope = ApiToken.Scope.MEMBERS_WRITE
    parser_classes = [JSONParser]

    def annotator(self, request: TokenRequest, slug: str, pk: int) -> Annotator:
        """An annotator, for leads; else Http404."""
        get_collection(request=request, slug=slug, roles=LEAD)
        return access.get_led_annotator(user=request.user, slug=slug, pk=pk)

    def fields(
        self, request: TokenRequest, act: PersonAct, form: type[ReasonRequest]
    ) -> dict[str, Any]:
        """The fields that were sent, with a reason where the action needs one.

        Raises Unprocessable.
        """
        fields = validated(form(data=request.data))
        reason_form = ReasonForm(
            {"act": act, "reason": fields["reason"]},
            acts=PersonAct,
            acts_with_reason=PERSON_ACTS_WITH_REASON,
        )
        if not reason_form.is_valid():
            raise invalid_form(reason_form)
        return fields | {"reason": reason_form.cleaned_data["reason"], "by": request.user}


class AnnotatorFilters(Filters):
    """Filters of the list of annotators."""

    origin = ListedChoiceField(Annotator.Origin.values)


class AnnotatorsView(AnnotatorEndpoint):
    """GET collections/<slug>/annotators/"""

    @extend_schema(
        parameters=[
            AnnotatorFilters,
            *PAGE_PARAMETERS,
        ],
        responses={200: page_answer(name="annotators", row=AnnotatorAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of the annotators, also of those who left; those of one `origin`."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        filters = read_filters(request=request, form=AnnotatorFilters)
        return page_of(
            request=request,
            rows=collection.annotators.filter(**filters).select_related("collection"),
            ordering=("pk",),
            name="annotators",
            as_json=AnnotatorAnswer().to_representation,
        )


class AnnotatorView(AnnotatorEndpoint):
    """GET collections/<slug>/annotators/<id>/"""

    @extend_schema(responses={200: WholeAnnotatorAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """An annotator, what was withdrawn of her, and the decisions under way."""
        return Response(annotator_json(self.annotator(request, slug, pk)))


class PauseView(AnnotatorEndpoint):
    """POST collections/<slug>/annotators/<id>/pause/"""

    @extend_schema(request=ReasonRequest, responses={200: WholeAnnotatorAnswer})
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Hand out no more pairs, for a `reason`; what was judged stays."""
        annotator = self.annotator(request, slug, pk)
        fields = self.fields(request, PersonAct.PAUSE, ReasonRequest)
        pausing.pause(annotator=annotator, **fields)
        return Response(annotator_json(annotator))


class ResumptionView(AnnotatorEndpoint):
    """POST collections/<slug>/annotators/<id>/resume/"""

    @extend_schema(request=ReasonRequest, responses={200: WholeAnnotatorAnswer})
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Hand out pairs again; a `reason` is optional."""
        annotator = self.annotator(request, slug, pk)
        fields = self.fields(request, PersonAct.RESUME, ReasonRequest)
        pausing.resume(annotator=annotator, **fields)
        return Response(annotator_json(annotator))


class WithdrawableView(AnnotatorEndpoint):
    """GET collections/<slug>/annotators/<id>/withdrawable/?since="""

    @extend_schema(
        parameters=[OpenApiParameter("since", str, required=True, description="A moment.")],
        responses={200: WithdrawableAnswer},
    )
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """The number of answers from `since` on that count and would be withdrawn."""
        annotator = self.annotator(request, slug, pk)
        parameters = page_parameters(request=request, names={"since": "since"})
        since = validated(SinceFilters(data=parameters.dict()))["since"]
        extent = withdrawing.withdrawable(annotator=annotator, since=since)
        return Response(WithdrawableAnswer(extent).data)


class SinceFilters(StrictSerializer):
    """The moment from which on answers are counted."""

    since = serializers.DateTimeField()


class WithdrawalView(AnnotatorEndpoint):
    """POST collections/<slug>/annotators/<id>/withdraw/"""

    act = PersonAct.WITHDRAW
    form: type[ReasonRequest] = WithdrawalRequest
    decide: Callable[..., ReviewWork | None] = staticmethod(withdrawing.withdraw_annotator)

    @extend_schema(
        request=WithdrawalRequest,
        responses={200: AnnotatorDecisionAnswer, 202: AnnotatorDecisionAnswer},
    )
    @repeatable
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Withdraw the answers from `since` on: 202 with the job, 200 where there are none."""
        return self.decision(request, slug, pk)

    def decision(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Decide about the answers of an annotator, and tell of the work; few are done at once."""
        annotator = self.annotator(request, slug, pk)
        fields = self.fields(request, self.act, self.form)
        try:
            decision = self.decide(annotator=annotator, **fields)
        except (CountChanged, bulk_decisions.DecisionUnderWay) as error:
            raise Unprocessable(str(error)) from error
        facts = decision_json(annotator, decision)
        if decision is None:
            return Response(facts)
        return Response(facts, status=202, headers={"Location": facts["job"]["url"]})


class RestorationView(WithdrawalView):
    """POST collections/<slug>/annotators/<id>/restore/"""

    act = PersonAct.RESTORE
    form = RestorationRequest
    decide = staticmethod(withdrawing.restore_annotator)

    @extend_schema(
        request=RestorationRequest,
        responses={200: AnnotatorDecisionAnswer, 202: AnnotatorDecisionAnswer},
    )
    @repeatable
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Let answers count again that were withdrawn from `since` to `until`: 202 with the job."""
        return self.decision(request, slug, pk)


def decision_json(annotator: Annotator, decision: ReviewWork | None) -> dict[str, Any]:
    """A decision about answers in words and numbers, with its job; None where there were none."""
    counts = ("n_total", "n_done", "n_surplus")
    summary = withdrawing.outcome_text(annotator=annotator, decision=decision)
    if decision is not None and decision.is_failed:
        summary = bulk_decisions.failure(decision)
    return {
        "summary": summary,
        **{name: getattr(decision, name, 0) for name in counts},
        "job": None if decision is None else job_json(decision.work),
    }


def annotator_json(annotator: Annotator) -> dict[str, Any]:
    """An annotator with withdrawals and the decisions under way."""
    withdrawals = withdrawing.withdrawals(annotator=annotator)
    decisions = bulk_decisions.unfinished_of_annotator(annotator=annotator)
    return {
        **AnnotatorAnswer(annotator).data,
        "withdrawals": WithdrawalAnswer(withdrawals, many=True).data,
        "decisions": [decision_json(annotator, decision) for decision in decisions],
    }


urlpatterns = [
    path("collections/<slug:slug>/annotators/", AnnotatorsView.as_view(), name="annotators"),
    path(ANNOTATOR, AnnotatorView.as_view(), name="annotator"),
    path(f"{ANNOTATOR}pause/", PauseView.as_view(), name="annotator-pause"),
    path(f"{ANNOTATOR}resume/", ResumptionView.as_view(), name="annotator-resume"),
    path(f"{ANNOTATOR}withdrawable/", WithdrawableView.as_view(), name="annotator-withdrawable"),
    path(f"{ANNOTATOR}withdraw/", WithdrawalView.as_view(), name="annotator-withdraw"),
    path(f"{ANNOTATOR}restore/", RestorationView.as_view(), name="annotator-restore"),
]
