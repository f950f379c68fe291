"""API of the leaderboard: runs by measures in both directions, as in its CSV."""

from typing import Any

from django.http import QueryDict
from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.response import Response

from annotate.access import LEADERS
from annotate.api import TokenRequest, Unprocessable, get_collection
from annotate.api.endpoints import Endpoint
from annotate.api.parameters import page_parameters
from annotate.core.files.spreadsheet_cells import timestamp
from annotate.models import Annotator, ApiToken, Collection, Direction
from metrics.api.number_fields import COMPUTING, LeaderboardAnswer
from metrics.api.parameters import run_keys
from metrics.core.comparisons.run_comparison import METHODS
from metrics.services.analysis.ceiling import ceiling_of
from metrics.services.leaderboard import computation
from metrics.services.leaderboard.choices.choices import FIRST, Choices
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.leaderboard.files import lines_of
from metrics.services.leaderboard.leaderboard import Leaderboard, leaderboard_of

# each parameter, and its name in the address of the page
PARAMETERS = {
    "direction": "direction",
    "run": "run",
    "label_source": "labels",
    "people": "people",
    "threshold": "threshold",
    "queries": "queries",
    "subset": "subset",
    "words_from": "words_from",
    "words_to": "words_to",
    "measure": "measures",
    "method": "decide",
    "missing": "missing",
    "target": "target",
    "protocol": "protocol",
}
PARAMETER_KINDS: dict[str, dict[str, Any]] = {name: {"type": str} for name in PARAMETERS} | {
    "direction": {"type": str, "enum": Direction.values},
    "run": {"type": str, "many": True, "description": "The id or the name of a run."},
    "measure": {"type": str, "many": True, "description": "Such as `AP` or `nDCG@10`."},
    "threshold": {"type": int},
    "subset": {"type": str, "enum": ["judged"]},
    "words_from": {"type": int},
    "words_to": {"type": int},
    "method": {"type": str, "enum": METHODS},
}
OF_WHOLE = ("label_source", "positive_from", "query_set")  # columns of the CSV that stand once
YES_OR_NO = {"yes": True, "no": False}


class LeaderboardView(Endpoint):
    """GET collections/<slug>/leaderboard/?label_source=&threshold=&queries=&measure=&run=..."""

    scope = ApiToken.Scope.NUMBERS_READ

    @extend_schema(
        parameters=[OpenApiParameter(name, **kind) for name, kind in PARAMETER_KINDS.items()],
        responses={200: LeaderboardAnswer, 202: COMPUTING},
    )
    def get(self, request: TokenRequest, slug: str) -> Response:
        """A row a run and measure, best runs first; 202 while they are computed.

        `run` and `measure` may be repeated; runs are given by id or name.
        """
        collection = get_collection(request=request, slug=slug, roles=LEADERS)
        parameters = page_parameters(request=request, names=PARAMETERS)
        choices = choices_of(request, collection, parameters)
        look = computation.look(collection=collection, spec=choices.spec)
        if look.row is None and choices.runs:
            return Response({"state": "computing"}, status=202, headers={"Retry-After": "3"})
        board = leaderboard_of(
            choices=choices, collection=collection, view=look.row, version=look.version
        ).with_ceiling(ceiling_of(collection=collection, choices=choices))
        return Response(
            leaderboard_json(board, slug=slug, direction=parameters.get("direction", ""))
        )


def choices_of(request: TokenRequest, collection: Collection, parameters: QueryDict) -> Choices:
    """The choices of a request; raises Unprocessable for an unknown value."""
    people = dict(Annotator.objects.filter(collection=collection).values_list("pseudonym", "pk"))
    options = {
        "direction": Direction.values,
        "people": [FIRST, *sorted(people)],
        "subset": ["judged"],
        "method": METHODS,
    }
    for name, values in options.items():
        value = parameters.get(PARAMETERS[name])
        if value is not None and value not in values:
            raise Unprocessable(
                f'"{value[:40]}" is no choice of "{name}"; there are: {", ".join(values)}.'
            )
    pseudonym = parameters.get("people", "")
    if pseudonym in people:
        parameters["people"] = str(people[pseudonym])
    names = [name for name in parameters.getlist("run") if name]
    keys = run_keys(request=request, collection=collection, values=names)
    parameters.setlist("run", keys)
    parameters["measures"] = ",".join(parameters.getlist("measures"))
    choices = read_choices(collection=collection, viewer=request.user, parameters=parameters)
    if choices.errors:
        raise Unprocessable(" ".join(choices.errors))
    return choices


def leaderboard_json(board: Leaderboard, *, slug: str, direction: str) -> dict[str, Any]:
    """The choices and the rows, of one direction or, without one, of both; undefined is null."""
    spec, protocol = board.choices.spec, board.choices.protocol
    return {
        "collection": slug,
        "label_source": spec.label_source,
        "positive_from": spec.threshold,
        "query_set": spec.query_set,
        "measures": spec.measures,
        "method": spec.method,
        "missing": spec.missing,
        "protocol": protocol.protocol.name if protocol else None,
        "computed_at": timestamp(board.computed_at),
        "is_stale": board.is_stale,
        "unscored_runs": [run.name for run in board.unscored_runs],
        "rows": [
            {name: value for name, value in line.items() if name not in OF_WHOLE}
            | {"is_beyond_people": YES_OR_NO.get(str(line["is_beyond_people"]))}
            for line in lines_of(board)
            if direction in ("", line["direction"])
        ],
    }


urlpatterns = [
    path("collections/<slug:slug>/leaderboard/", LeaderboardView.as_view(), name="leaderboard"),
]
