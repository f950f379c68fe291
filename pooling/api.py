"""Runs for programs: upload one, and read what became of it."""

from django.urls import path
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate.api import Unprocessable, get_collection
from annotate.models import Role
from annotate.queue import enqueue_on_commit
from pooling import tasks
from pooling.forms import RunForm
from pooling.models import Run
from pooling.services import runs


class RunSerializer(serializers.ModelSerializer):
    """A run as programs see it."""

    class Meta:
        model = Run
        fields = ["id", "name", "direction", "system", "state", "score_type", "sha256", "report"]
        read_only_fields = fields


class Runs(APIView):
    """The runs of a collection, for its researchers."""

    scope = "runs:write"
    parser_classes = [MultiPartParser]

    def get(self, request: Request, slug: str) -> Response:
        """All runs with their states and reports."""
        collection = get_collection(request=request, slug=slug, roles=(Role.RESEARCHER,))
        runs = collection.runs.order_by("pk")
        return Response({"runs": RunSerializer(runs, many=True).data})

    def post(self, request: Request, slug: str) -> Response:
        """Receive a run file: 201 with the run, which is then read in the background; 200 if it is here already."""
        collection = get_collection(request=request, slug=slug, roles=(Role.RESEARCHER,))
        form = RunForm(request.data, request.FILES)
        if not form.is_valid():
            raise refused(form)
        given = dict(form.cleaned_data)
        try:
            received = runs.receive_run(collection=collection, upload=given.pop("file"), by=request.user, **given)
        except (runs.RunExists, runs.BadName) as error:
            raise Unprocessable(str(error), errors=[{"field": "name", "message": str(error)}]) from error
        if received.is_new:
            enqueue_on_commit(tasks.ingest_run, run_id=received.run.pk)
        return Response(RunSerializer(received.run).data, status=201 if received.is_new else 200)


def refused(form: RunForm) -> Unprocessable:
    """What is wrong with the fields, each by its name."""
    errors = [{"field": field, "message": message} for field, told in form.errors.items() for message in told]
    return Unprocessable("Some fields are wrong; see errors.", errors=errors)


urlpatterns = [path("collections/<slug:slug>/runs/", Runs.as_view(), name="runs")]
