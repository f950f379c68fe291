"""Qrels of the plausible matches of items, those of nearly the same classes; no database."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.core.files.formats import FormatError, GroupedProblems
from annotate.core.phrases import counted
from metrics.core.files.classes import ClassTable, read_classes
from metrics.core.measures.plausible_matches import plausible_matches
from metrics.management.argument_types import count

LINES_AT_ONCE = 10_000  # made to text before they are written


class Command(BaseCommand):
    help = (
        "Print TREC qrels of plausible matches, which PMRP takes: each query with each document "
        "from which it differs in fewer classes than ZETAS, of grade ZETAS less their number."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
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

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["queries"]
        queries = self.table(path)
        documents = queries
        if options["documents"]:
            path = options["documents"]
            try:
                documents = self.table(path).reordered(queries.classes, name=path)
            except FormatError as error:
                raise CommandError(f"{path}: {error}") from error
        for noun, table in (("query", queries), ("document", documents)):
            if n_empty := int((~table.has_class.any(axis=1)).sum()):
                self.stderr.write(
                    f"{counted(n_empty, noun)} without a class: equal to all others without one."
                )
        for cells in plausible_matches(
            queries.has_class, documents.has_class, zetas=options["zetas"]
        ):
            for start in range(0, len(cells.row), LINES_AT_ONCE):
                rows = zip(
                    *(values[start : start + LINES_AT_ONCE].tolist() for values in cells),
                    strict=True,
                )
                lines = [
                    f"{queries.ids[row]} 0 {documents.ids[column]} {grade}\n"
                    for row, column, grade in rows
                ]
                self.stdout.write("".join(lines), ending="")

    def table(self, path: str) -> ClassTable:
        """Read a table of classes; raises CommandError for a faulty one."""
        problems = GroupedProblems()
        try:
            with open(path, "rb") as stream:
                table = read_classes(stream, problems, name=path)
        except (FormatError, OSError) as error:
            raise CommandError(f"{path}: {getattr(error, 'strerror', '') or error}") from error
        if problems:
            raise CommandError(f"{path}: {problems}")
        return table
