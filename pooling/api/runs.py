"""API of runs: upload one, read its report, describe, hide, publish, release, retire it."""

from collections.abc import Collection as Container
from collections.abc import Mapping
from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.response import Response

from annotate.access import LEADERS
from annotate.api import TokenRequest, Unprocessable, get_collection, invalid_form
from annotate.api.endpoints import Endpoint
from annotate.api.fields import refuse_unknown_fields, validated
from annotate.api.filters import read_filters
from annotate.api.imports import ImportAnswer
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.models import ApiToken, Role
from annotate.services.storage.collection_rows import NotOwner
from annotate.task_queue import enqueue_on_commit
from pooling import access, tasks
from pooling.api.run_fields import (
    RunAnswer,
    RunChangesRequest,
    RunFilters,
    RunUploadRequest,
    WholeRunAnswer,
)
from pooling.forms.runs import RunForm
from pooling.models import Run, RunRows
from pooling.services.pools import run_changes, run_retirement
from pooling.services.runs import deletion as run_deletion
from pooling.services.runs import descriptions as run_descriptions
from pooling.services.runs import documents as run_documents
from pooling.services.runs import holds as run_holds
from pooling.services.runs import publication as run_publication
from pooling.services.runs import runs

RESEARCHER = (Role.RESEARCHER,)
REFUSALS = (
    run_descriptions.RunInUse,
    run_descriptions.NotUploader,
    run_publication.MayNotAllow,
    run_retirement.WrongRunState,
    runs.RunExists,
    runs.BadName,
    run_holds.NotOnHold,
)


def requested_run(*, request: TokenRequest, slug: str, pk: int, roles: Container[Role]) -> Run:
    """A run that the token's owner may see and holds a role for; else Http404."""
    get_collection(request=request, slug=slug, roles=roles)
    return access.get_run(user=request.user, slug=slug, pk=pk, roles=roles)


class RunsView(Endpoint):
    """The runs of a collection."""

    scope = ApiToken.Scope.RUNS_READ
    write_scope = ApiToken.Scope.RUNS_WRITE
    parser_classes = [MultiPartParser]
    takes_files = True

    @extend_schema(
        parameters=[RunFilters, *PAGE_PARAMETERS],
        responses={200: page_answer(name="runs", row=RunAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of the runs that the token's owner may see, for leads and researchers."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        filters = read_filters(request=request, form=RunFilters)
        rows = Run.objects.visible_to(request.user).filter(collection=collection)
        return page_of(
            request=request,
            rows=matching_runs(rows, filters).select_related("collection", "uploaded_by", "work"),
            ordering=("pk",),
            name="runs",
            as_json=RunAnswer().to_representation,
        )

    @extend_schema(
        request={"multipart/form-data": RunUploadRequest},
        responses={200: RunAnswer, 201: RunAnswer},
    )
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Receive a run file, for researchers: 201 with the run, which is then read by a worker.

        200 if it is here already: the same file with the same name may be sent again.
        """
        collection = get_collection(request=request, slug=slug, roles=RESEARCHER)
        form = RunForm(request.POST, request.FILES)
        refuse_unknown_fields(data=request.data, fields=form.fields)
        if not form.is_valid():
            raise invalid_form(form)
        fields = dict(form.cleaned_data)
        upload = fields.pop("file")
        try:
            received_run = runs.receive_run(
                collection=collection, upload=upload, by=request.user, **fields
            )
        except (runs.RunExists, runs.BadName) as error:
            fault = {"field": "name", "message": str(error)}
            raise Unprocessable(str(error), errors=[fault]) from error
        facts = RunAnswer(received_run.run).data
        status = 201 if received_run.is_new else 200
        return Response(facts, status=status, headers={"Location": facts["url"]})


def matching_runs(rows: RunRows, filters: Mapping[str, Any]) -> RunRows:
    """The runs that fit filters."""
    names = {"state": "state", "direction": "direction", "name": "name", "is_hidden": "is_hidden"}
    rows = rows.filter(**{names[name]: value for name, value in filters.items() if name in names})
    if "tag" in filters:
        rows = rows.filter(tags__contains=[filters["tag"]])
    if "is_retired" in filters:
        rows = rows.filter(retired_at__isnull=not filters["is_retired"])
    if "is_on_hold" in filters:
        rows = rows.filter(on_hold_since__isnull=not filters["is_on_hold"])
    return rows


class OneRunView(Endpoint):
    """One run, for those who may know of it."""

    scope = ApiToken.Scope.RUNS_READ
    write_scope = ApiToken.Scope.RUNS_WRITE
    parser_classes = [JSONParser]

    @extend_schema(responses={200: WholeRunAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """The run with its report, for leads and researchers."""
        run = requested_run(request=request, slug=slug, pk=pk, roles=LEADERS)
        return Response(WholeRunAnswer(run).data)

    @extend_schema(request=RunChangesRequest(partial=True), responses={200: WholeRunAnswer})
    def patch(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Change the given fields, all of them or, with a 422, none; for researchers."""
        run = requested_run(request=request, slug=slug, pk=pk, roles=RESEARCHER)
        fields = validated(RunChangesRequest(data=request.data, partial=True))
        names = ("is_hidden", "may_be_published", "is_retired", "is_on_hold", "score_type")
        states = {name: fields.pop(name) for name in names if name in fields}
        try:
            run_changes.change_run(
                run=run,
                changes=run_changes.RunChanges(description=fields or None, **states),
                by=request.user,
            )
        except REFUSALS as error:
            raise Unprocessable(str(error)) from error
        if run.marks_due:
            enqueue_on_commit(tasks.settle_marks, run_id=run.pk)
        return Response(WholeRunAnswer(run).data)

    @extend_schema(responses={204: None})
    def delete(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Delete the run, with 204.

        422 if a pool was made of it, it is being read, or others uploaded it.
        """
        run = requested_run(request=request, slug=slug, pk=pk, roles=RESEARCHER)
        try:
            run_deletion.delete_run(run=run, by=request.user)
        except (run_deletion.RunUndeletable, run_deletion.MayNotDelete, NotOwner) as error:
            raise Unprocessable(str(error)) from error
        return Response(status=204)


class RunDocumentsView(Endpoint):
    """The documents that a run names and its collection lacks, for researchers who see the run."""

    scope = ApiToken.Scope.FILES_WRITE

    @extend_schema(request=None, responses={201: ImportAnswer})
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Make the documents, with ids alone: 201 with the import that does it.

        422 if the collection lacks none.
        """
        run = requested_run(request=request, slug=slug, pk=pk, roles=RESEARCHER)
        try:
            document_import = run_documents.make_documents(run=run, by=request.user)
        except run_documents.NoUnknownDocuments as error:
            raise Unprocessable(str(error)) from error
        return Response(ImportAnswer(document_import).data, status=201)


urlpatterns = [
    path("collections/<slug:slug>/runs/", RunsView.as_view(), name="runs"),
    path("collections/<slug:slug>/runs/<int:pk>/", OneRunView.as_view(), name="run"),
    path(
        "collections/<slug:slug>/runs/<int:pk>/documents/",
        RunDocumentsView.as_view(),
        name="run-documents",
    ),
]
