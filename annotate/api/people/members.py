"""API of members: who holds a role in a collection, and taking a role away."""

from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.fields import AnswerSerializer, MomentField
from annotate.api.filters import Filters, ListedChoiceField, read_filters
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.models import Annotator, ApiToken, Membership, Role
from annotate.services.people import accounts
from annotate.services.people.members import annotator_of, members_of

LEAD = (Role.LEAD,)


class AnnotatorAnswer(AnswerSerializer):
    """An annotator of a collection."""

    url = serializers.SerializerMethodField()

    class Meta:
        model = Annotator
        fields = ["id", "url", "pseudonym", "origin", "paused_at"]
        extra_kwargs = {
            "pseudonym": {"help_text": "The name in the data, fixed in this collection."},
            "origin": {"help_text": "Where the judgments come from."},
            "paused_at": {"help_text": "Null for one who gets pairs."},
        }

    def get_url(self, annotator: Annotator) -> str:
        """The address of the annotator."""
        return reverse("api:annotator", args=[annotator.collection.slug, annotator.pk])


class MemberAnswer(AnswerSerializer):
    """A role that a person holds in a collection; who holds several is there with each."""

    url = serializers.SerializerMethodField()
    username = serializers.CharField(source="user.username")
    email = serializers.CharField(source="user.email", help_text="Empty where none is stored.")
    joined_at = MomentField(source="created_at")
    annotator = serializers.SerializerMethodField()

    class Meta:
        model = Membership
        fields = ["id", "url", "username", "email", "role", "joined_at", "annotator"]

    def get_url(self, membership: Membership) -> str:
        """The address of the role."""
        return reverse("api:member", args=[membership.collection.slug, membership.pk])

    @extend_schema_field(AnnotatorAnswer(allow_null=True))
    def get_annotator(self, membership: Membership) -> dict[str, object] | None:
        """The annotator that she judges as; null for a role that does not judge."""
        annotator = annotator_of(membership)
        return None if annotator is None else AnnotatorAnswer(annotator).data


class MemberFilters(Filters):
    """Filters of the list of members."""

    role = ListedChoiceField(Role.values)


class MembersView(Endpoint):
    """GET collections/<slug>/members/?role="""

    scope = ApiToken.Scope.MEMBERS_WRITE

    @extend_schema(
        parameters=[MemberFilters, *PAGE_PARAMETERS],
        responses={200: page_answer(name="members", row=MemberAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of the roles that people hold, as they joined; those of one role with `role`."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        filters = read_filters(request=request, form=MemberFilters)
        return page_of(
            request=request,
            rows=members_of(collection=collection).filter(**filters),
            ordering=("pk",),
            name="members",
            as_json=MemberAnswer().to_representation,
        )


class MemberView(Endpoint):
    """collections/<slug>/members/<id>/"""

    scope = ApiToken.Scope.MEMBERS_WRITE
    parser_classes = [JSONParser]

    def membership(self, request: TokenRequest, slug: str, pk: int) -> Membership:
        """A role that somebody holds, for leads; else Http404."""
        collection = get_collection(request=request, slug=slug, roles=LEAD)
        return get_object_or_404(members_of(collection=collection), pk=pk)

    @extend_schema(responses={200: MemberAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """One role that a person holds."""
        return Response(MemberAnswer(self.membership(request, slug, pk)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Take the role away: 204; what was judged stays. 422 for the only lead."""
        try:
            accounts.leave(membership=self.membership(request, slug, pk))
        except accounts.LastLead as error:
            raise Unprocessable(str(error)) from error
        return Response(status=204)


urlpatterns = [
    path("collections/<slug:slug>/members/", MembersView.as_view(), name="members"),
    path("collections/<slug:slug>/members/<int:pk>/", MemberView.as_view(), name="member"),
]
