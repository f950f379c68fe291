"""Imports for programs: send items, labels or judgments, read their progress and faults, cancel."""

from django.db.models import Q
from django.forms import Form
from django.http import QueryDict
from django.urls import path, reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from annotate import access
from annotate.api import TokenRequest, Unprocessable, get_collection, invalid_form
from annotate.api.endpoints import Endpoint
from annotate.api.fields import AnswerSerializer, refuse_unknown_fields
from annotate.api.filters import Filters, ListedChoiceField, read_filters
from annotate.api.jobs import JobProgressAnswer, progress_json
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.core.files.formats import FormatError
from annotate.models import Direction, Import, Role, Work
from annotate.services.background import works
from annotate.services.imports import imports
from annotate.services.imports.forms import IMPORT_FORMS, ImportForm

RESEARCHERS = (Role.RESEARCHER,)
STATES = {
    Work.State.ASKED: "received",
    Work.State.RUNNING: "received",
    Work.State.DONE: "done",
    Work.State.FAILED: "rejected",
    Work.State.CANCELLED: "cancelled",
}
STORED = "stored"  # labels are stored, pairs are still to be resolved
IMPORT_STATES = ("received", STORED, "done", "rejected", "cancelled")


class ImportAnswer(AnswerSerializer):
    """An import."""

    url = serializers.SerializerMethodField()
    state = serializers.SerializerMethodField()
    error = serializers.CharField(
        source="work.error", help_text="The reason of a rejection; empty without one."
    )
    progress = serializers.SerializerMethodField(
        help_text="While it is read; null where nothing is known of it."
    )
    parameters = serializers.SerializerMethodField()

    class Meta:
        model = Import
        fields = [
            "url",
            "id",
            "kind",
            "file_name",
            "sha256",
            "parameters",
            "state",
            "error",
            "progress",
            "report",
            "created_at",
        ]
        extra_kwargs = {"sha256": {"help_text": "Of the file; empty of a folder."}}

    def get_url(self, import_: Import) -> str:
        """The address of the import."""
        return reverse("api:import", args=[import_.collection.slug, import_.pk])

    @extend_schema_field(serializers.ChoiceField(choices=IMPORT_STATES))
    def get_state(self, import_: Import) -> str:
        """Return one of IMPORT_STATES."""
        is_stored = import_.unresolved and not import_.reading.is_unfinished
        return STORED if is_stored else STATES[Work.State(import_.reading.state)]

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_parameters(self, import_: Import) -> dict[str, object]:
        """Return the parameters of the reading; {} for documents of a run, which may be hidden."""
        return {} if import_.kind == Import.Kind.DOCUMENTS else import_.parameters

    @extend_schema_field(JobProgressAnswer(allow_null=True))
    def get_progress(self, import_: Import) -> dict[str, object] | None:
        """Return the progress; None where the import has ended, or no progress is known."""
        return progress_json(import_.reading)


class ImportUploadRequest(serializers.Serializer):
    """The file to import and how it is read, for the schema: the forms of the pages check it."""

    kind = serializers.ChoiceField(choices=list(IMPORT_FORMS))
    file = serializers.FileField()
    media = serializers.FileField(
        required=False, help_text="Of items: a zip of the media that the file names."
    )
    name = serializers.CharField(
        required=False, help_text="Needed but for items: of the set or round that it makes."
    )
    direction = serializers.ChoiceField(
        required=False, choices=Direction.choices, help_text="Of a query set; needed."
    )
    grades = serializers.CharField(
        required=False, help_text='Of reference labels: what grades become, as "0:0, 1:3".'
    )
    min_grade = serializers.IntegerField(
        required=False, help_text="Of reference labels: smaller ones are left out."
    )
    columns = serializers.CharField(
        required=False,
        help_text='Of tables of labels without a header: which column holds what, as "query:1, '
        'document:2"; of tables and JSON in a shape of their own a JSON object of fields and '
        'columns, {"document_id": "clip"} of items, {"query": "topic", "document": "clip", '
        '"grade": "rel"} of labels and judgments, these with "annotator" and "time" or with a list '
        'of columns as "annotators".',
    )
    skip_unknown = serializers.BooleanField(
        required=False, help_text="Of reference labels: leave out those of unknown items."
    )
    skip_blank = serializers.BooleanField(
        required=False, help_text="Of labels and judgments: leave out rows without a grade."
    )
    make_documents = serializers.BooleanField(
        required=False, help_text="Of reference labels: make documents that are not there."
    )


def rows_in_state(state: str) -> Q:
    """The filter of a state of IMPORT_STATES, as ImportAnswer has them."""
    is_unfinished = Q(work__state__in=Work.UNFINISHED)
    if state == STATES[Work.State.ASKED]:
        return is_unfinished
    if state == STORED:
        return ~is_unfinished & Q(unresolved__isnull=False)
    work_states = [work_state for work_state, name in STATES.items() if name == state]
    return Q(work__state__in=work_states, unresolved=None)


def read_form(request: TokenRequest) -> tuple[ImportForm, Form]:
    """The kind of import that was sent, and its valid form; raises Unprocessable."""
    fields = request.data if isinstance(request.data, QueryDict) else QueryDict()  # no body
    kind = fields.get("kind")
    if not isinstance(kind, str) or kind not in IMPORT_FORMS:
        sentence = f"kind: one of {', '.join(IMPORT_FORMS)}."
        raise Unprocessable(sentence, errors=[{"field": "kind", "message": sentence}])
    import_form = IMPORT_FORMS[kind]
    form = import_form.form(fields, request.FILES)
    refuse_unknown_fields(data=fields, fields=["kind", *form.fields])
    if not form.is_valid():
        raise invalid_form(form)
    return import_form, form


class ImportFilters(Filters):
    """Filters of the list of imports."""

    kind = ListedChoiceField(Import.Kind.values)
    state = ListedChoiceField(IMPORT_STATES)


class Imports(Endpoint):
    """The imports of a collection, for its researchers."""

    scope = "files:write"
    parser_classes = [MultiPartParser]
    takes_files = True

    @extend_schema(
        parameters=[ImportFilters, *PAGE_PARAMETERS],
        responses={200: page_answer(name="imports", row=ImportAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of imports, the newest first, with their states and reports."""
        collection = get_collection(request=request, slug=slug, roles=RESEARCHERS)
        filters = read_filters(request=request, form=ImportFilters)
        kinds = [filters["kind"]] if "kind" in filters else Import.Kind.values
        condition = rows_in_state(filters["state"]) if "state" in filters else Q()
        rows = collection.imports.select_related("collection", "work")
        return page_of(
            request=request,
            rows=rows.filter(condition, kind__in=kinds),
            ordering=("-created_at", "-pk"),
            name="imports",
            as_json=ImportAnswer().to_representation,
        )

    @extend_schema(
        request={"multipart/form-data": ImportUploadRequest},
        responses={200: ImportAnswer, 201: ImportAnswer},
    )
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Receive a file of `kind` items, reference, query_set or judgments, with its fields.

        201 with the import, which is then read in the background; 200 if this very file was
        received before.
        """
        collection = get_collection(request=request, slug=slug, roles=RESEARCHERS)
        import_form, form = read_form(request)
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
        facts = ImportAnswer(received_import.import_).data
        status = 201 if received_import.is_new else 200
        return Response(facts, status=status, headers={"Location": facts["url"]})


class OneImport(Endpoint):
    """One import, for the collection's researchers."""

    scope = "files:write"

    @extend_schema(responses={200: ImportAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Return its state, its progress, its report."""
        get_collection(request=request, slug=slug, roles=RESEARCHERS)
        import_ = access.get_import(user=request.user, slug=slug, pk=pk, roles=RESEARCHERS)
        return Response(ImportAnswer(import_).data)


class ImportCancel(Endpoint):
    """Stop an import, for the collection's researchers."""

    scope = "files:write"

    @extend_schema(request=None, responses={200: ImportAnswer})
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Cancel it; a finished one stays as it is.

        Answers with its state, `received` until the worker has stopped.
        """
        get_collection(request=request, slug=slug, roles=RESEARCHERS)
        import_ = access.get_import(user=request.user, slug=slug, pk=pk, roles=RESEARCHERS)
        works.cancel(work=import_.reading, by=request.user)
        return Response(ImportAnswer(import_).data)


urlpatterns = [
    path("collections/<slug:slug>/imports/", Imports.as_view(), name="imports"),
    path("collections/<slug:slug>/imports/<int:pk>/", OneImport.as_view(), name="import"),
    path(
        "collections/<slug:slug>/imports/<int:pk>/cancel/",
        ImportCancel.as_view(),
        name="import-cancel",
    ),
]
