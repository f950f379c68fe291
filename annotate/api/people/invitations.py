"""API of invitations: the open ones, making one, revoking one.

The link of an invitation lets its bearer in, and of it only a hash is kept. A receipt under an
`Idempotency-Key` would keep it readable for a day, in backups for longer: so it stands in the first
answer alone. Whoever lost that answer revokes the invitation and makes another one.
"""

from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate import tasks
from annotate.api import TokenRequest, Unprocessable, get_collection, invalid_form
from annotate.api.endpoints import Endpoint, repeatable
from annotate.api.fields import AnswerSerializer, StrictSerializer, validated
from annotate.api.filters import read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.forms.people import MAX_DAYS, InviteForm
from annotate.models import ApiToken, Collection, Invitation, Role
from annotate.services.people import accounts
from annotate.services.people.invitation_mail import MailState, delivery_of
from annotate.task_queue import enqueue_on_commit

LEAD = (Role.LEAD,)
LIST = "collections/<slug:slug>/invitations/"


class InvitationAnswer(AnswerSerializer):
    """An invitation that can still be used."""

    url = serializers.SerializerMethodField()
    delivery = serializers.SerializerMethodField()

    class Meta:
        model = Invitation
        fields = [
            "id",
            "url",
            "role",
            "email",
            "created_at",
            "expires_at",
            "by_mail",
            "delivery",
            "mail_attempts",
            "mailed_at",
        ]
        extra_kwargs = {
            "email": {"help_text": "Empty where none was given."},
            "mail_attempts": {"help_text": "How often the mail was tried."},
            "mailed_at": {"help_text": "Null while no mail was sent."},
        }

    def get_url(self, invitation: Invitation) -> str:
        """The address of the invitation."""
        return reverse("api:invitation", args=[invitation.collection.slug, invitation.pk])

    @extend_schema_field(serializers.ChoiceField(choices=MailState.choices))
    def get_delivery(self, invitation: Invitation) -> str:
        """The state of its mail; for `not_sent`, revoke it and make a link instead."""
        return str(delivery_of(invitation))


class NewInvitationAnswer(InvitationAnswer):
    """An invitation that was made just now, with its link."""

    link = serializers.URLField(
        allow_null=True,
        help_text="Serves one person; shown this once. Null where it goes out by mail, and where "
        "the answer is sent again.",
    )

    class Meta(InvitationAnswer.Meta):
        fields = [*InvitationAnswer.Meta.fields, "link"]


class InvitationRequest(StrictSerializer):
    """An invitation to make."""

    role = serializers.ChoiceField(choices=Role.choices)
    email = serializers.EmailField(max_length=254, default="", allow_blank=True)
    days = serializers.IntegerField(
        min_value=1, max_value=MAX_DAYS, default=14, help_text="How long the link works."
    )
    by_mail = serializers.BooleanField(
        default=False, help_text="Send the link to `email`, and show it to nobody else."
    )


class InvitationsView(Endpoint):
    """collections/<slug>/invitations/"""

    scope = ApiToken.Scope.MEMBERS_WRITE
    parser_classes = [JSONParser]
    shown_once = ("link",)

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses={200: page_answer(name="invitations", row=InvitationAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of the invitations that can still be used, the oldest first."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        read_filters(request=request)
        return page_of(
            request=request,
            rows=collection.invitations.usable().select_related("collection"),
            ordering=("pk",),
            name="invitations",
            as_json=InvitationAnswer().to_representation,
        )

    @extend_schema(request=InvitationRequest, responses={201: NewInvitationAnswer})
    @repeatable
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Make an invitation: 201 with its link, which is shown this once, or by mail without."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        form = InviteForm(validated(InvitationRequest(data=request.data)))
        if form.data["by_mail"] and "by_mail" not in form.fields:
            sentence = "This site has no mail server (EMAIL_HOST), so send the link yourself."
            raise Unprocessable(sentence, errors=[{"field": "by_mail", "message": sentence}])
        if not form.is_valid():
            raise invalid_form(form)
        facts = self.invite(request, collection, form.cleaned_data)
        return Response(facts, status=201, headers={"Location": facts["url"]})

    def invite(
        self, request: TokenRequest, collection: Collection, fields: dict[str, Any]
    ) -> dict[str, Any]:
        """Make an invitation; where it goes out by mail, a worker makes the link that works."""
        invitation, token = accounts.invite(collection=collection, by=request.user, **fields)
        facts = dict(InvitationAnswer(invitation).data)
        if invitation.by_mail:
            enqueue_on_commit(tasks.mail_invitation, invitation_id=invitation.pk)
            return facts | {"link": None}
        address = reverse("annotate:invitation", args=[token])
        return facts | {"link": request.build_absolute_uri(address)}


class InvitationView(Endpoint):
    """collections/<slug>/invitations/<id>/, of one that can still be used."""

    scope = ApiToken.Scope.MEMBERS_WRITE
    parser_classes = [JSONParser]

    def invitation(self, request: TokenRequest, slug: str, pk: int) -> Invitation:
        """An open invitation, for leads; else Http404."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        rows = collection.invitations.usable().select_related("collection")
        return get_object_or_404(rows, pk=pk)

    @extend_schema(responses={200: InvitationAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """One open invitation, without its link."""
        return Response(InvitationAnswer(self.invitation(request, slug, pk)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Make the link worthless: 204."""
        accounts.revoke_invitation(invitation=self.invitation(request, slug, pk))
        return Response(status=204)


urlpatterns = [
    path(LIST, InvitationsView.as_view(), name="invitations"),
    path(f"{LIST}<int:pk>/", InvitationView.as_view(), name="invitation"),
]
