"""The table of measures by name. A new measure is a function and one line here.

Names follow ir_measures: `Name(parameter=value,...)@cutoff`, for example `nDCG@10`, `C@1`, `AP`,
`P(rel=2)@5`. Every measure also takes `judged_only=True`, its condensed-list form; every binary one
takes `rel=`, the grade from which a target is positive.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from annotate.core.files.formats import finite_number
from metrics.core.measures import (
    incomplete,
    inferred_measures,
    plausible_matches,
    ranking,
    retrieval,
    user_models,
)
from metrics.core.measures.alignment import RankedGrades
from metrics.core.measures.ranking import PerQuery, PositiveRanks

_NAME = re.compile(
    r"(?P<family>[A-Za-z][A-Za-z0-9_]*)(?:\((?P<parameters>[^()]*)\))?"
    r"(?:@(?P<cutoff>[0-9]+(?:\.[0-9]+)?))?"
)
MOST_NAMED = 40  # characters of a name that is not there, in an error
MOST_RANKS = 1_000_000_000  # the largest cut-off
_SEPARATORS = re.compile(r"[\s,]+(?![^()]*\))")


class UnknownMeasure(ValueError):
    """The table of measures does not hold this name, or cannot read it.

    The message lists the names.
    """


@dataclass(frozen=True)
class Family:
    """One line of the table.

    function : returns (Q,); takes the argument that `takes` names, then k and the parameters by
        keyword
    takes : "positives" (PositiveRanks), "grades" (RankedGrades) or "both" (RankedGrades, and
        threshold by keyword)
    cutoff : "none", "optional" or "required" (@k); "recall" where a recall between 0 and 1 follows
        the @
    parameters : names and defaults of the parameters in brackets
    average : makes one number of (Q,) values
    smaller_is_better : true of ranks, false of shares
    """

    function: Callable[..., PerQuery]
    sentence: str
    cutoff: str = "none"
    takes: str = "positives"
    parameters: dict[str, Any] = field(default_factory=dict)
    average: Callable[..., Any] = np.mean
    smaller_is_better: bool = False

    @property
    def binary(self) -> bool:
        """True if a threshold on the grades applies."""
        return self.takes != "grades"


# the allowed values of each parameter: the test and its words
_LIMITS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "p": (lambda p: 0 <= p < 1, "is a chance from 0 up to, but not, 1"),
    "beta": (lambda beta: 0 <= beta <= 1e6, "lies between 0 and 1,000,000"),
    "cap": (lambda cap: cap in range(MOST_RANKS + 1), "is a whole number, 0 for none"),
    "zetas": (lambda zetas: zetas in range(1, 101), "is a whole number from 1 to 100"),
    "max_grade": (
        lambda grade: 0 <= grade <= ranking.LARGEST_GRADE,
        f"lies between 0 and {ranking.LARGEST_GRADE}",
    ),
    "dcg": (lambda dcg: dcg in ranking.GAINS, f"is one of: {', '.join(ranking.GAINS)}"),
    "rel": (lambda rel: abs(rel) <= 1e6, "is a grade, no further than 1,000,000 from 0"),
}
_ERR = {"max_grade": 0.0}
_RBP = {"p": 0.8}
FAMILIES: dict[str, Family] = {
    "C": Family(ranking.correct, "1 if any positive is among the first k", "required"),
    "Success": Family(ranking.correct, "C@k under its TREC name", "required"),
    "P": Family(retrieval.precision, "share of positives among the first k", "required"),
    "R": Family(retrieval.recall, "share of all positives found among the first k", "required"),
    "F": Family(
        retrieval.f_measure, "harmonic mean of P@k and R@k", "required", parameters={"beta": 1.0}
    ),
    "Rprec": Family(retrieval.r_precision, "precision at R, the number of positives"),
    "PMRP": Family(retrieval.r_precision, "precision at min(R, cap)", parameters={"cap": 50}),
    "PMRP_mean": Family(
        plausible_matches.mean_r_precision,
        "Rprec averaged over zeta 0, 1, 2: grades from 3, 2, 1 up",
        takes="grades",
        parameters={"zetas": 3, "cap": 0},
    ),
    "AP": Family(ranking.average_precision, "average precision over all positives", "optional"),
    "AP_retrieved": Family(
        ranking.average_precision_retrieved, "AP divided by the positives retrieved", "optional"
    ),
    "mAP@R": Family(
        ranking.map_at_r, "average precision within the first R ranks, R = positives of the query"
    ),
    "RR": Family(retrieval.reciprocal_rank, "1 / rank of the first positive", "optional"),
    "MedR": Family(
        retrieval.first_rank,
        "median rank of the first positive",
        average=retrieval.median_rank,
        smaller_is_better=True,
    ),
    "MeanR": Family(
        retrieval.first_rank,
        "mean rank of the first positive",
        average=retrieval.mean_rank,
        smaller_is_better=True,
    ),
    "IPrec": Family(
        retrieval.interpolated_precision, "largest precision from recall r on", "recall"
    ),
    "IPrec11": Family(retrieval.eleven_point_average, "mean of IPrec at recall 0, .1, ..., 1"),
    "nDCG": Family(
        ranking.ndcg, "discounted gain over the ideal one", "optional", "grades", {"dcg": "log2"}
    ),
    "ERR": Family(
        user_models.expected_reciprocal_rank,
        "expected 1 / rank of satisfaction",
        "optional",
        "grades",
        _ERR,
    ),
    "RBP": Family(
        user_models.rank_biased_precision,
        "gain of a reader who goes on with chance p",
        parameters=_RBP,
    ),
    "gRBP": Family(
        user_models.graded_rank_biased_precision,
        "RBP with graded gain",
        "none",
        "grades",
        _RBP | _ERR,
    ),
    "RBPres": Family(
        user_models.rbp_residual, "what unjudged targets could add to RBP", "none", "grades", _RBP
    ),
    "Bpref": Family(
        incomplete.bpref, "share of judged negatives below each positive", takes="both"
    ),
    "infAP": Family(
        incomplete.inferred_ap, "AP inferred from a uniform sample of the pool", takes="both"
    ),
    "xinfAP": Family(
        inferred_measures.extended_inferred_ap,
        "AP inferred from a stratified sample",
        "optional",
        "both",
    ),
    "infNDCG": Family(
        inferred_measures.extended_inferred_ndcg,
        "nDCG inferred from a stratified sample",
        "optional",
        "grades",
    ),
    "Judged": Family(
        ranking.judged, "share of the first k ranks that is judged", "required", "grades"
    ),
}


@dataclass(frozen=True)
class Measure:
    """A requested measure: `name` is its canonical spelling, equal names are equal measures.

    largest_label : end of the scale of ERR and gRBP where they name no `max_grade`; 0 stands for
        the largest label among those at hand. See `with_scale`.
    """

    name: str
    family: str
    cutoff: float | None = None
    parameters: tuple[tuple[str, Any], ...] = ()
    largest_label: float = 0

    def compute(self, rankings: RankedGrades, threshold: float = 1) -> PerQuery:
        """(Q,) values.

        A target is positive from grade `threshold` up; `rel=` in the name takes precedence.
        """
        return evaluate([self], rankings, threshold)[self.name]

    def threshold(self, default: float) -> float:
        """The grade from which a target is positive."""
        return float(dict(self.parameters).get("rel", default))

    def average(self, values: PerQuery, *, weight: PerQuery | None = None) -> float:
        """One number for (Q,) values: the mean, or the median for MedR. NaN for no query.

        weight : (Q,) how many queries each represents; None where all are equal
        Infinite where MedR or MeanR needs a rank beyond the end of a list.
        """
        if not len(values):
            return float("nan")
        if weight is None:
            return float(self.entry.average(values))
        if self.entry.average is np.mean:
            return float(np.average(values, weights=weight))
        return float(self.entry.average(values, weight=weight))

    @property
    def is_mean(self) -> bool:
        """True if the average is a mean over queries, which intervals and tests are for."""
        return self.entry.average in (np.mean, retrieval.mean_rank)

    @property
    def is_inferred(self) -> bool:
        """True if it infers from a sample of the pool, with a bias that is not known."""
        return self.family in ("infAP", "xinfAP", "infNDCG")

    @property
    def is_share(self) -> bool:
        """True if each value lies from 0 to 1, as all but ranks do."""
        return not self.entry.smaller_is_better

    @property
    def entry(self) -> Family:
        """This measure's line of the table."""
        return FAMILIES[self.family]

    @property
    def judged_only(self) -> bool:
        """True if unjudged targets are dropped first."""
        return bool(dict(self.parameters).get("judged_only", False))


def parse(names: str) -> list[Measure]:
    """Parse measures such as "nDCG@10 C@1, AP", in their order.

    Raises UnknownMeasure, which lists the names.
    """
    return [parse_one(name) for name in _SEPARATORS.split(names.strip()) if name]


def parse_one(name: str) -> Measure:
    """Return the measure called `name`. Raises UnknownMeasure."""
    if name in FAMILIES:
        return _make_measure(name, name, None, {})
    match = _NAME.fullmatch(name)
    if match is None or match["family"] not in FAMILIES:
        raise UnknownMeasure(
            f'There is no measure "{name[:MOST_NAMED]}"; there are: {", ".join(spellings())}.'
        )
    return _make_measure(
        name,
        match["family"],
        match["cutoff"],
        _parameters(name, match["family"], match["parameters"] or ""),
    )


def spellings() -> list[str]:
    """The ways to write each family's name: C@k, AP, AP@k, IPrec@recall, ..."""
    forms = {
        "none": ("{}",),
        "optional": ("{}", "{}@k"),
        "required": ("{}@k",),
        "recall": ("{}@recall",),
    }
    return [form.format(name) for name, family in FAMILIES.items() for form in forms[family.cutoff]]


def evaluate(
    measures: Sequence[Measure], rankings: RankedGrades, threshold: float = 1
) -> dict[str, PerQuery]:
    """(Q,) values of each measure by name; the positives are determined once for all measures."""
    forms = {False: rankings}
    positive_ranks: dict[tuple[bool, float], PositiveRanks] = {}
    values = {}
    for measure in measures:
        condense, level = measure.judged_only, measure.threshold(threshold)
        if condense and condense not in forms:
            forms[condense] = incomplete.condense(rankings)
        if measure.entry.takes == "positives" and (condense, level) not in positive_ranks:
            positive_ranks[condense, level] = ranking.positives(forms[condense], level)
        keywords = {
            key: value for key, value in measure.parameters if key not in ("rel", "judged_only")
        }
        if measure.largest_label:
            keywords["max_grade"] = measure.largest_label
        if measure.cutoff is not None:
            keywords["recall" if measure.entry.cutoff == "recall" else "k"] = measure.cutoff
        if measure.entry.takes == "both":
            keywords["threshold"] = level
        argument = (
            positive_ranks[condense, level]
            if measure.entry.takes == "positives"
            else forms[condense]
        )
        values[measure.name] = measure.entry.function(argument, **keywords)
    return values


def with_scale(measures: Sequence[Measure], labels: ArrayLike) -> list[Measure]:
    """Fix the scale of the measures at the largest label of all queries.

    So a few queries can be measured at a time.
    labels : the grades that count for any of the queries. Names stay, and so does a `max_grade` in
        a name.
    """
    largest = float(np.max(np.asarray(labels), initial=0))
    return [
        replace(measure, largest_label=largest)
        if dict(measure.parameters).get("max_grade") == 0
        else measure
        for measure in measures
    ]


def _make_measure(
    name: str, family: str, cutoff_text: str | None, parameters: dict[str, Any]
) -> Measure:
    cutoff = _cutoff(name, family, cutoff_text)
    parameter_text = ",".join(f"{key}={value!r}" for key, value in sorted(parameters.items()))
    canonical = (
        family
        + (f"({parameter_text})" if parameter_text else "")
        + (f"@{cutoff}" if cutoff is not None else "")
    )
    return Measure(
        canonical, family, cutoff, tuple(sorted((FAMILIES[family].parameters | parameters).items()))
    )


def _cutoff(name: str, family: str, cutoff_text: str | None) -> float | None:
    rule = FAMILIES[family].cutoff
    if cutoff_text is None:
        if rule in ("required", "recall"):
            raise UnknownMeasure(
                f'"{name}" needs a cut-off, for example '
                f"{family}@{'10' if rule == 'required' else '0.1'}."
            )
        return None
    if rule == "none":
        raise UnknownMeasure(f'"{name}": {family} takes no cut-off.')
    if rule == "recall":
        if float(cutoff_text) > 1:
            raise UnknownMeasure(f'"{name}": recall lies between 0 and 1.')
        return float(cutoff_text)
    if (
        not (cutoff_text.isascii() and cutoff_text.isdigit())
        or not 1 <= int(cutoff_text[:20]) <= MOST_RANKS
    ):
        raise UnknownMeasure(
            f'"{name}": the cut-off is a whole number from 1 up to {MOST_RANKS:,}.'
        )
    return int(cutoff_text)


def _parameters(name: str, family: str, text: str) -> dict[str, Any]:
    allowed_names = (
        FAMILIES[family].parameters
        | {"judged_only": True}
        | ({"rel": 1} if FAMILIES[family].binary else {})
    )
    parameters: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, _, value = (piece.strip() for piece in part.partition("="))
        if key not in allowed_names:
            raise UnknownMeasure(
                f'"{name}": {family} has no parameter "{key}"; it has: {", ".join(allowed_names)}.'
            )
        if key in parameters:
            raise UnknownMeasure(f'"{name}" says {key} twice.')
        parameters[key] = _value(name, value, allowed_names[key])
        holds, words = _LIMITS.get(key, (lambda _: True, ""))
        if not holds(parameters[key]):
            raise UnknownMeasure(f'"{name}": {key} {words}.')
    return parameters


def _value(name: str, text: str, example: Any) -> Any:
    if isinstance(example, str):
        return text.strip("'\"")
    if isinstance(example, bool):
        if text.lower() not in ("true", "false"):
            raise UnknownMeasure(f'"{name}": "{text}" is neither True nor False.')
        return text.lower() == "true"
    number = finite_number(text)
    if number is None:
        raise UnknownMeasure(f'"{name}": "{text}" is not a number.')
    return int(number) if number.is_integer() and not isinstance(example, float) else number
