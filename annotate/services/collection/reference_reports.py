"""Result of loading a file of reference labels, for people and logs."""

from collections import Counter
from dataclasses import dataclass, field

from annotate.core.files.file_tallies import FileTallies
from annotate.core.phrases import counted

NEGATIVE = {-1: "in the pool, not judged", -2: "junk"}  # meaning of negative grades in TREC's files


@dataclass
class ReferenceReport(FileTallies):
    """Result of loading a file of reference labels.

    n_unjudged : rows with a negative grade, TREC's mark for "not judged", left out; negatives : how
        many of each
    n_undrawn : of these, undrawn targets of a sampled pool: kept for xinfAP, but as no labels
    n_blank : rows without a grade, left out
    n_below : rows left out because their grade is below the smallest one asked for
    n_unknown : rows left out because the collection has no such query or document
    """

    name: str
    n_rows: int = 0
    n_labels: int = 0
    n_unjudged: int = 0
    n_undrawn: int = 0
    negatives: Counter[int] = field(default_factory=Counter)
    n_blank: int = 0
    n_below: int = 0
    n_unknown: int = 0
    is_new: bool = True

    def count_blanks(self, n: int) -> None:
        """Count rows without a grade that were left out."""
        self.n_blank = n
        self.n_rows += n

    def figures(self) -> list[tuple[str, int]]:
        """The first figures of an import's report, in order."""
        return [
            ("Rows", self.n_rows),
            ("Labels stored", self.n_labels if self.is_new else 0),
            *(
                (f"Grade {grade} ({NEGATIVE.get(grade, 'not judged')}), no label", n)
                for grade, n in self._negatives()
            ),
            *([("Rows without a grade left out", self.n_blank)] if self.n_blank else []),
            ("Too small grades left out", self.n_below),
            ("Labels of unknown items left out", self.n_unknown),
        ]

    def __str__(self) -> str:
        if not self.is_new:
            holds = f"holds these {counted(self.n_labels, 'label')} already"
            return f'Reference set "{self.name}" {holds}. Nothing changed.'
        left_out = f"{self.n_unjudged:,} negative and {self.n_below:,} too small grades left out"
        negative_counts = [
            f"{n:,} of grade {grade}: {NEGATIVE.get(grade, 'not judged')}"
            for grade, n in self._negatives()
        ]
        left_out += f" ({'; '.join(negative_counts)})" if negative_counts else ""
        if self.n_blank:
            left_out += f", {self.n_blank:,} without a grade"
        if self.n_unknown:
            left_out += f", {self.n_unknown:,} of unknown items"
        labels, rows = (
            counted(n, noun) for n, noun in ((self.n_labels, "label"), (self.n_rows, "row"))
        )
        left_out += f", {self.repeats.n:,} repeated"
        return f'Reference set "{self.name}": {labels} from {rows}; {left_out}.'

    def _negatives(self) -> list[tuple[int, int]]:
        return sorted(self.negatives.items(), reverse=True)
