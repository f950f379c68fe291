"""API of a person's own work in a collection: what her pages show her of it, and no more.

Nothing here tells which of her pairs are checks, what others answered, or where a pair came from.
"""

from django.http import Http404, HttpResponseBase, StreamingHttpResponse
from django.urls import path, reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from annotate import access
from annotate.api import TokenRequest, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.fields import MomentField
from annotate.api.judgments import LineRenderer
from annotate.api.parameters import page_parameters
from annotate.core.files.spreadsheet_cells import timestamp
from annotate.models import ApiToken, JudgmentEvent, Role
from annotate.services.pages.annotator_progress import progress
from annotate.services.people import own_data


class OwnBatchAnswer(serializers.Serializer):
    """The batch that an annotator has; golds and candidates are counted alike."""

    number = serializers.IntegerField()
    n = serializers.IntegerField(help_text="How many pairs it has.")
    n_done = serializers.IntegerField(help_text="How many of them are answered.")


class OwnWorkAnswer(serializers.Serializer):
    """An annotator's own figures, without undone answers."""

    collection = serializers.CharField(help_text="Its short name.")
    pseudonym = serializers.CharField(help_text="The person's name in the data.")
    paused_at = MomentField(allow_null=True, help_text="Null while the person gets pairs.")
    n_last_day = serializers.IntegerField(help_text="Answers of the last 24 hours.")
    n_total = serializers.IntegerField(help_text="Answers in all, without training.")
    batch = OwnBatchAnswer(allow_null=True, help_text="Null while there is none.")
    judgments_url = serializers.CharField()


class OwnEventAnswer(serializers.Serializer):
    """An event by which a judgment was undone, withdrawn or restored."""

    kind = serializers.ChoiceField(choices=JudgmentEvent.Kind.choices)
    at = MomentField()


class OwnJudgmentAnswer(serializers.Serializer):
    """A line of her judgments: the fields of the file of her own data."""

    judgment = serializers.IntegerField()
    query = serializers.CharField()
    document = serializers.CharField()
    grade = serializers.IntegerField()
    level = serializers.CharField()
    reasons = serializers.ListField(child=serializers.CharField())
    comment = serializers.CharField(help_text="Empty where there is none.")
    in_training = serializers.BooleanField()
    changes = serializers.IntegerField(
        allow_null=True, help_text="The judgment in whose place this one is; null for a first one."
    )
    restores = serializers.IntegerField(
        allow_null=True, help_text="The judgment that counts again in this one; null for most."
    )
    guidelines = serializers.IntegerField(allow_null=True, help_text="Their version.")
    shown_at = MomentField(allow_null=True)
    at = MomentField()
    active_ms = serializers.IntegerField(allow_null=True, help_text="Milliseconds.")
    played_ms = serializers.IntegerField(allow_null=True, help_text="Milliseconds.")
    n_replays = serializers.IntegerField(allow_null=True)
    n_changes_of_mind = serializers.IntegerField(allow_null=True)
    events = OwnEventAnswer(many=True)


class OwnWorkView(Endpoint):
    """GET collections/<slug>/own/"""

    scope = ApiToken.Scope.JUDGMENTS_READ

    @extend_schema(responses={200: OwnWorkAnswer})
    def get(self, request: TokenRequest, slug: str) -> Response:
        """The progress of the token's owner as an annotator: lately, in all, and in her batch."""
        get_collection(request=request, slug=slug, roles=(Role.ANNOTATOR,))
        annotator = access.get_annotator(user=request.user, slug=slug)
        page_parameters(request=request, names={})
        figures = progress(annotator=annotator)
        batch = {"number": figures["batch"], "n": figures["of"], "n_done": figures["done"]}
        return Response(
            {
                "collection": slug,
                "pseudonym": annotator.pseudonym,
                "paused_at": timestamp(annotator.paused_at),
                "n_last_day": figures["last_day"],
                "n_total": figures["total"],
                "batch": batch if figures["batch"] else None,
                "judgments_url": reverse("api:own-judgments", args=[slug]),
            }
        )


class OwnJudgmentsView(Endpoint):
    """GET collections/<slug>/own/judgments/"""

    scope = ApiToken.Scope.JUDGMENTS_READ
    renderer_classes = [LineRenderer, JSONRenderer]

    @extend_schema(responses={(200, LineRenderer.media_type): OwnJudgmentAnswer})
    def get(self, request: TokenRequest, slug: str) -> HttpResponseBase:
        """Every judgment of the token's owner, streamed as JSON lines; also after she left."""
        annotator = access.own_annotators(user=request.user, slug=slug).get()
        if request.auth.collection_id not in {None, annotator.collection_id}:
            raise Http404
        page_parameters(request=request, names={})
        lines = own_data.judgment_lines(annotator=annotator)
        headers = {"Content-Disposition": f'attachment; filename="{slug}-my-judgments.ndjson"'}
        return StreamingHttpResponse(lines, content_type=LineRenderer.media_type, headers=headers)


urlpatterns = [
    path("collections/<slug:slug>/own/", OwnWorkView.as_view(), name="own-work"),
    path(
        "collections/<slug:slug>/own/judgments/",
        OwnJudgmentsView.as_view(),
        name="own-judgments",
    ),
]
