"""API of runs: upload one, read its report, describe, hide, publish, release, retire it."""

from django.urls import path
from rest_framework import serializers
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.response import Response

from annotate.api import TokenRequest, Unprocessable, get_collection, invalid_form
from annotate.api.endpoints import Endpoint
from annotate.api.fields import StrictSerializer, validated
from annotate.api.imports import ImportSerializer
from annotate.models import ApiToken, Role
from annotate.services.collection.purging import NotOwner
from annotate.task_queue import enqueue_on_commit
from pooling import access, tasks
from pooling.core.files.papers import paper_address
from pooling.forms.runs import MAX_NAME, MAX_TAG, MAX_TAGS, RunForm
from pooling.models import Run
from pooling.services.pools import run_changes, run_retirement
from pooling.services.runs import deletion as run_deletion
from pooling.services.runs import descriptions as run_descriptions
from pooling.services.runs import documents as run_documents
from pooling.services.runs import holds as run_holds
from pooling.services.runs import publication as run_publication
from pooling.services.runs import runs

REFUSALS = (
    run_descriptions.RunInUse,
    run_descriptions.NotUploader,
    run_publication.MayNotAllow,
    run_retirement.WrongRunState,
    runs.RunExists,
    runs.BadName,
    run_holds.NotOnHold,
)


class RunSerializer(serializers.ModelSerializer):
    """A run as programs see it."""

    class Meta:
        model = Run
        fields = [
            "id",
            "name",
            "direction",
            "system",
            "team",
            "paper",
            "tags",
            "description",
            "is_hidden",
            "may_be_published",
            "retired_at",
            "state",
            "on_hold_since",
            "score_type",
            "columns",
            "sha256",
            "unknown_share",
            "doubts_text",
            "report",
        ]
        read_only_fields = fields


class ChangeSerializer(StrictSerializer):
    """Properties of a run that can be changed; those left out stay as they are."""

    name = serializers.CharField(max_length=MAX_NAME)
    system = serializers.CharField(max_length=80, allow_blank=True)
    team = serializers.CharField(max_length=80, allow_blank=True)
    paper = serializers.CharField(max_length=300, allow_blank=True)
    tags = serializers.ListField(
        child=serializers.CharField(max_length=MAX_TAG), max_length=MAX_TAGS
    )
    description = serializers.CharField(max_length=2000, allow_blank=True)
    is_hidden = serializers.BooleanField()
    may_be_published = serializers.BooleanField()
    is_retired = serializers.BooleanField()
    is_on_hold = serializers.BooleanField()
    score_type = serializers.ChoiceField(choices=Run.ScoreType.choices)

    def validate_paper(self, text: str) -> str:
        """The paper's address."""
        try:
            return paper_address(text)
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from error

    def validate_is_on_hold(self, value: bool) -> bool:
        """Only the number of its unknown rows puts a run on hold."""
        if value:
            raise serializers.ValidationError(
                "A run on hold can be used; it cannot be put on hold."
            )
        return value


class RunsView(Endpoint):
    """The runs of a collection, for its researchers."""

    scope = ApiToken.Scope.RUNS_READ
    write_scope = ApiToken.Scope.RUNS_WRITE
    parser_classes = [MultiPartParser]
    takes_files = True

    def get(self, request: TokenRequest, slug: str) -> Response:
        """All runs with their states and reports."""
        collection = get_collection(request=request, slug=slug, roles=(Role.RESEARCHER,))
        runs = Run.objects.visible_to(request.user).filter(collection=collection).order_by("pk")
        return Response({"runs": RunSerializer(runs, many=True).data})

    def post(self, request: TokenRequest, slug: str) -> Response:
        """Receive a run file: 201 with the run, which is then read in the background.

        200 if it is here already.
        """
        collection = get_collection(request=request, slug=slug, roles=(Role.RESEARCHER,))
        form = RunForm(request.POST, request.FILES)
        if not form.is_valid():
            raise invalid_form(form)
        fields = dict(form.cleaned_data)
        try:
            received_run = runs.receive_run(
                collection=collection, upload=fields.pop("file"), by=request.user, **fields
            )
        except (runs.RunExists, runs.BadName) as error:
            raise Unprocessable(
                str(error), errors=[{"field": "name", "message": str(error)}]
            ) from error
        return Response(
            RunSerializer(received_run.run).data, status=201 if received_run.is_new else 200
        )


class OneRunView(Endpoint):
    """One run, for the researchers who may know of it."""

    scope = ApiToken.Scope.RUNS_READ
    write_scope = ApiToken.Scope.RUNS_WRITE
    parser_classes = [JSONParser]

    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """The run with its report."""
        return Response(RunSerializer(self._run(request, slug, pk)).data)

    def patch(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Change the given fields, all of them or, with a 422, none."""
        run = self._run(request, slug, pk)
        fields = validated(ChangeSerializer(data=request.data, partial=True))
        names = ("is_hidden", "may_be_published", "is_retired", "is_on_hold", "score_type")
        states = {name: fields.pop(name) for name in names if name in fields}
        description = run_descriptions.description_of(run)._replace(**fields) if fields else None
        try:
            run_changes.change_run(
                run=run,
                changes=run_changes.RunChanges(description=description, **states),
                by=request.user,
            )
        except REFUSALS as error:
            raise Unprocessable(str(error)) from error
        if run.marks_due:
            enqueue_on_commit(tasks.settle_marks, run_id=run.pk)
        return Response(RunSerializer(run).data)

    def delete(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Delete the run, with 204.

        422 if a pool was made of it, it is being read, or others uploaded it.
        """
        try:
            run_deletion.delete_run(run=self._run(request, slug, pk), by=request.user)
        except (run_deletion.RunUndeletable, run_deletion.MayNotDelete, NotOwner) as error:
            raise Unprocessable(str(error)) from error
        return Response(status=204)

    def _run(self, request: TokenRequest, slug: str, pk: int) -> Run:
        get_collection(request=request, slug=slug, roles=(Role.RESEARCHER,))
        return access.get_run(user=request.user, slug=slug, pk=pk, roles=(Role.RESEARCHER,))


class RunDocumentsView(Endpoint):
    """The documents that a run names and its collection lacks, for researchers who see the run."""

    scope = "files:write"

    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Make the documents, with ids alone: 201 with the import that does it.

        422 if the collection lacks none.
        """
        get_collection(request=request, slug=slug, roles=(Role.RESEARCHER,))
        run = access.get_run(user=request.user, slug=slug, pk=pk, roles=(Role.RESEARCHER,))
        try:
            document_import = run_documents.make_documents(run=run, by=request.user)
        except run_documents.NoUnknownDocuments as error:
            raise Unprocessable(str(error)) from error
        return Response(ImportSerializer(document_import).data, status=201)


urlpatterns = [
    path("collections/<slug:slug>/runs/", RunsView.as_view(), name="runs"),
    path("collections/<slug:slug>/runs/<int:pk>/", OneRunView.as_view(), name="run"),
    path(
        "collections/<slug:slug>/runs/<int:pk>/documents/",
        RunDocumentsView.as_view(),
        name="run-documents",
    ),
]
