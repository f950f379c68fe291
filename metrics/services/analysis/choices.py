"""The choices that all analyses share: in an address, in a command, hashed to a key."""

import hashlib
import json
from collections.abc import Container, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.http import QueryDict

from annotate.core.phrases import enumeration
from annotate.models import Collection, Direction, Level, User
from metrics.core.labels.protocols import ProtocolFit
from metrics.core.measures.measures import UnknownMeasure, parse
from metrics.score_files.plan_numbers import NO_NUMBERS, PlanNumbers, read_plan_numbers
from metrics.services.leaderboard.choices.choices import (
    DEFAULT_MEASURES,
    Choices,
    LeaderboardSpec,
)
from metrics.services.leaderboard.choices.parameters import read_choices, refuse_short_scales
from metrics.services.leaderboard.choices.protocols import (
    FIXED_PARAMETERS,
    further_measures,
    measures_error,
    protocol_of,
)
from pooling.models import Run

KIND = "analysis"
MAX_MEASURES, MAX_TEXT = 12, 300  # of a choice of measures; characters of it
PARAMETERS = (
    "direction",
    "run",
    "name",
    "team",
    "tag",
    "labels",
    "sets",
    "threshold",
    "queries",
    "measure",
    "decide",
    "missing",
    "protocol",
    *PlanNumbers._fields,
    "mark",
)
# those that the leaderboard has too
OF_LEADERBOARD = ("run", "labels", "sets", "threshold", "queries", "decide", "missing", "protocol")
# what the room takes in place of those choices that the leaderboard alone has
ALWAYS_IN_ROOM = {
    "people": "people's labels as resolved",
    "subset": "all queries of a set",
    "words_from": "queries of any length",
    "words_to": "queries of any length",
    "target": "intervals of other queries like these",
}
# the parameters with which a choice is made, where they have other names than it
OF_CHOICES = {"run": "runs", "name": "runs", "team": "runs", "tag": "runs", "sets": "labels"}


@dataclass(frozen=True)
class AnalysisSpec:
    """An analysis for some choices. Equal specs are equal results.

    scores : labels, threshold, queries, runs and measure; those that do not change the analysis
        have their defaults
    plan : numbers of the planner, of those that change the analysis
    mark : the team whose runs stand out; "" for none
    """

    name: str
    direction: str
    scores: LeaderboardSpec
    plan: PlanNumbers = NO_NUMBERS
    mark: str = ""

    @property
    def key(self) -> str:
        """Hash of all fields."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """Return the spec as the argument of a task."""
        return {
            "name": self.name,
            "direction": self.direction,
            "scores": self.scores.as_json(),
            "plan": list(self.plan),
            "mark": self.mark,
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "AnalysisSpec":
        """Build a spec from the output of `as_json`."""
        scores = LeaderboardSpec.from_json(fields["scores"])
        plan = PlanNumbers(*fields.get("plan", ()))  # one of before has none
        mark = fields.get("mark", "")
        return cls(fields["name"], fields["direction"], scores, plan, mark)


@dataclass(frozen=True)
class SharedChoices:
    """The choices of the room for one person, and errors in them.

    collection : that they are of
    scores : the choices of labels, queries, runs and measure, as a leaderboard has them
    directions : those that the collection has queries for; direction : the chosen one
    team, tag, name : which runs by their description; "" for any
    named_runs : those that the address names, of either direction; empty for all by default
    hand_picks : the runs that are chosen by hand, of the direction; all of it by default
    runs : those of them whose description is as chosen
    measures : their names; empty leaves each analysis its own; measure_text : as it was typed
    protocol : the one whose choices these are, by name or not
    plan : numbers of the planner; plan_texts : as they were typed, by name
    mark : the team whose runs stand out, by default that of the viewer's own runs where they are
        of one; "" for none
    """

    collection: Collection
    scores: Choices
    directions: list[Direction]
    direction: Direction
    team: str
    tag: str
    name: str
    named_runs: list[Run]
    hand_picks: list[Run]
    runs: list[Run]
    measures: list[str]
    measure_text: str
    protocol: ProtocolFit | None
    plan: PlanNumbers
    plan_texts: dict[str, str]
    mark: str
    errors: list[str]

    @property
    def available_runs(self) -> list[Run]:
        """The runs of the direction."""
        return [run for run in self.scores.available_runs if run.direction == self.direction]

    @property
    def teams(self) -> list[str]:
        """The teams of the direction's runs."""
        return sorted({run.team for run in self.available_runs if run.team})

    @property
    def all_teams(self) -> list[str]:
        """The teams of all runs: an address keeps its mark when its direction changes."""
        return sorted({run.team for run in self.scores.available_runs if run.team})

    @property
    def tags(self) -> list[str]:
        """The tags of the direction's runs."""
        return sorted({tag for run in self.available_runs for tag in run.tags})


def read_shared_choices(
    *,
    collection: Collection,
    viewer: User | None,
    parameters: QueryDict,
    one_direction: bool = False,
) -> SharedChoices:
    """Read the choices from the parameters of an address; absent ones take their default.

    Six queries, and those of `fits_of`.
    What cannot be read is reported in `errors`, with the default in its place.
    viewer : other people's hidden runs are left out for them; None is the operator, who sees all
    one_direction : a run of another than the chosen one is an error, where nobody sees what is left
    """
    scores = choices_of_leaderboard(collection=collection, viewer=viewer, parameters=parameters)
    errors = list(scores.errors)
    if names := [key for key in parameters if key not in PARAMETERS]:
        errors.append(f'"{names[0][:40]}" is no choice here; there are: {", ".join(PARAMETERS)}.')
    direction_set = {Direction(query_set.direction) for query_set in scores.query_sets}
    directions = sorted(direction_set, key=list(Direction).index)
    direction = _direction(parameters.get("direction", ""), directions, scores, errors)
    team, tag, name = (parameters.get(key, "").strip() for key in ("team", "tag", "name"))
    keys = parameters.getlist("run")
    named_runs = [run for run in scores.runs if str(run.pk) in keys]
    if one_direction:
        errors += other_direction_errors(named_runs, direction)
    hand_picks = _of_direction(scores, direction)
    runs = _described(hand_picks, errors, team=team, tag=tag, name=name)
    measures = _measures(parameters.get("measure", ""), scores.levels, errors)
    protocol, measures = _with_protocol("protocol" in parameters, measures, scores, errors)
    return SharedChoices(
        collection=collection,
        scores=scores,
        directions=directions,
        direction=direction,
        team=team,
        tag=tag,
        name=name,
        named_runs=named_runs,
        hand_picks=hand_picks,
        runs=runs,
        measures=measures,
        measure_text=parameters.get("measure", "")[:MAX_TEXT]
        or (" ".join(measures) if protocol else ""),
        protocol=protocol,
        plan=read_plan_numbers(parameters, errors),
        plan_texts={name: parameters.get(name, "")[:20] for name in PlanNumbers._fields},
        mark=team_to_mark(parameters, runs, scores.available_runs, viewer, errors),
        errors=errors,
    )


def choices_of_leaderboard(
    *, collection: Collection, viewer: User | None, parameters: QueryDict
) -> Choices:
    """The choices of an address that the leaderboard has too, with the errors in them."""
    shared_parameters = QueryDict(mutable=True)
    for key in OF_LEADERBOARD:
        shared_parameters.setlist(key, parameters.getlist(key))
    return read_choices(
        collection=collection, viewer=viewer, parameters=shared_parameters, with_folds=True
    )


def other_direction_errors(runs: Sequence[Run], direction: Direction) -> list[str]:
    """A sentence on the first of these runs that is of the other direction, if there is one."""
    names = [run.name for run in runs if run.direction != direction]
    return [
        f"Run “{name}” is not of the direction {direction.label.lower()}: leave it out, or choose "
        "the other direction."
        for name in names[:1]
    ]


def team_to_mark(
    parameters: QueryDict,
    runs: Sequence[Run],
    available_runs: Sequence[Run],
    viewer: User | None,
    errors: list[str],
) -> str:
    """The team that is asked for, else that of the viewer's own among the chosen runs.

    "" for none, or for two.
    """
    if "mark" not in parameters:
        own_runs = [run for run in runs if viewer and run.uploaded_by_id == viewer.pk]
        own_teams = {run.team for run in own_runs if run.team}
        return own_teams.pop() if len(own_teams) == 1 else ""
    team = parameters.get("mark", "").strip()
    teams = sorted({run.team for run in available_runs if run.team})
    if not team or team in teams:
        return team
    available = f"there are: {', '.join(teams)}" if teams else "none of the runs has a team"
    errors.append(f'No run is of the team "{team[:40]}" to mark; {available}.')
    return ""


def _of_direction(scores: Choices, direction: Direction) -> list[Run]:
    """The chosen runs of a direction; where all are of the other one, those of their systems.

    All runs of the direction where there are none of these either.
    """
    of_direction = [run for run in scores.available_runs if run.direction == direction]
    chosen_keys = {run.pk for run in scores.runs}
    systems = {(run.system, run.team) for run in scores.runs if run.system}
    return (
        [run for run in of_direction if run.pk in chosen_keys]
        or [run for run in of_direction if (run.system, run.team) in systems]
        or of_direction
    )


def _described(
    runs: Sequence[Run], errors: list[str], *, team: str, tag: str, name: str
) -> list[Run]:
    """The runs with this team and tag, and this in their name; "" for any."""
    described_runs = [
        run
        for run in runs
        if team in ("", run.team)
        and (not tag or tag in run.tags)
        and name.casefold() in run.name.casefold()
    ]
    if not described_runs and (team or tag or name):
        errors.append("None of the chosen runs has such a name, team and tag.")
    return described_runs


def _with_protocol(
    is_asked: bool, measures: list[str], scores: Choices, errors: list[str]
) -> tuple[ProtocolFit | None, list[str]]:
    """The protocol that is asked for, or whose choices these are, and the measures with it."""
    fit = scores.protocol if is_asked else None
    if fit and (further := further_measures(fit, " ".join(measures))):
        errors.append(measures_error(fit, further))
        return fit, list(fit.protocol.measures)
    if fit:
        return fit, measures or list(fit.protocol.measures)
    spec = replace(scores.spec, measures=tuple(measures))
    return (protocol_of(scores.protocols, spec) if measures else None), measures


def _measures(text: str, levels: Sequence[Level], errors: list[str]) -> list[str]:
    """The names of measures, each once; empty where one is unknown or cannot be shown by query."""
    if len(text) > MAX_TEXT:
        errors.append(f"The measures are longer than {MAX_TEXT} characters: choose fewer.")
        return []
    try:
        measures = parse(text)
        refuse_short_scales(measures, levels)
    except UnknownMeasure as error:
        errors.append(str(error))
        return []
    names = list(dict.fromkeys(measure.name for measure in measures))
    if len(names) > MAX_MEASURES:
        errors.append(f"{len(names):,} measures are too many: choose {MAX_MEASURES} or fewer.")
        return []
    inferred = [measure.name for measure in measures if measure.is_inferred]
    if inferred:
        errors.append(f"{inferred[0]} infers from a sample: the page of such a pool has it.")
        return []
    return names


def _direction(
    text: str, directions: list[Direction], scores: Choices, errors: list[str]
) -> Direction:
    """The chosen direction; by default that of the first run, else the first with queries."""
    usual = next(iter(directions), Direction.FORWARD)
    if scores.runs:
        usual = Direction(scores.runs[0].direction)
    if text and text not in directions:
        errors.append(
            f'"{text[:40]}" is no direction with queries; there are: '
            f"{', '.join(directions) or 'none'}."
        )
    return Direction(text) if text in directions else usual


def choices_of_other_pages(
    parameters: QueryDict, form_choices: Container[str]
) -> list[tuple[str, str]]:
    """The parameters of an address whose choices a form lacks, so that it can keep them.

    form_choices : names of `Choice`; a protocol goes, as what it fixes is chosen anew
    """
    return [
        (name, text)
        for name in PARAMETERS
        if name not in ("direction", "protocol") and OF_CHOICES.get(name, name) not in form_choices
        for text in parameters.getlist(name)
    ]


def room_query(parameters: QueryDict, *, protocol: str = "") -> str:
    """The query string of a page of the room with the choices of an address of the leaderboard.

    "" where none is made. Those that the room lacks are left out, see `room_sentence`; so are the
    usual measures, in place of which each analysis has its own.
    protocol : the name of another one than the address has; what it fixes is left out
    """
    choices = QueryDict(mutable=True)
    for name in PARAMETERS:
        if texts := [text for text in parameters.getlist(name) if text]:
            choices.setlist(name, texts)
    measures = " ".join(parameters.get("measures", "").split())
    if measures and measures != " ".join(DEFAULT_MEASURES):
        choices["measure"] = measures
    if protocol:
        for name in FIXED_PARAMETERS:
            choices.pop(name, None)
        choices["protocol"] = protocol
    return f"?{choices.urlencode(safe=':,@()')}" if choices else ""


def room_sentence(parameters: QueryDict, *, beginning: str) -> str:
    """Tell the choices of the room that stand for those of the leaderboard; "" without one."""
    texts = [text for name, text in ALWAYS_IN_ROOM.items() if parameters.get(name)]
    if not texts:
        return ""
    return f"{beginning} {enumeration(list(dict.fromkeys(texts)))}, whatever is chosen here."
