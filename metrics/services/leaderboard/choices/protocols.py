"""Protocols as choices: what a collection has for each, and the parameters that one fixes."""

from collections.abc import Sequence

from django.http import QueryDict

from annotate.models import Collection, Direction, QuerySet
from metrics.core.labels.label_sources import (
    LabelSource,
    RequestedSource,
    UnknownLabelSource,
)
from metrics.core.labels.protocols import PROTOCOLS, ProtocolFit, fit_of, fit_of_grades
from metrics.core.measures import measures
from metrics.services.leaderboard.choices.choices import EVERYTHING, LeaderboardSpec
from metrics.services.scores import labels

Parameters = QueryDict | dict[str, str]
# all of these a protocol takes, by the parameters that would leave some out
_WHOLE = {
    "people": "the labels of a reference set",
    "subset": "all queries of its query sets",
    "words_from": "queries of any length",
    "words_to": "queries of any length",
}
FIXED_PARAMETERS = ("labels", "sets", "threshold", "queries", "measures", "measure", *_WHOLE)


def fits_of(
    collection: Collection, *, set_names: Sequence[str], query_sets: Sequence[QuerySet]
) -> list[ProtocolFit]:
    """Fit every protocol to the collection; two queries where it has labels of classes, else none.

    Those, and once one for each grade, are for the grades of a set that a protocol asks for.
    """
    names = list(dict.fromkeys(query_set.name for query_set in query_sets))
    sides = {(query_set.name, query_set.direction) for query_set in query_sets}
    fits = [
        fit_of(
            protocol,
            collection=f"{collection.name} {collection.slug}",
            sets=set_names,
            query_sets=[
                name for name in names if all((name, direction) in sides for direction in Direction)
            ],
            usual=EVERYTHING if EVERYTHING in names else next(iter(names), ""),
            threshold=collection.positive_from,
        )
        for protocol in PROTOCOLS
    ]
    for position, fit in enumerate(fits):
        if fit.protocol.grades and not fit.gap:
            (name,) = LabelSource.parse(fit.label_source).sets
            grades = labels.grades_of_set(collection=collection, name=name)
            fits[position] = fit_of_grades(fit, grades)
    return fits


def read_protocol(
    fits: Sequence[ProtocolFit], parameters: Parameters, errors: list[str], *, with_folds: bool
) -> tuple[ProtocolFit | None, Parameters]:
    """The protocol that the parameters name, and the parameters with those that it fixes.

    None without a protocol, or where it cannot be shown: that and what contradicts it are errors.
    with_folds : False where there are no means over folds
    """
    name = parameters.get("protocol", "")
    if not name:
        return None, parameters
    fit = next((fit for fit in fits if fit.protocol.name == name), None)
    if fit is None:
        names = ", ".join(fit.protocol.name for fit in fits)
        errors.append(f'There is no protocol "{name[:40]}"; there are: {names}.')
    elif fit.gap:
        errors.append(f"The protocol {fit.protocol.title} cannot be shown here: {fit.gap}.")
    elif fit.protocol.n_folds and not with_folds:
        errors.append(
            f"The protocol {fit.protocol.title} is a mean over folds: the analysis “folds” has it, "
            "not the leaderboard."
        )
    else:
        return fit, _fixed_parameters(fit, parameters, errors)
    return None, parameters


def _fixed_parameters(fit: ProtocolFit, parameters: Parameters, errors: list[str]) -> Parameters:
    """The parameters with those that the protocol fixes; what contradicts it is an error."""
    fixed_values = {
        "labels": fit.label_source,
        "queries": fit.query_set,
        "threshold": str(fit.threshold),
    }
    own_values = {
        "labels": _label_source(parameters),
        "queries": parameters.get("queries", ""),
        "threshold": parameters.get("threshold", ""),
    }
    title = fit.protocol.title
    for name, value in own_values.items():
        if value not in ("", fixed_values[name]):
            errors.append(
                f"The protocol {title} fixes {name} at {fixed_values[name]}; beside it the address "
                f"says {value[:60]}: leave one of the two out."
            )
    own_measures = parameters.get("measures", "")
    if further := further_measures(fit, own_measures):
        errors.append(measures_error(fit, further))
        own_measures = ""
    for name, noun in _WHOLE.items():
        if parameters.get(name):
            errors.append(f"The protocol {title} takes {noun}: leave “{name}” out.")
    whole = parameters.copy()
    for name in ("sets", *_WHOLE):
        whole.pop(name, None)
    for name, value in fixed_values.items():
        whole[name] = value
    whole["measures"] = own_measures.strip() or " ".join(fit.protocol.measures)
    return whole


def protocol_of(
    fits: Sequence[ProtocolFit], spec: LeaderboardSpec, *, with_folds: bool = True
) -> ProtocolFit | None:
    """The protocol whose choices these are, whether or not somebody named it; else None."""
    if spec.people or spec.judged_only or spec.words != (None, None):
        return None
    facts = (spec.label_source, spec.query_set, spec.threshold)
    return next(
        (
            fit
            for fit in fits
            if facts == (fit.label_source, fit.query_set, fit.threshold)
            and (with_folds or not fit.protocol.n_folds)
            and set(spec.measures) <= set(fit.protocol.measures)
        ),
        None,
    )


def further_measures(fit: ProtocolFit, text: str) -> list[str]:
    """The measures of a text that are not the protocol's; what cannot be read is not among them."""
    try:
        names = [measure.name for measure in measures.parse(text)]
    except measures.UnknownMeasure:
        return []
    return [name for name in names if name not in fit.protocol.measures]


def measures_error(fit: ProtocolFit, further: Sequence[str]) -> str:
    """A sentence on measures that are not the protocol's."""
    return (
        f"The protocol {fit.protocol.title} has the measures {', '.join(fit.protocol.measures)}; "
        f"{', '.join(further)[:60]} is not among them."
    )


def _label_source(parameters: Parameters) -> str:
    """The key of the label source that the parameters name, or their text; "" without one."""
    word = parameters.get("labels", "")
    sets = tuple(parameters.getlist("sets")) if isinstance(parameters, QueryDict) else ()
    if not word and not sets:
        return ""
    try:
        return RequestedSource(word, sets).source().key
    except UnknownLabelSource:
        return f"{word} {', '.join(sets)}".strip()
