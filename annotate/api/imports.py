"""Files for programs: bring items, labels or judgments, see how far they are and what was wrong with them, cancel."""

from django.urls import path
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate import access
from annotate.api import Unprocessable, get_collection, refused
from annotate.core.formats import FormatError
from annotate.models import Import, Role, Work
from annotate.services import imports
from annotate.services.background import progress, works
from annotate.services.import_forms import IMPORT_FORMS

RESEARCHERS = (Role.RESEARCHER,)
SHOWN = 200
STATES = {
    Work.State.ASKED: "received",
    Work.State.RUNNING: "received",
    Work.State.DONE: "done",
    Work.State.FAILED: "rejected",
    Work.State.CANCELLED: "cancelled",
}


class ImportSerializer(serializers.ModelSerializer):
    """An import as programs see it: `progress` while it is read, if anybody knows; `error` why it was rejected."""

    state = serializers.SerializerMethodField()
    error = serializers.CharField(source="work.error")
    progress = serializers.SerializerMethodField()
    parameters = serializers.SerializerMethodField()

    class Meta:
        model = Import
        fields = ["id", "kind", "file_name", "sha256", "parameters", "state", "error", "progress", "report"]
        read_only_fields = fields

    def get_state(self, made: Import) -> str:
        """What became of it: one of STATES, or "stored" where its labels are and not all pairs could be resolved."""
        is_stored = made.unresolved and not made.work.is_unfinished
        return "stored" if is_stored else STATES[Work.State(made.work.state)]

    def get_parameters(self, made: Import) -> dict[str, object]:
        """How the file was read; whose documents were made is not said: the run may be hidden."""
        return {} if made.kind == Import.Kind.DOCUMENTS else made.parameters

    def get_progress(self, made: Import) -> dict[str, object] | None:
        """How far it is; None where it has ended, or nobody has said."""
        known = progress.progress_of(job=works.job_of(made.work)) if made.work.is_unfinished else None
        return known._asdict() if known else None


class Imports(APIView):
    """The imports of a collection, for its researchers."""

    scope = "files:write"
    parser_classes = [MultiPartParser]
    takes_files = True

    def get(self, request: Request, slug: str) -> Response:
        """The newest 200, with their states and reports."""
        collection = get_collection(request=request, slug=slug, roles=RESEARCHERS)
        newest = collection.imports.select_related("work").order_by("-created_at", "-pk")[:SHOWN]
        return Response({"imports": ImportSerializer(newest, many=True).data})

    def post(self, request: Request, slug: str) -> Response:
        """Receive a file of `kind` items, reference, query_set or judgments, with the fields of that kind's form.

        201 with the import, which is then read in the background; 200 if this very file is here already.
        """
        collection = get_collection(request=request, slug=slug, roles=RESEARCHERS)
        kind = request.data.get("kind")
        if kind not in IMPORT_FORMS:
            raise Unprocessable(f"kind: one of {', '.join(IMPORT_FORMS)}.")
        of_kind = IMPORT_FORMS[kind]
        form = of_kind.form(request.data, request.FILES)
        if not form.is_valid():
            raise refused(form)
        upload, media = form.cleaned_data["file"], form.cleaned_data.get("media")
        try:
            received = imports.receive(
                collection=collection, asked=of_kind.asked(form), upload=upload, media=media, by=request.user
            )
        except FormatError as error:
            field = error.field or "file"
            raise Unprocessable(str(error), errors=[{"field": field, "message": str(error)}]) from error
        return Response(ImportSerializer(received.made).data, status=201 if received.is_new else 200)


class OneImport(APIView):
    """One import, for the collection's researchers."""

    scope = "files:write"

    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Its state, its progress, its report."""
        get_collection(request=request, slug=slug, roles=RESEARCHERS)
        made = access.get_import(user=request.user, slug=slug, pk=pk, roles=RESEARCHERS)
        return Response(ImportSerializer(made).data)


class ImportCancel(APIView):
    """Stop an import, for the collection's researchers."""

    scope = "files:write"

    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Cancel it; a finished one stays as it is. Answers with its state, `received` until the worker has stopped."""
        get_collection(request=request, slug=slug, roles=RESEARCHERS)
        made = access.get_import(user=request.user, slug=slug, pk=pk, roles=RESEARCHERS)
        works.cancel(work=made.work, by=request.user)
        return Response(ImportSerializer(made).data)


urlpatterns = [
    path("collections/<slug:slug>/imports/", Imports.as_view(), name="imports"),
    path("collections/<slug:slug>/imports/<int:pk>/", OneImport.as_view(), name="import"),
    path("collections/<slug:slug>/imports/<int:pk>/cancel/", ImportCancel.as_view(), name="import-cancel"),
]
