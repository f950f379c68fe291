"""Qrels of the plausible matches of items, those of nearly the same classes."""

import sys
from argparse import ArgumentParser, Namespace

from annotate.core.files.formats import FormatError, GroupedProblems
from annotate.core.phrases import counted
from assayer.commands.command import CommandFailed, remark
from assayer.commands.files.argument_types import count
from metrics.core.files.classes import ClassTable, read_classes
from metrics.core.measures.plausible_matches import plausible_matches

LINES_AT_ONCE = 10_000  # made to text before they are written


DESCRIPTION = (
    "Print TREC qrels of plausible matches, which PMRP takes: each query with each document "
    "from which it differs in fewer classes than ZETAS, of grade ZETAS less their number."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument(
        "queries",
        metavar="QUERIES",
        help="table (CSV, or tabs) of an item a line: its id, then 0 or 1 for each class",
    )
    parser.add_argument(
        "documents",
        metavar="DOCUMENTS",
        nargs="?",
        help="the same of the documents; default: each item is query and document",
    )
    parser.add_argument(
        "--zetas",
        type=count,
        default=3,
        help="PMRP's values of zeta, 0, 1, ... (3): the grade of equal classes",
    )


def run(options: Namespace) -> None:
    """Print the qrels, a block of lines at a time."""
    path = options.queries
    queries = class_table(path)
    documents = queries
    if options.documents:
        path = options.documents
        try:
            documents = class_table(path).reordered(queries.classes, name=path)
        except FormatError as error:
            raise CommandFailed(f"{path}: {error}") from error
    for noun, table in (("query", queries), ("document", documents)):
        if n_empty := int((~table.has_class.any(axis=1)).sum()):
            remark(f"{counted(n_empty, noun)} without a class: equal to all others without one.")
    for cells in plausible_matches(queries.has_class, documents.has_class, zetas=options.zetas):
        for start in range(0, len(cells.row), LINES_AT_ONCE):
            rows = zip(
                *(values[start : start + LINES_AT_ONCE].tolist() for values in cells),
                strict=True,
            )
            lines = [
                f"{queries.ids[row]} 0 {documents.ids[column]} {grade}\n"
                for row, column, grade in rows
            ]
            sys.stdout.write("".join(lines))


def class_table(path: str) -> ClassTable:
    """Read a table of classes; raises CommandFailed for a faulty one."""
    problems = GroupedProblems()
    try:
        with open(path, "rb") as stream:
            table = read_classes(stream, problems, name=path)
    except (FormatError, OSError) as error:
        raise CommandFailed(f"{path}: {getattr(error, 'strerror', '') or error}") from error
    if problems:
        raise CommandFailed(f"{path}: {problems}")
    return table
