"""Load reference labels of a collection: TREC qrels, or a table with query-id, corpus-id, score."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.forms.collections import ReferenceForm
from annotate.management import files
from annotate.services.imports.imports import import_now
from annotate.services.imports.kinds import ReferenceImport


class Command(BaseCommand):
    """Load reference labels: TREC qrels, or a table with query-id, corpus-id, score.

    The same labels under the same name again change nothing.
    """

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments: collection, file, name and reading of grades."""
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--name", default="original", help='name of the reference set; default "original"'
        )
        parser.add_argument(
            "--grades", default="", help='what the file\'s grades become, such as "0:1,1:4"'
        )
        parser.add_argument(
            "--min-grade", type=int, default=0, help="leave out rows of a smaller grade in the file"
        )
        parser.add_argument(
            "--skip-unknown",
            action="store_true",
            help="leave out labels of items the collection does not have",
        )
        parser.add_argument(
            "--make-documents", action="store_true", help="make the documents that only they name"
        )
        parser.add_argument(
            "--skip-blank", action="store_true", help="leave out rows without a grade"
        )
        parser.add_argument(
            "--columns",
            default="",
            help='of a table without a header, such as "query:1,document:2,grade:3"; of a file in '
            'another shape a JSON object, {"query": "topic", "document": "clip", "grade": "rel"}',
        )
        parser.add_argument("--by", default="", help="user who loads")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, all or nothing."""
        grades = files.parse_grade_map(options["grades"])
        if not all(file_grade.isdecimal() for file_grade in grades):
            raise CommandError("The grades of a reference file are whole numbers, as in 0:1,1:4.")
        import_request = ReferenceImport(
            name=options["name"],
            grades={int(file_grade): grade for file_grade, grade in grades.items()},
            min_grade=options["min_grade"],
            skip_unknown=options["skip_unknown"],
            skip_blank=options["skip_blank"],
            make_documents=options["make_documents"],
            columns=files.parse_columns(options["columns"], ReferenceForm.base_fields["columns"]),
        )
        collection, by = files.find_collection(options["slug"]), files.find_user(options["by"])
        with files.faults_as_sentences(), files.opened_source(options["file"]) as source:
            digest = files.checksum_of(options["file"])
            received_import = import_now(
                collection=collection,
                import_request=import_request,
                source=source,
                sha256=digest,
                by=by,
            )
        self.stdout.write("\n".join(files.import_messages(received_import)))
