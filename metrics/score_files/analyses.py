"""An analysis that a file of scores suffices for."""

from collections.abc import Callable
from dataclasses import dataclass

from metrics.charts.results import AnalysisResult
from metrics.score_files.choices import Choice, parameter_names
from metrics.score_files.requests import FileRequest


@dataclass(frozen=True)
class ScoreAnalysis:
    """A row of the register of files.

    name : what commands call it; chapter : the part of addresses of its chapter
    paper : the table or figure that it is after; definition : what is counted, in a sentence or two
    choices : those that change it, of a collection too
    find : computes it; raises NotDefined
    """

    name: str
    chapter: str
    question: str
    paper: str
    definition: str
    choices: frozenset[Choice]
    find: Callable[[FileRequest], AnalysisResult]

    @property
    def parameter_names(self) -> list[str]:
        """The parameters of commands and programs that change it, the direction first."""
        return parameter_names(self.choices)

    def as_json(self) -> dict[str, object]:
        """The row as JSON."""
        return {
            "name": self.name,
            "chapter": self.chapter,
            "question": self.question,
            "paper": self.paper,
            "definition": self.definition,
            "parameters": self.parameter_names,
        }
