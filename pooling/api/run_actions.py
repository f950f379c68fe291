"""API of runs: cancel a reading, read again, what a run adds, and the limit of unknown rows."""

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import Endpoint, repeatable
from annotate.api.fields import StrictSerializer, validated
from annotate.api.parameters import page_parameters
from annotate.models import ApiToken
from pooling.api.costs import COUNTING, CostAnswer, counting, preview_of
from pooling.api.run_fields import NamedAnswer, WholeRunAnswer
from pooling.api.runs import RESEARCHER, requested_run
from pooling.models import Run
from pooling.sentences import AdditionSentences
from pooling.services.pools import preview_requests
from pooling.services.pools.previews import PoolPreview
from pooling.services.runs import descriptions as run_descriptions
from pooling.services.runs import holds as run_holds
from pooling.services.runs import readings


class AdditionAnswer(CostAnswer):
    """The pairs that a run adds, and their cost."""

    depth = serializers.IntegerField(default=preview_requests.ADDS_DEPTH)
    sentence = serializers.SerializerMethodField(help_text="The pairs and hours in words.")

    def get_sentence(self, preview: PoolPreview) -> str:
        """The pairs and hours as the page says them."""
        return AdditionSentences(self.context["run"], preview).pairs


class ReadingRequest(StrictSerializer):
    """The order in which a file is to be read again."""

    score_type = serializers.ChoiceField(
        choices=Run.ScoreType.choices, required=False, help_text="As before without it."
    )


class LimitAnswer(serializers.Serializer):
    """The share of unknown rows above which a run is put on hold."""

    unknown_limit = serializers.FloatField(help_text="From 0 to 1.")


class LimitChangeAnswer(LimitAnswer):
    """A new limit, and the runs that it releases."""

    released_runs = NamedAnswer(many=True, help_text="Those that are in use from now on.")


class LimitRequest(StrictSerializer):
    """The share of unknown rows above which a run is put on hold."""

    unknown_limit = serializers.FloatField(min_value=0, max_value=1, help_text="From 0 to 1.")


class RunCancelView(Endpoint):
    """POST collections/<slug>/runs/<pk>/cancel/"""

    scope = ApiToken.Scope.RUNS_WRITE

    @extend_schema(request=None, responses={200: WholeRunAnswer})
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Stop the reading of a file, for researchers; `received` until the worker has stopped.

        422 if it was read before.
        """
        run = requested_run(request=request, slug=slug, pk=pk, roles=RESEARCHER)
        try:
            readings.cancel_reading(run=run, by=request.user)
        except readings.NotBeingRead as error:
            raise Unprocessable(str(error)) from error
        return Response(WholeRunAnswer(run).data)


class RunReadingView(Endpoint):
    """POST collections/<slug>/runs/<pk>/read-again/"""

    scope = ApiToken.Scope.RUNS_WRITE
    parser_classes = [JSONParser]

    @extend_schema(request=ReadingRequest, responses={202: WholeRunAnswer})
    @repeatable
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Have the kept file read again, for researchers: 202 with the run and its job.

        422 if a pool was made of it, or it is being read again.
        """
        run = requested_run(request=request, slug=slug, pk=pk, roles=RESEARCHER)
        fields = validated(ReadingRequest(data=request.data))
        score_type = fields.get("score_type", run.score_type)
        try:
            run_descriptions.reread_run(run=run, score_type=score_type, by=request.user)
        except run_descriptions.RunInUse as error:
            raise Unprocessable(str(error)) from error
        facts = WholeRunAnswer(run).data
        return Response(facts, status=202, headers={"Location": facts["url"]})


class RunAddsView(Endpoint):
    """GET collections/<slug>/runs/<pk>/adds/"""

    scope = ApiToken.Scope.RUNS_READ

    @extend_schema(responses={200: AdditionAnswer, 202: COUNTING})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """The pairs that the first results of a run add, and their cost; for researchers.

        202 while they are counted; 422 for a run that cannot be pooled.
        """
        page_parameters(request=request, names={})
        run = requested_run(request=request, slug=slug, pk=pk, roles=RESEARCHER)
        if (preview := preview_of(preview_requests.request_addition(run=run))) is None:
            return counting()
        return Response(AdditionAnswer(preview, context={"run": run}).data)


class RunLimitView(Endpoint):
    """The share of unknown rows above which runs are put on hold, for researchers."""

    scope = ApiToken.Scope.RUNS_READ
    write_scope = ApiToken.Scope.RUNS_WRITE
    parser_classes = [JSONParser]

    @extend_schema(responses={200: LimitAnswer})
    def get(self, request: TokenRequest, slug: str) -> Response:
        """The limit."""
        collection = get_collection(request=request, slug=slug, roles=RESEARCHER)
        return Response({"unknown_limit": collection.unknown_limit})

    @extend_schema(request=LimitRequest, responses={200: LimitChangeAnswer})
    def put(self, request: TokenRequest, slug: str) -> Response:
        """Set the limit: 200 with `released_runs`, those that are in use from now on."""
        collection = get_collection(request=request, slug=slug, roles=RESEARCHER)
        share = validated(LimitRequest(data=request.data))["unknown_limit"]
        try:
            released_runs = run_holds.set_limit(collection=collection, share=share, by=request.user)
        except run_holds.BadLimit as error:
            fault = {"field": "unknown_limit", "message": str(error)}
            raise Unprocessable(str(error), errors=[fault]) from error
        facts = {"unknown_limit": collection.unknown_limit, "released_runs": released_runs}
        return Response(LimitChangeAnswer(facts).data)


RUN = "collections/<slug:slug>/runs/<int:pk>/"
urlpatterns = [
    path("collections/<slug:slug>/runs/limit/", RunLimitView.as_view(), name="run-limit"),
    path(f"{RUN}cancel/", RunCancelView.as_view(), name="run-cancel"),
    path(f"{RUN}read-again/", RunReadingView.as_view(), name="run-read-again"),
    path(f"{RUN}adds/", RunAddsView.as_view(), name="run-adds"),
]
