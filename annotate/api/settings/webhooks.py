"""API of webhooks: the addresses that are told of a collection's events, for its leads.

The secret of a webhook stands in the answer that made it, and in no other: a receipt keeps none.
"""

from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import Endpoint, repeatable
from annotate.api.fields import AnswerSerializer, StrictSerializer, validated
from annotate.api.filters import Filters, ListedChoiceField, read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.api.settings import field_refusal
from annotate.core.webhooks.receiver_urls import MAX_LENGTH
from annotate.models import ApiToken, Collection, Delivery, Hook, HookEvent, Role
from annotate.models.programs.hooks import EVENT_CHOICES
from annotate.services.webhooks import deliveries, hooks

LEAD = (Role.LEAD,)
LIST = "collections/<slug:slug>/webhooks/"
LOG = f"{LIST}<int:pk>/deliveries/"


class HookAnswer(AnswerSerializer):
    """A webhook, without its secret."""

    address = serializers.SerializerMethodField(help_text="Its address in this API.")
    events = serializers.ListField(child=serializers.ChoiceField(EVENT_CHOICES))
    is_on = serializers.SerializerMethodField()
    created_by = serializers.CharField(
        source="by.username",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="The name of who made it; null once the account is gone.",
    )

    class Meta:
        model = Hook
        fields = [
            "id",
            "address",
            "url",
            "events",
            "is_on",
            "off_why",
            "off_at",
            "n_failures",
            "failing_since",
            "secret_changed_at",
            "created_at",
            "created_by",
        ]
        extra_kwargs = {
            "url": {"help_text": "Where it sends."},
            "off_why": {"help_text": "Why nothing is sent; empty while it is on."},
        }

    def get_address(self, hook: Hook) -> str:
        """Its address in this API."""
        return reverse("api:webhook", args=[hook.collection.slug, hook.pk])

    def get_is_on(self, hook: Hook) -> bool:
        """True if events are sent to it."""
        return hook.off_at is None


class NewHookAnswer(HookAnswer):
    """A webhook with the secret that it was just given."""

    secret = serializers.CharField(
        allow_null=True, help_text="Shown this once. Null where the answer is sent again."
    )

    class Meta(HookAnswer.Meta):
        fields = [*HookAnswer.Meta.fields, "secret"]


class HookRequest(StrictSerializer):
    """A webhook to make."""

    url = serializers.CharField(max_length=MAX_LENGTH)
    events = serializers.ListField(
        child=serializers.ChoiceField(EVENT_CHOICES), min_length=1, max_length=len(EVENT_CHOICES)
    )


class HookChangesRequest(StrictSerializer):
    """Changes of a webhook; what is left out stays as it is."""

    url = serializers.CharField(max_length=MAX_LENGTH, required=False)
    events = serializers.ListField(
        child=serializers.ChoiceField(EVENT_CHOICES),
        min_length=1,
        max_length=len(EVENT_CHOICES),
        required=False,
    )
    is_on = serializers.BooleanField(required=False)


class AttemptAnswer(serializers.Serializer):
    """An attempt to deliver."""

    at = serializers.CharField()
    ms = serializers.IntegerField(help_text="How long it took, in thousandths of a second.")
    status = serializers.IntegerField(allow_null=True, help_text="Null where no answer came.")
    answer = serializers.CharField(help_text="The first characters of the answer.")
    error = serializers.CharField(help_text="Why no answer came, else empty.")


class DeliveryAnswer(AnswerSerializer):
    """An event that was sent to a webhook, or is to be."""

    url = serializers.SerializerMethodField()
    attempts = AttemptAnswer(many=True, help_text="The newest 20, the oldest of them first.")
    data = serializers.DictField(help_text="What the event is about.")  # type: ignore[assignment]

    class Meta:
        model = Delivery
        fields = [
            "id",
            "url",
            "message_id",
            "event",
            "at",
            "data",
            "state",
            "n_attempts",
            "next_at",
            "ended_at",
            "attempts",
        ]
        extra_kwargs = {
            "message_id": {"help_text": "`webhook-id`, the same at each attempt."},
            "next_at": {"help_text": "When it is tried next; null once it has ended."},
        }

    def get_url(self, delivery: Delivery) -> str:
        """Its address in this API."""
        hook = delivery.hook
        return reverse("api:delivery", args=[hook.collection.slug, hook.pk, delivery.pk])


class HookEndpoint(Endpoint):
    """Scope and role of webhooks: who may make one may read all of it."""

    scope = ApiToken.Scope.COLLECTIONS_WRITE
    parser_classes = [JSONParser]
    shown_once = ("secret",)

    def collection(self, request: TokenRequest, slug: str) -> Collection:
        """A collection that the token's owner leads; else Http404."""
        return get_collection(request=request, slug=slug, roles=LEAD)

    def hook(self, request: TokenRequest, slug: str, pk: int) -> Hook:
        """A webhook of this collection; else Http404."""
        rows = self.collection(request, slug).hooks.select_related("collection", "by")
        return get_object_or_404(rows, pk=pk)

    def delivery(self, request: TokenRequest, slug: str, pk: int, delivery: int) -> Delivery:
        """A delivery of this webhook of this collection; else Http404."""
        rows = self.hook(request, slug, pk).deliveries.select_related("hook__collection")
        return get_object_or_404(rows, pk=delivery)


class WebhooksView(HookEndpoint):
    """collections/<slug>/webhooks/"""

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses={200: page_answer(name="webhooks", row=HookAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of the webhooks, the oldest first."""
        collection = self.collection(request, slug)
        read_filters(request=request)
        return page_of(
            request=request,
            rows=collection.hooks.select_related("collection"),
            ordering=("pk",),
            name="webhooks",
            as_json=HookAnswer().to_representation,
        )

    @extend_schema(request=HookRequest, responses={201: NewHookAnswer})
    @repeatable
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Make a webhook: 201 with its secret, which is shown this once."""
        collection = self.collection(request, slug)
        fields = validated(HookRequest(data=request.data))
        try:
            new_hook = hooks.create_hook(collection=collection, by=request.user, **fields)
        except hooks.HookRefused as error:
            raise field_refusal("url", error) from error
        facts = new_hook_json(new_hook)
        return Response(facts, status=201, headers={"Location": facts["address"]})


class WebhookView(HookEndpoint):
    """collections/<slug>/webhooks/<id>/"""

    @extend_schema(responses={200: HookAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """One webhook."""
        return Response(HookAnswer(self.hook(request, slug, pk)).data)

    @extend_schema(request=HookChangesRequest, responses={200: HookAnswer})
    def patch(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Change its address or its events, or switch it off or on."""
        hook = self.hook(request, slug, pk)
        changes = validated(HookChangesRequest(data=request.data))
        is_on = changes.pop("is_on", None)
        try:
            hooks.change_hook(hook=hook, **changes)
        except hooks.HookRefused as error:
            raise field_refusal("url", error) from error
        if is_on is not None:
            hooks.switch(hook=hook, is_on=is_on)
        return Response(HookAnswer(self.hook(request, slug, pk)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Forget the webhook and its log: 204."""
        hooks.delete_hook(hook=self.hook(request, slug, pk))
        return Response(status=204)


class WebhookSecretView(HookEndpoint):
    """POST collections/<slug>/webhooks/<id>/secret/"""

    @extend_schema(request=None, responses={200: NewHookAnswer})
    @repeatable
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Give it another secret, shown this once; for a day the earlier ones sign too."""
        hook = self.hook(request, slug, pk)
        return Response(new_hook_json(hooks.rotate_secret(hook=hook)))


class WebhookTestView(HookEndpoint):
    """POST collections/<slug>/webhooks/<id>/test/"""

    @extend_schema(request=None, responses={202: DeliveryAnswer})
    @repeatable
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Send a test: 202 with its delivery."""
        hook = self.hook(request, slug, pk)
        try:
            delivery = hooks.send_test(hook=hook)
        except hooks.HookRefused as error:
            raise Unprocessable(str(error)) from error
        return accepted(self.delivery(request, slug, pk, delivery.pk))


class DeliveryFilters(Filters):
    """Filters of the log."""

    state = ListedChoiceField(Delivery.State.values)
    event = ListedChoiceField(HookEvent.values)


class DeliveriesView(HookEndpoint):
    """GET collections/<slug>/webhooks/<id>/deliveries/?state=&event="""

    @extend_schema(
        parameters=[DeliveryFilters, *PAGE_PARAMETERS],
        responses={200: page_answer(name="deliveries", row=DeliveryAnswer)},
    )
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """A page of what was sent to it, or is to be, the newest first."""
        hook = self.hook(request, slug, pk)
        filters = read_filters(request=request, form=DeliveryFilters)
        return page_of(
            request=request,
            rows=hook.deliveries.filter(**filters).select_related("hook__collection"),
            ordering=("-pk",),
            name="deliveries",
            as_json=DeliveryAnswer().to_representation,
        )


class DeliveryView(HookEndpoint):
    """GET collections/<slug>/webhooks/<id>/deliveries/<id>/"""

    @extend_schema(responses={200: DeliveryAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int, delivery: int) -> Response:
        """One delivery with its attempts."""
        row = self.delivery(request, slug, pk, delivery)
        return Response(DeliveryAnswer().to_representation(row))


class DeliveryAgainView(HookEndpoint):
    """POST collections/<slug>/webhooks/<id>/deliveries/<id>/again/"""

    @extend_schema(request=None, responses={202: DeliveryAnswer})
    @repeatable
    def post(self, request: TokenRequest, slug: str, pk: int, delivery: int) -> Response:
        """Send it again, under the same `webhook-id`: 202."""
        row = self.delivery(request, slug, pk, delivery)
        try:
            deliveries.send_again(delivery=row)
        except hooks.HookRefused as error:
            raise Unprocessable(str(error)) from error
        return accepted(self.delivery(request, slug, pk, delivery))


def new_hook_json(new_hook: hooks.NewHook) -> dict[str, Any]:
    """A webhook with the secret that it was just given."""
    return HookAnswer(new_hook.hook).data | {"secret": new_hook.secret}


def accepted(delivery: Delivery) -> Response:
    """The answer about a delivery that a worker sends."""
    facts = DeliveryAnswer().to_representation(delivery)
    return Response(facts, status=202, headers={"Location": facts["url"]})


urlpatterns = [
    path(LIST, WebhooksView.as_view(), name="webhooks"),
    path(f"{LIST}<int:pk>/", WebhookView.as_view(), name="webhook"),
    path(f"{LIST}<int:pk>/secret/", WebhookSecretView.as_view(), name="webhook-secret"),
    path(f"{LIST}<int:pk>/test/", WebhookTestView.as_view(), name="webhook-test"),
    path(LOG, DeliveriesView.as_view(), name="deliveries"),
    path(f"{LOG}<int:delivery>/", DeliveryView.as_view(), name="delivery"),
    path(f"{LOG}<int:delivery>/again/", DeliveryAgainView.as_view(), name="delivery-again"),
]
