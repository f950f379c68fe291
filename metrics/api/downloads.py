"""API of downloads: request a file, see how far it is, fetch it."""

from typing import Any

from django.db.models import Q
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from annotate.access import LEADERS
from annotate.api import TokenRequest, Unprocessable, get_collection, invalid_form
from annotate.api.endpoints import Endpoint, repeatable
from annotate.api.fields import AnswerSerializer, MomentField, StrictSerializer, validated
from annotate.api.filters import Filters, ListedChoiceField, read_filters
from annotate.api.jobs import JobAnswer, job_json
from annotate.api.pages import PAGE_PARAMETERS, page_answer, page_of
from annotate.core.files.spreadsheet_cells import timestamp
from annotate.models import ApiToken, Work
from annotate.services.background import works
from metrics.http import download_answer
from metrics.models import Download, DownloadKind
from metrics.services.downloads import downloads as service

EXPIRED = "expired"
STATES = [*Work.State.values, EXPIRED]
MAX_VALUE = 255  # characters of a parameter


class DownloadAnswer(AnswerSerializer):
    """A file that somebody requested."""

    url = serializers.SerializerMethodField()
    file_url = serializers.SerializerMethodField(
        help_text="Null while there is no file, and when it has expired."
    )
    state = serializers.SerializerMethodField(
        help_text="`expired` where it was made, and its file is kept no longer."
    )
    parameters = serializers.DictField(help_text="What its form was given, with the defaults.")
    made_with = serializers.CharField(help_text="The parameters in words.")
    requested_by = serializers.CharField(
        source="by.username", allow_null=True, default=None, help_text="As the page tells it."
    )
    expires_at = serializers.SerializerMethodField(
        help_text="When the file goes; null where there is none."
    )
    job = serializers.SerializerMethodField()

    class Meta:
        model = Download
        fields = [
            "url",
            "id",
            "kind",
            "parameters",
            "made_with",
            "state",
            "file_url",
            "file_name",
            "n_bytes",
            "n_rows",
            "sha256",
            "as_of",
            "created_at",
            "requested_by",
            "expires_at",
            "job",
        ]
        extra_kwargs = {
            "n_bytes": {"help_text": "Null before it is made, as n_rows and as_of are."},
            "sha256": {"help_text": "Of the file; empty before it is made."},
            "as_of": {"help_text": "The moment of the database that the file shows."},
        }

    def address(self, name: str, download: Download) -> str:
        """An address of the download."""
        return reverse(f"api:{name}", args=[download.collection.slug, download.pk])

    def get_url(self, download: Download) -> str:
        """The address of the download."""
        return self.address("download", download)

    def get_file_url(self, download: Download) -> str | None:
        """The address of its file, if it has one."""
        return self.address("download-file", download) if download.file else None

    @extend_schema_field(serializers.ChoiceField(choices=STATES))
    def get_state(self, download: Download) -> str:
        """One of STATES."""
        state = download.making.state
        return EXPIRED if state == Work.State.DONE and not download.file else str(state)

    @extend_schema_field(MomentField(allow_null=True))
    def get_expires_at(self, download: Download) -> str | None:
        """The moment after which the file is deleted."""
        made_at = download.making.finished_at
        return timestamp(made_at + service.RETENTION) if download.file and made_at else None

    @extend_schema_field(JobAnswer)
    def get_job(self, download: Download) -> dict[str, Any]:
        """The job that makes the file."""
        return job_json(download.making)


class ParameterField(serializers.CharField):
    """A parameter of a form: a text, a number, or true or false."""

    def to_internal_value(self, data: Any) -> str:
        """The text that a form reads."""
        return str(data).lower() if isinstance(data, bool) else super().to_internal_value(data)


class DownloadRequest(StrictSerializer):
    """A file to make: its kind, and the parameters of that kind's form."""

    kind = serializers.ChoiceField(choices=DownloadKind.choices)
    parameters = serializers.DictField(
        child=ParameterField(max_length=MAX_VALUE, allow_blank=True, trim_whitespace=False),
        default=dict,
        help_text="Texts, numbers, true or false; those of a kind that are missing have defaults.",
    )


class DownloadsEndpoint(Endpoint):
    """The scope and the rows of all endpoints of downloads."""

    scope = ApiToken.Scope.JUDGMENTS_READ
    parser_classes = [JSONParser]

    def download(self, request: TokenRequest, slug: str, pk: int) -> Download:
        """A download that the person may know of; else Http404."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        visible = Download.objects.visible_to(request.user, collection=collection)
        return get_object_or_404(visible.select_related("collection", "work", "by"), pk=pk)


class DownloadFilters(Filters):
    """Filters of the list of downloads."""

    kind = ListedChoiceField(DownloadKind.values)
    state = ListedChoiceField(STATES)


class DownloadsView(DownloadsEndpoint):
    """The downloads of a collection."""

    @extend_schema(
        parameters=[DownloadFilters, *PAGE_PARAMETERS],
        responses={200: page_answer(name="downloads", row=DownloadAnswer)},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A page of them, the newest first, without those of runs that are hidden from you."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        filters = read_filters(request=request, form=DownloadFilters)
        kinds = [filters["kind"]] if "kind" in filters else DownloadKind.values
        visible = Download.objects.visible_to(request.user, collection=collection)
        return page_of(
            request=request,
            rows=visible.filter(
                rows_in_state(filters.get("state", "")), kind__in=kinds
            ).select_related("collection", "work", "by"),
            ordering=("-created_at", "-pk"),
            name="downloads",
            as_json=DownloadAnswer().to_representation,
        )

    @extend_schema(request=DownloadRequest, responses={202: DownloadAnswer})
    @repeatable
    def post(self, request: TokenRequest, slug: str) -> Response:
        """Request a file: 202 with its job; the same one that you wait for already is that one."""
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        fields = validated(DownloadRequest(data=request.data))
        kind = DownloadKind(fields["kind"])
        form = service.form_of(collection=collection, kind=kind, data=fields["parameters"])
        for name in fields["parameters"]:
            if name not in form.fields:
                names = ", ".join(form.fields)
                message = f'"{name[:60]}" is no parameter of {kind}; there are {names}.'
                raise Unprocessable(message, errors=[{"field": "parameters", "message": message}])
        if not form.is_valid():
            raise invalid_form(form)
        return accepted(
            service.request_download(collection=collection, kind=kind, form=form, by=request.user)
        )


class DownloadView(DownloadsEndpoint):
    """GET collections/<slug>/downloads/<id>/"""

    @extend_schema(responses={200: DownloadAnswer})
    def get(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """One download."""
        return Response(DownloadAnswer(self.download(request, slug, pk)).data)


class DownloadFileView(DownloadsEndpoint):
    """GET collections/<slug>/downloads/<id>/file/"""

    @extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def get(self, request: TokenRequest, slug: str, pk: int) -> HttpResponseBase:
        """The file; 404 while there is none, and when it has expired."""
        return download_answer(self.download(request, slug, pk))


class DownloadCancelView(DownloadsEndpoint):
    """POST collections/<slug>/downloads/<id>/cancel/"""

    @extend_schema(request=None, responses={200: DownloadAnswer})
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Stop making a file; a download that has ended stays as it is."""
        download = self.download(request, slug, pk)
        works.cancel(work=download.making, by=request.user)
        return Response(DownloadAnswer(download).data)


class DownloadAgainView(DownloadsEndpoint):
    """POST collections/<slug>/downloads/<id>/again/"""

    @extend_schema(request=None, responses={202: DownloadAnswer})
    @repeatable
    def post(self, request: TokenRequest, slug: str, pk: int) -> Response:
        """Request the same file with the present labels, as another download: 202 with its job."""
        download = self.download(request, slug, pk)
        try:
            return accepted(service.request_again(download=download, by=request.user))
        except service.OutdatedParameters as error:
            raise Unprocessable(str(error)) from error


def rows_in_state(state: str) -> Q:
    """The filter of a state of STATES, as DownloadAnswer has them; "" for all."""
    if not state:
        return Q()
    if state == EXPIRED:
        return Q(work__state=Work.State.DONE, file="")
    rows = Q(work__state=state)
    return rows & ~Q(file="") if state == Work.State.DONE else rows


def accepted(download: Download) -> Response:
    """202 with a download that is being made, and its address."""
    facts = DownloadAnswer(download).data
    return Response(facts, status=202, headers={"Location": facts["url"]})


DOWNLOADS = "collections/<slug:slug>/downloads/"
urlpatterns = [
    path(DOWNLOADS, DownloadsView.as_view(), name="downloads"),
    path(f"{DOWNLOADS}<int:pk>/", DownloadView.as_view(), name="download"),
    path(f"{DOWNLOADS}<int:pk>/file/", DownloadFileView.as_view(), name="download-file"),
    path(f"{DOWNLOADS}<int:pk>/cancel/", DownloadCancelView.as_view(), name="download-cancel"),
    path(f"{DOWNLOADS}<int:pk>/again/", DownloadAgainView.as_view(), name="download-again"),
]
