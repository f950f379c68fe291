"""Load reference labels of a collection: TREC qrels, or a table with query-id, corpus-id and score."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.management import files
from annotate.services.references import load_reference


class Command(BaseCommand):
    """The same labels under the same name again change nothing."""

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where from, where to, and how grades are understood."""
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", default="original", help='name of the reference set; default "original"')
        parser.add_argument("--grades", default="", help='what the file\'s grades become, such as "0:1,1:4"')
        parser.add_argument("--min-grade", type=int, default=0, help="leave out rows of a smaller grade in the file")
        parser.add_argument("--by", default="", help="user who loads")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, all or nothing."""
        grades = _numbers(files.grade_map(options["grades"]))
        with files.faults_as_sentences(), files.opened(options["file"]) as stream:
            report = load_reference(
                collection=files.find_collection(options["slug"]),
                stream=stream,
                file_name=options["file"].name,
                name=options["name"],
                by=files.find_user(options["by"]),
                grade_map=grades,
                min_grade=options["min_grade"],
            )
        self.stdout.write(str(report))


def _numbers(grades: dict[str, int]) -> dict[int, int]:
    """The map with numbers on both sides. Raises CommandError for words."""
    if not all(said.isdecimal() for said in grades):
        raise CommandError("The grades of a reference file are whole numbers, as in 0:1,1:4.")
    return {int(said): grade for said, grade in grades.items()}
