"""Reading the choices of a leaderboard from the query string of an address."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from django.http import QueryDict

from annotate.models import Annotator, Collection, Level, QuerySet, User
from metrics.core.comparisons.missing_queries import MISSING_NAMES, MISSING_QUERIES, MISSING_ZERO
from metrics.core.comparisons.run_comparison import METHODS
from metrics.core.labels.label_sources import RequestedSource, UnknownLabelSource, usual_source
from metrics.core.measures import measures
from metrics.core.measures.measures import Measure
from metrics.services.leaderboard.choices.choices import (
    DEFAULT_MEASURES,
    FIRST,
    THESE,
    Choices,
    has_stored_scores,
    usual_spec,
)
from metrics.services.leaderboard.choices.protocols import fits_of, protocol_of, read_protocol
from metrics.services.scores import labels
from pooling.models import Run

COMPARISON_MEASURE = "AP"  # the default measure of two runs
MAX_MEASURES = 12
MAX_LENGTH = 300  # of the names of measures
MAX_WORDS = 10_000
MAX_LISTED = 8  # of the options in the error about an unknown one
Parameters = QueryDict | dict[str, str]


def read_choices(
    *,
    collection: Collection,
    viewer: User | None,
    parameters: Parameters,
    with_folds: bool = False,
) -> Choices:
    """Read the choices from the parameters of an address; absent ones take their default.

    Six queries, and those of `fits_of`. Unknown choices are reported in `errors`.
    viewer : other people's hidden runs are left out for them; None is the operator, who sees all
    with_folds : whether a protocol over folds may be named
    """
    options = _options(collection, viewer)
    errors: list[str] = []
    fits = fits_of(collection, set_names=options.set_names, query_sets=options.query_sets)
    protocol, parameters = read_protocol(fits, parameters, errors, with_folds=with_folds)
    runs = _runs(parameters, options.runs, errors)
    usual = usual_spec(collection, options.set_names, options.query_sets, runs)
    requested_source = _requested_source(parameters, options.set_names)
    options_by_name = _chosen(parameters, options.by_parameter, errors)
    chosen_measures = _measures(parameters.get("measures", ""), options.levels, errors)
    spec = replace(
        usual,
        measures=chosen_measures,
        threshold=options.thresholds.get(options_by_name["threshold"], usual.threshold),
        label_source=_label_source(requested_source, options, errors),
        people=options_by_name["people"],
        query_set=options_by_name["queries"] or usual.query_set,
        judged_only=parameters.get("subset") == "judged",
        words=_words(parameters.get("words_from", ""), parameters.get("words_to", ""), errors),
        method=options_by_name["decide"] or usual.method,
        missing=options_by_name["missing"] or usual.missing,
        target=options_by_name["target"] or usual.target,
    )
    return Choices(
        set_names=options.set_names,
        nameable_sets=options.nameable_sets,
        query_sets=options.query_sets,
        levels=options.levels,
        people=options.people,
        available_runs=options.runs,
        runs=runs,
        spec=spec,
        requested_source=requested_source,
        is_stored=has_stored_scores(spec, usual, options.set_names),
        errors=errors,
        protocols=fits,
        protocol=protocol or protocol_of(fits, spec, with_folds=with_folds),
    )


class _Options(NamedTuple):
    """The label sources, queries, people, levels and runs of a collection to choose from."""

    set_names: list[str]
    nameable_sets: list[str]
    query_sets: list[QuerySet]
    people: list[Annotator]
    levels: list[Level]
    runs: list[Run]

    @property
    def thresholds(self) -> dict[str, int]:
        """The grades from which a pair can be positive, by their text in the address."""
        return {str(level.grade): level.grade for level in self.levels if level.grade > 0}

    @property
    def by_parameter(self) -> dict[str, Sequence[str]]:
        """The values that each parameter of the address may have."""
        return {
            "decide": METHODS,
            "missing": tuple(MISSING_NAMES),
            "target": (THESE,),
            "threshold": tuple(self.thresholds),
            "people": (FIRST, *(str(row.pk) for row in self.people)),
            "queries": tuple(dict.fromkeys(row.name for row in self.query_sets)),
        }


def _options(collection: Collection, viewer: User | None) -> _Options:
    visible_runs = Run.objects.visible_to(viewer).in_use().filter(collection=collection)
    return _Options(
        set_names=labels.set_names(collection=collection),
        nameable_sets=labels.nameable_sets(collection=collection),
        query_sets=list(QuerySet.objects.filter(collection=collection).order_by("pk")),
        people=list(Annotator.objects.filter(collection=collection).order_by("pseudonym")),
        levels=list(Level.objects.filter(collection=collection).order_by("grade")),
        runs=list(visible_runs.order_by("name", "pk")),
    )


def _runs(parameters: Parameters, available_runs: list[Run], errors: list[str]) -> list[Run]:
    """Return the runs that are named by key; all if none is named or none of them exists."""
    texts = parameters.getlist("run") if isinstance(parameters, QueryDict) else []
    keys = set(texts) - {""}  # a form has an empty one
    if texts and not keys:
        errors.append("No run is ticked: all are shown.")
    named_runs = [run for run in available_runs if str(run.pk) in keys]
    if len(named_runs) < len(keys):
        away = sorted(keys - {str(run.pk) for run in named_runs})
        errors.append(
            f"Runs that the address names and that are not there: {len(away):,} of {len(keys):,} "
            f"(“{away[0][:40]}”{', …' * (len(away) > 1)})."
        )
    return named_runs or available_runs


def _chosen(
    parameters: Parameters, options: dict[str, Sequence[str]], errors: list[str]
) -> dict[str, str]:
    """Return the chosen option of each parameter; empty if it is absent or no option."""
    options_by_name = {}
    for name, allowed_options in options.items():
        choice = parameters.get(name, "")
        options_by_name[name] = choice if choice in allowed_options else ""
        if choice and choice not in allowed_options:
            option_list = ", ".join(allowed_options[:MAX_LISTED]) + (
                " and more" if len(allowed_options) > MAX_LISTED else ""
            )
            errors.append(
                f'"{choice[:40]}" is no choice of "{name}"; there are: {option_list or "none"}.'
            )
    return options_by_name


def _requested_source(parameters: Parameters, set_names: list[str]) -> RequestedSource:
    word = parameters.get("labels", "")
    sets = tuple(parameters.getlist("sets")) if isinstance(parameters, QueryDict) else ()
    if word or sets:
        return RequestedSource(word, sets)
    return RequestedSource(usual_source(set_names).key)


def _label_source(source: RequestedSource, options: _Options, errors: list[str]) -> str:
    """The key of the requested source; that of the usual one where there is no such source."""
    try:
        return source.among(options.nameable_sets).key
    except UnknownLabelSource as error:
        errors.append(str(error))
        return usual_source(options.set_names).key


def refuse_short_scales(scales: Sequence[Measure], levels: Sequence[Level]) -> None:
    """Raise UnknownMeasure for a measure whose scale ends below the grades of the collection."""
    largest = max((level.grade for level in levels), default=0)
    for measure in scales:
        end = dict(measure.parameters).get("max_grade")
        if end and end < largest:
            raise measures.UnknownMeasure(
                f"{measure.name} takes grades up to {end:g}, and the levels go up to {largest}: "
                f"choose a max_grade of {largest} or more, or leave it out."
            )


def _measures(text: str, levels: Sequence[Level], errors: list[str]) -> tuple[str, ...]:
    if not text.strip():
        return DEFAULT_MEASURES
    try:
        if len(text) > MAX_LENGTH:
            raise measures.UnknownMeasure(
                f"The names of the measures are longer than {MAX_LENGTH} characters."
            )
        parsed = measures.parse(text)
        if inferring := [measure.name for measure in parsed if measure.is_inferred]:
            where = (
                "evaluate computes it from files; the page of a pool that is one has xinfAP and "
                "infNDCG"
            )
            raise measures.UnknownMeasure(f"{inferring[0]} infers from a sample: {where}.")
        refuse_short_scales(parsed, levels)
        names = tuple(dict.fromkeys(measure.name for measure in parsed))
        if len(names) > MAX_MEASURES:
            raise measures.UnknownMeasure(
                f"{len(names)} measures; at most {MAX_MEASURES} are shown at once."
            )
    except measures.UnknownMeasure as error:
        errors.append(str(error))
        return DEFAULT_MEASURES
    return names or DEFAULT_MEASURES


def _words(least: str, most: str, errors: list[str]) -> tuple[int | None, int | None]:
    low, high = _number(least, errors), _number(most, errors)
    if low is not None and high is not None and low > high:
        errors.append(
            f"No query has {low:,} words or more and {high:,} or fewer; all lengths are shown."
        )
        return None, None
    return low, high


def _number(text: str, errors: list[str]) -> int | None:
    if not text.strip():
        return None
    if not (text.isascii() and text.isdigit() and int(text[:9]) <= MAX_WORDS and len(text) < 9):
        errors.append(
            f'"{text[:20]}" is not a number of words: a whole number up to {MAX_WORDS:,}.'
        )
        return None
    return int(text)


def read_comparison(
    *, collection: Collection, viewer: User | None, parameters: Parameters
) -> Choices:
    """Read the choices of a comparison: two runs of one direction, by default the first ones."""
    table_parameters = parameters.copy()
    table_parameters["measures"] = parameters.get("measure", "")
    choices = read_choices(collection=collection, viewer=viewer, parameters=table_parameters)
    available_runs = choices.available_runs
    by_key = {str(run.pk): run for run in available_runs}
    for name in ("a", "b"):
        if parameters.get(name) and parameters[name] not in by_key:
            choices.errors.append(
                f'There is no run "{parameters[name][:40]}" to compare; '
                f'the address names it by "{name}".'
            )
    first, second = by_key.get(parameters.get("a", "")), by_key.get(parameters.get("b", ""))
    if first and second and second not in _comparable_runs(first, available_runs):
        why = "is the same run" if second == first else "ranks in the other direction"
        choices.errors.append(f"{second.name} cannot be compared with {first.name}: it {why}.")
    first_candidates = _comparable_runs(second, available_runs) if second else available_runs
    first = first or next(
        (run for run in first_candidates if _comparable_runs(run, available_runs)), None
    )
    if first is None:
        return choices
    if second not in _comparable_runs(first, available_runs):
        second = next(iter(_comparable_runs(first, available_runs)), None)
    if second is None:
        why = f"There is no other run of the direction of {first.name} to compare it with."
        choices.errors.append(why)
        return choices
    is_usual = not parameters.get("measure") and choices.protocol is None
    measure = (COMPARISON_MEASURE if is_usual else choices.spec.measures[0],)
    if not measures.parse_one(measure[0]).is_mean:
        choices.errors.append(
            f"{measure[0]} is a median, and runs are compared by means; {COMPARISON_MEASURE} "
            "is shown."
        )
        measure = (COMPARISON_MEASURE,)
    missing = MISSING_QUERIES if choices.spec.missing == MISSING_QUERIES else MISSING_ZERO
    spec = replace(
        choices.spec,
        measures=measure,
        method=METHODS[0],
        runs=(first.pk, second.pk),
        kind="comparison",
        missing=missing,
        target="",
    )
    return replace(choices, spec=spec, compared_runs=(first, second))


def _comparable_runs(run: Run, runs: list[Run]) -> list[Run]:
    return [other for other in runs if other != run and other.direction == run.direction]
