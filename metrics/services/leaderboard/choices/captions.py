"""Sentences of the leaderboard: the choices of a page, and what a table counts."""

from datetime import datetime
from typing import NamedTuple

from django.template.defaultfilters import floatformat
from django.utils.formats import date_format
from django.utils.timezone import localtime

from annotate.core.phrases import counted
from metrics.core.statistics.groups import Design


class ChoicesCaption(NamedTuple):
    """The choices of a leaderboard in words.

    people_sentence : on the people whose labels count; empty if they count as resolved
    words_text : the limits of the queries' length; empty without a limit
    """

    source_sentence: str
    people_sentence: str
    threshold: int
    is_judged_only: bool
    words_text: str

    def __str__(self) -> str:
        sentences = (
            self.source_sentence,
            self.people_sentence,
            f"A pair is positive from grade {self.threshold} up.",
            "Only queries of which people labelled a pair." if self.is_judged_only else "",
            f"Only queries {self.words_text}." if self.words_text else "",
        )
        return " ".join(sentence for sentence in sentences if sentence)


class LeaderboardCaption(NamedTuple):
    """Sentences on the counts of a table.

    sources_text : the number of source items; targets : the noun for the ranked items
    n_positive : pairs that the label source calls positive; None until counted
    n_ranked : the ranked targets, None until counted; joined_at : when the last of them joined
    saturated : names of measures with the best run's score, if it is close to the maximum
    """

    query_set: str
    sources_text: str
    targets: str
    n_positive: int | None
    without_positive: str
    missing_text: str
    n_ranked: int | None
    joined_at: datetime | None
    saturated: list[tuple[str, float]]

    @property
    def scope(self) -> str:
        """The queries, their positive pairs, and those that runs miss."""
        positives = (
            "" if self.n_positive is None else f" with {counted(self.n_positive, 'positive pair')}"
        )
        if positives and self.without_positive:
            positives += f", {self.without_positive}"
        return f"Query set “{self.query_set}”, {self.sources_text}{positives}; {self.missing_text}."

    @property
    def gallery(self) -> str:
        """The number of ranked targets, and when the last of them joined; empty until counted."""
        if self.n_ranked is None:
            return ""
        moment = ""
        if self.joined_at:
            day = date_format(localtime(self.joined_at), "j F Y")
            moment = (
                f", the last of which joined on {day}; runs uploaded before are marked “earlier "
                "gallery”"
            )
        return f"The gallery is of {self.n_ranked:,} {self.targets}{moment}."

    @property
    def saturation(self) -> str:
        """The measures that are nearly full, and what tells more; empty without any."""
        if not self.saturated:
            return ""
        full = [
            f"{name} is nearly full: the best run has {floatformat(best, 1)}, so little is left to "
            "tell runs apart by."
            for name, best in self.saturated
        ]
        return f"{' '.join(full)} A stricter measure, such as AP, or a higher threshold tells more."


class DesignEffectCell(NamedTuple):
    """The design effect of one measure, its intraclass correlation, and a sentence about it.

    note : empty if there is no effect
    """

    icc: float | None
    deff: float | None
    note: str


def design_cell(design: Design, *, n_queries: int, queries: str) -> DesignEffectCell:
    """Put the median design of the runs into words."""
    if design.deff is None:
        return DesignEffectCell(design.icc, None, "")
    effective = f"{n_queries:,} ÷ {floatformat(design.deff, 2)} independent {queries}"
    note = f"The median of the runs: the mean is as certain as one over {effective}"
    return DesignEffectCell(design.icc, design.deff, note)
