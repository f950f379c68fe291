"""API of the policy: the newest version, all of them, previews of a change, and new versions."""

from decimal import Decimal
from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from annotate.api import TokenRequest, Unprocessable
from annotate.api.endpoints import repeatable
from annotate.api.fields import StrictSerializer, validated
from annotate.api.filters import read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.api.settings import SettingsEndpoint, field_refusal
from annotate.api.settings.collection_fields import PolicyFiguresAnswer
from annotate.forms.settings import PolicyForm
from annotate.models import Collection, Policy
from annotate.services.collection import collections
from annotate.services.policy import policies
from annotate.services.policy.policy_sentences import policy_sentences

SECONDS_OF_A_PREVIEW = "3"


class PolicyVersionAnswer(PolicyFiguresAnswer):
    """A version of the policy."""

    url = serializers.SerializerMethodField()
    sentences = serializers.SerializerMethodField(help_text="The policy in words.")

    class Meta(PolicyFiguresAnswer.Meta):
        fields = ["url", *PolicyFiguresAnswer.Meta.fields, "sentences"]

    def get_url(self, policy: Policy) -> str:
        """The address of this version."""
        return reverse("api:policy-version", args=[policy.collection.slug, policy.version])

    def get_sentences(self, policy: Policy) -> list[str]:
        """The policy in words."""
        return policy_sentences(policy)


class NewestPolicyAnswer(PolicyVersionAnswer):
    """The newest version of the policy, which pools opened from now on follow."""

    n_rounds_behind = serializers.SerializerMethodField(
        help_text="Pools and imports whose grades a worker is still bringing under their rule."
    )

    class Meta(PolicyVersionAnswer.Meta):
        fields = [*PolicyVersionAnswer.Meta.fields, "n_rounds_behind"]

    def get_n_rounds_behind(self, policy: Policy) -> int:
        """The number of rounds that have yet to follow their policy."""
        return policies.n_behind(collection=policy.collection)


class ShareField(serializers.DecimalField):
    """A share that may be left out, which the schema calls a number."""

    def __init__(self, **options: Any) -> None:
        super().__init__(5, 4, max_value=1, required=False, coerce_to_string=False, **options)


class PolicyPreviewRequest(StrictSerializer):
    """Figures of a policy; what is left out stays as it is. Shares are numbers from 0 to 1."""

    labels_per_pair = serializers.IntegerField(min_value=1, max_value=5, required=False)
    double_share = ShareField(min_value=0)
    ceiling = serializers.IntegerField(min_value=1, max_value=7, required=False)
    tolerance = serializers.IntegerField(min_value=0, max_value=100, required=False)
    stop_early = serializers.BooleanField(required=False)
    rule = serializers.ChoiceField(Policy.Rule.choices, required=False)
    tie = serializers.ChoiceField(Policy.Tie.choices, required=False)
    batch_candidates = serializers.IntegerField(min_value=1, max_value=200, required=False)
    gold_positives = serializers.IntegerField(min_value=0, max_value=20, required=False)
    gold_negatives = serializers.IntegerField(min_value=0, max_value=20, required=False)
    lease_minutes = serializers.IntegerField(min_value=1, max_value=1440, required=False)
    grouped = serializers.BooleanField(required=False)
    gold_action = serializers.ChoiceField(Policy.GoldAction.choices, required=False)
    gold_pass = ShareField(min_value=0)
    repeat_share = ShareField(min_value=0)
    repeat_after_days = serializers.IntegerField(min_value=0, max_value=365, required=False)
    max_share = ShareField(min_value=Decimal("0.0001"))
    ask_reasons = serializers.BooleanField(required=False)
    with_closed = serializers.BooleanField(
        default=False,
        help_text="Closed pools and imports follow the rule, tie rule and tolerance too.",
    )


class PolicyRequest(PolicyPreviewRequest):
    """A new version of the policy."""

    preview_key = serializers.CharField(
        max_length=64,
        required=False,
        default="",
        allow_blank=True,
        help_text="The key of the preview that was read; needed where pools or imports would "
        "follow the policy.",
    )


class GradeChangeAnswer(serializers.Serializer):
    """Pairs that change in the same way; a grade is null where there is none."""

    status = serializers.CharField(help_text="How the grade came about, or why there is none.")
    grade = serializers.IntegerField(allow_null=True)
    new_status = serializers.CharField()
    new_grade = serializers.IntegerField(allow_null=True)
    n_pairs = serializers.IntegerField(source="n")


class PolicyEffectAnswer(serializers.Serializer):
    """The effect of a change of the policy, once it is counted."""

    preview_key = serializers.CharField(source="key", help_text="To send when it is saved.")
    n_rounds = serializers.IntegerField(help_text="Pools and imports that would follow it.")
    n_pairs = serializers.IntegerField(
        source="change.n_pairs", help_text="Pairs whose grade changes, or that gain or lose one."
    )
    n_to_relevant = serializers.IntegerField(source="change.n_to_relevant")
    n_to_irrelevant = serializers.IntegerField(source="change.n_to_irrelevant")
    n_settled = serializers.IntegerField(
        source="change.n_settled", help_text="Pairs without a grade that get one."
    )
    n_disputed = serializers.IntegerField(
        source="change.n_disputed",
        help_text="Pairs that lose their grade until another label or a lead decides.",
    )
    asks_model = serializers.BooleanField(
        help_text="Grades of a model, unknown before it has run, come on top."
    )
    largest_changes = GradeChangeAnswer(
        many=True, help_text="The changes of most pairs, 12 at most."
    )


class PreviewWaitingAnswer(serializers.Serializer):
    """A preview that a worker is counting."""

    state = serializers.ChoiceField(["computing"])


class PolicyView(SettingsEndpoint):
    """The policy of a collection."""

    @extend_schema(responses={200: NewestPolicyAnswer})
    def get(self, request: TokenRequest, slug: str) -> Response:
        """The newest version."""
        collection = self.collection(request, slug)
        return Response(NewestPolicyAnswer(collection.policies.latest("version")).data)

    @extend_schema(
        request=PolicyRequest, responses={200: NewestPolicyAnswer, 201: NewestPolicyAnswer}
    )
    @repeatable
    @transaction.atomic
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Store a new version: 201 with it; 200 with the newest one where nothing is new.

        Pools opened from now on follow it; open ones follow its rule, tie rule and tolerance.
        """
        collection = self.locked_collection(request, slug)
        fields = validated(PolicyRequest(data=request.data))
        newest = collection.policies.latest("version")
        try:
            policy = policies.save_previewed_policy(
                collection=collection,
                by=request.user,
                changes=policy_changes(collection, fields),
                with_closed=fields["with_closed"],
                preview_key=fields["preview_key"],
            )
        except collections.BadPolicy as error:
            raise Unprocessable(str(error)) from error
        except policies.PreviewUnseen as error:
            raise field_refusal("preview_key", error) from error
        answer = NewestPolicyAnswer(policy).data
        status = 201 if policy.version > newest.version else 200
        return Response(answer, status=status, headers={"Location": answer["url"]})


class PolicyPreviewView(SettingsEndpoint):
    """Previews of a change of the policy."""

    @extend_schema(
        request=PolicyPreviewRequest, responses={200: PolicyEffectAnswer, 202: PreviewWaitingAnswer}
    )
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Count the effect of a change, which is not stored; 202: send it again in a moment."""
        collection = self.collection(request, slug)
        fields = validated(PolicyPreviewRequest(data=request.data))
        changes = policy_changes(collection, fields)
        try:
            draft = collections.next_policy(collection=collection, by=request.user, changes=changes)
        except collections.BadPolicy as error:
            raise Unprocessable(str(error)) from error
        preview = policies.preview_change(policy=draft, with_closed=fields["with_closed"])
        if preview.is_waiting:
            headers = {"Retry-After": SECONDS_OF_A_PREVIEW}
            return Response({"state": "computing"}, status=202, headers=headers)
        return Response(PolicyEffectAnswer(preview).data)


class PolicyVersionsView(SettingsEndpoint):
    """The versions of the policy."""

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses={200: page_answer(name="policy_versions", row=PolicyVersionAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of them, the newest first."""
        policies = self.collection(request, slug).policies.all()
        read_filters(request=request)
        return page_of(
            request=request,
            rows=policies,
            ordering=("-version",),
            name="policy_versions",
            as_json=PolicyVersionAnswer().to_representation,
        )


class PolicyVersionView(SettingsEndpoint):
    """One version of the policy."""

    @extend_schema(responses={200: PolicyVersionAnswer})
    def get(self, request: TokenRequest, slug: str, number: int) -> Response:
        """The version, as rounds that were opened under it keep it."""
        versions = self.collection(request, slug).policies.all()
        return Response(PolicyVersionAnswer(get_object_or_404(versions, version=number)).data)


def policy_changes(collection: Collection, fields: dict[str, Any]) -> dict[str, Any]:
    """The figures of the next version by the form of the page; raises Unprocessable.

    fields : of PolicyPreviewRequest
    """
    newest = collection.policies.latest("version")
    figures = collections.figures(newest) | fields
    percents = {
        percent: (figures.pop(share) * 100).normalize()
        for percent, share in PolicyForm.PERCENTS.items()
    }
    form = PolicyForm(figures | percents, instance=newest)
    if form.is_valid():
        return form.changes()
    errors = [
        {"field": PolicyForm.PERCENTS.get(name, name), "message": str(message)}
        for name, messages in form.errors.items()
        for message in messages
    ]
    raise Unprocessable("Some fields are wrong; see errors.", errors=errors)


POLICY = "collections/<slug:slug>/policy/"
urlpatterns = [
    path(POLICY, PolicyView.as_view(), name="policy"),
    path(f"{POLICY}preview/", PolicyPreviewView.as_view(), name="policy-preview"),
    path(f"{POLICY}versions/", PolicyVersionsView.as_view(), name="policy-versions"),
    path(f"{POLICY}versions/<int:number>/", PolicyVersionView.as_view(), name="policy-version"),
]
