"""API of analyses: what there is, and each with its table and its chart."""

from django.http import Http404, HttpResponse
from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework.response import Response

from annotate.access import LEADERS
from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.parameters import page_parameters
from annotate.models import ApiToken, Collection
from metrics.api.number_fields import (
    COMPUTED_CSV,
    COMPUTING,
    AnalysisRowAnswer,
    WholeAnalysisAnswer,
)
from metrics.api.parameters import run_keys
from metrics.charts.result_files import as_csv
from metrics.core.comparisons.run_comparison import METHODS
from metrics.score_files.choices import idle_sentence
from metrics.services.analysis.analyses import Analysis
from metrics.services.analysis.choices import SharedChoices, read_shared_choices
from metrics.services.analysis.computation import AnalysisAnswer, look
from metrics.services.analysis.files import as_json, as_row
from metrics.services.analysis.register import ANALYSES

# each parameter, and its name in the addresses of pages
PARAMETERS = {
    "direction": "direction",
    "run": "run",
    "name": "name",
    "team": "team",
    "tag": "tag",
    "label_source": "labels",
    "threshold": "threshold",
    "queries": "queries",
    "measure": "measure",
    "method": "decide",
    "missing": "missing",
    "protocol": "protocol",
    "n": "n",
    "error": "error",
    "difference": "difference",
    "power": "power",
    "mark": "mark",
}
OF_ANALYSES = [
    OpenApiParameter(name, str, many=name == "run", description="See the register: `parameters`.")
    for name in PARAMETERS
]


class AnalysesView(Endpoint):
    """GET collections/<slug>/analyses/"""

    scope = ApiToken.Scope.NUMBERS_READ

    @extend_schema(
        responses=inline_serializer("Analyses", {"analyses": AnalysisRowAnswer(many=True)})
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """The register: name, chapter, question, definition and choices of every analysis."""
        get_collection(request=request, slug=slug, roles=LEADERS)
        page_parameters(request=request, names={})
        return Response({"analyses": [as_row(analysis) for analysis in ANALYSES.values()]})


class AnalysisView(Endpoint):
    """GET collections/<slug>/analyses/<name>/?direction=&run=&label_source=&threshold=&queries="""

    scope = ApiToken.Scope.NUMBERS_READ

    @extend_schema(parameters=OF_ANALYSES, responses={200: WholeAnalysisAnswer, 202: COMPUTING})
    def get(self, request: TokenRequest, slug: str, name: str) -> Response:
        """The result with its choices, table and chart; 202 while it is computed.

        `run` is an id or a name and may be repeated; `not_defined` says why there is no result.
        """
        analysis, choices, answer = _look(request, slug, name)
        if answer is None:
            return Response({"state": "computing"}, status=202, headers={"Retry-After": "3"})
        return Response(as_json(analysis=analysis, choices=choices, answer=answer))


class AnalysisTableView(Endpoint):
    """GET collections/<slug>/analyses/<name>/table.csv with the parameters of the analysis."""

    scope = ApiToken.Scope.NUMBERS_READ

    @extend_schema(parameters=OF_ANALYSES, responses=COMPUTED_CSV)
    def get(self, request: TokenRequest, slug: str, name: str) -> HttpResponse:
        """The table as CSV; 202 while it is computed, 422 where it is not defined."""
        _, _, answer = _look(request, slug, name)
        if answer is None:
            return Response({"state": "computing"}, status=202, headers={"Retry-After": "3"})
        if answer.result is None:
            raise Unprocessable(answer.reason)
        headers = {"Content-Disposition": f'attachment; filename="{slug}-{name}.csv"'}
        text = as_csv(answer.result)
        return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)


def _look(
    request: TokenRequest, slug: str, name: str
) -> tuple[Analysis, SharedChoices, AnalysisAnswer | None]:
    collection = get_collection(request=request, slug=slug, roles=LEADERS)
    if name not in ANALYSES:
        raise Http404
    choices = _choices(request, collection, ANALYSES[name])
    specs = [ANALYSES[name].spec(choices)]
    (answer,) = look(collection=collection, specs=specs, runs=choices.runs)
    return ANALYSES[name], choices, answer


def _choices(request: TokenRequest, collection: Collection, analysis: Analysis) -> SharedChoices:
    """Read the choices; raises Unprocessable for an unknown parameter or value, or an idle one."""
    parameters = page_parameters(request=request, names=PARAMETERS)
    names = [name for name, values in request.query_params.lists() if any(values)]
    if sentence := idle_sentence(analysis.name, analysis.parameter_names, names):
        raise Unprocessable(sentence)
    method = parameters.get("decide", "")
    if method and method not in METHODS:
        raise Unprocessable(
            f'"{method[:40]}" is no choice of "method"; there are: {", ".join(METHODS)}.'
        )
    keys = run_keys(request=request, collection=collection, values=parameters.getlist("run"))
    parameters.setlist("run", keys)
    choices = read_shared_choices(
        collection=collection, viewer=request.user, parameters=parameters, one_direction=True
    )
    if choices.errors:
        raise Unprocessable(" ".join(choices.errors))
    return choices


urlpatterns = [
    path("collections/<slug:slug>/analyses/", AnalysesView.as_view(), name="analyses"),
    path("collections/<slug:slug>/analyses/<slug:name>/", AnalysisView.as_view(), name="analysis"),
    path(
        "collections/<slug:slug>/analyses/<slug:name>/table.csv",
        AnalysisTableView.as_view(),
        name="analysis-table",
    ),
]
