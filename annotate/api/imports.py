"""Imports for programs: send items, labels or judgments, read their progress and faults, cancel."""

from django.http import QueryDict
from django.urls import path
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from annotate import access
from annotate.api import TokenRequest, Unprocessable, get_collection, invalid_form
from annotate.api.endpoints import Endpoint
from annotate.api.jobs import progress_json
from annotate.core.files.formats import FormatError
from annotate.models import Import, Role, Work
from annotate.services.background import works
from annotate.services.imports import imports
from annotate.services.imports.forms import IMPORT_FORMS

RESEARCHERS = (Role.RESEARCHER,)
MAX_LISTED = 200
STATES = {
    Work.State.ASKED: "received",
    Work.State.RUNNING: "received",
    Work.State.DONE: "done",
    Work.State.FAILED: "rejected",
    Work.State.CANCELLED: "cancelled",
}


class ImportSerializer(serializers.ModelSerializer):
    """JSON of an import: `progress` while it is read, if known; `error` why it was rejected."""

    state = serializers.SerializerMethodField()
    error = serializers.CharField(source="work.error")
    progress = serializers.SerializerMethodField()
    parameters = serializers.SerializerMethodField()

    class Meta:
        model = Import
        fields = [
            "id",
            "kind",
            "file_name",
            "sha256",
            "parameters",
            "state",
            "error",
            "progress",
            "report",
        ]
        read_only_fields = fields

    def get_state(self, import_: Import) -> str:
        """Return one of STATES, or "stored" where labels are stored but pairs unresolved."""
        is_stored = import_.unresolved and not import_.reading.is_unfinished
        return "stored" if is_stored else STATES[Work.State(import_.reading.state)]

    def get_parameters(self, import_: Import) -> dict[str, object]:
        """Return the parameters of the reading; {} for documents of a run, which may be hidden."""
        return {} if import_.kind == Import.Kind.DOCUMENTS else import_.parameters

    def get_progress(self, import_: Import) -> dict[str, object] | None:
        """Return the progress; None where the import has ended, or no progress is known."""
        return progress_json(import_.reading)


class Imports(Endpoint):
    """The imports of a collection, for its researchers."""

    scope = "files:write"
    parser_classes = [MultiPartParser]
    takes_files = True

    def get(self, request: TokenRequest, slug: str) -> Response:
        """List the newest 200 imports, with their states and reports."""
        collection = get_collection(request=request, slug=slug, roles=RESEARCHERS)
        newest = collection.imports.select_related("work").order_by("-created_at", "-pk")[
            :MAX_LISTED
        ]
        return Response({"imports": ImportSerializer(newest, many=True).data})

    def post(self, request: TokenRequest, slug: str) -> Response:
        """Receive a file of `kind` items, reference, query_set or judgments, with its fields.

        201 with the import, which is then read in the background; 200 if this very file was
        received before.
        """
        collection = get_collection(request=request, slug=slug, roles=RESEARCHERS)
        fields = request.data if isinstance(request.data, QueryDict) else QueryDict()  # no body
        kind = fields.get("kind")
        if not isinstance(kind, str) or kind not in IMPORT_FORMS:
            raise Unprocessable(f"kind: one of {', '.join(IMPORT_FORMS)}.")
        import_form = IMPORT_FORMS[kind]
        form = import_form.form(fields, request.FILES)
        if not form.is_valid():
            raise invalid_form(form)
        upload, media = form.cleaned_data["file"], form.cleaned_data.get("media")
        try:
            received_import = imports.receive_import(
                collection=collection,
                import_request=import_form.to_request(form),
                upload=upload,
                media=media,
                by=request.user,
            )
        except FormatError as error:
            field = error.field or "file"
            raise Unprocessable(
                str(error), errors=[{"field": field, "message": str(error)}]
            ) from error
        return Response(
            ImportSerializer(received_import.import_).data,
            status=201 if received_import.is_new else 200,
        )


class OneImport(Endpoint):
    """One import, for the collection's researchers."""

    scope = "files:write"

    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Return its state, its progress, its report."""
        get_collection(request=request, slug=slug, roles=RESEARCHERS)
        import_ = access.get_import(user=request.user, slug=slug, pk=pk, roles=RESEARCHERS)
        return Response(ImportSerializer(import_).data)


class ImportCancel(Endpoint):
    """Stop an import, for the collection's researchers."""

    scope = "files:write"

    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Cancel it; a finished one stays as it is.

        Answers with its state, `received` until the worker has stopped.
        """
        get_collection(request=request, slug=slug, roles=RESEARCHERS)
        import_ = access.get_import(user=request.user, slug=slug, pk=pk, roles=RESEARCHERS)
        works.cancel(work=import_.reading, by=request.user)
        return Response(ImportSerializer(import_).data)


urlpatterns = [
    path("collections/<slug:slug>/imports/", Imports.as_view(), name="imports"),
    path("collections/<slug:slug>/imports/<int:pk>/", OneImport.as_view(), name="import"),
    path(
        "collections/<slug:slug>/imports/<int:pk>/cancel/",
        ImportCancel.as_view(),
        name="import-cancel",
    ),
]
