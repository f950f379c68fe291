"""A survey in plain lines, and the levels that a collection needs for its labels."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from annotate.core.files.formats import quoted
from annotate.core.files.items.item_rows import ItemRow
from annotate.core.phrases import counted
from assayer.datasets.data_sets import DOCUMENT, QUERY, DataSet
from assayer.datasets.selections import EVALUATED
from assayer.datasets.survey import Survey

MAX_NAME, MAX_SENTENCE = 60, 200  # characters of a level


class NewLevel(NamedTuple):
    """A level of a collection to be made."""

    grade: int
    name: str
    sentence: str


def summary_lines(figures: Survey) -> Iterator[str]:
    """The figures and first rows, a line each."""
    for side in (QUERY, DOCUMENT):
        n_items, n_bare = figures.n_items[side], figures.n_bare[side]
        bare = f", of which {n_bare:,} shown by their ids alone" if n_bare else ""
        yield f"{counted(n_items, side)}{bare}"
    if figures.n_with_files.total():
        yield files_sentence(figures)
    if set(figures.n_by_split) - {EVALUATED}:
        splits = (f"{split} {n:,}" for split, n in sorted(figures.n_by_split.items()) if n)
        yield f"queries by split: {', '.join(splits)} (those of {EVALUATED} are evaluated)"
    for name, counts in figures.grades.items():
        grades = (f"grade {grade}: {n:,}" for grade, n in sorted(counts.items()))
        n_labels = counted(sum(counts.values()), "label")
        yield f"reference set {quoted(name)}: {n_labels} ({'; '.join(grades)})"
    if figures.n_unknown:
        yield f"labels of items that are not there: {figures.n_unknown:,}"
    yield from map(item_line, figures.first_items)
    for row in figures.first_labels:
        yield f"label {row.query} {row.document} {row.grade}"


def files_sentence(figures: Survey) -> str:
    """The sentence on items that name files of media, and what to do about them."""
    n_items = counted(figures.n_with_files.total(), "item")
    return (
        f"{n_items} with files of media: give them by --media ZIP, or leave them out by "
        "--without-media, unless the site has them"
    )


def item_line(row: ItemRow) -> str:
    """An item in a line: its side, id and the beginning of what is shown."""
    contents = (
        quoted(part.text) if part.text else f"{part.kind} {part.path}" for part in row.parts
    )
    return " ".join((row.side, row.id, *contents))


def new_levels(dataset: DataSet, grades: list[int]) -> list[NewLevel]:
    """The levels for a data set and the grades of its labels, the largest first.

    Grade 0 is among them, since people need a word for what is not relevant.
    """
    all_grades = sorted({*grades, *dataset.levels, 0}, reverse=True)
    return [new_level(grade, dataset.levels, is_only=all_grades[0] <= 1) for grade in all_grades]


def new_level(grade: int, words_by_grade: Mapping[int, str], *, is_only: bool) -> NewLevel:
    """A level of a grade, with the words of the data set where it has them and they fit."""
    name, colon, sentence = words_by_grade.get(grade, "").partition(": ")
    if name and len(name) <= MAX_NAME:
        return NewLevel(grade, name[:1].upper() + name[1:], shortened(sentence))
    plain_name = "Not relevant" if grade == 0 else "Relevant" if is_only else f"Grade {grade}"
    return NewLevel(grade, plain_name, shortened(name + colon + sentence))


def shortened(sentence: str) -> str:
    """A sentence of a level, cut where it is too long."""
    words = " ".join(sentence.split())
    return words if len(words) <= MAX_SENTENCE else f"{words[: MAX_SENTENCE - 1]}…"
