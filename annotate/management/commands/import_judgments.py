"""Import judgments made elsewhere: CSV, TSV or JSON lines; the arguments name the columns."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.management import files
from annotate.models import Policy
from annotate.services.imports.imports import import_now
from annotate.services.imports.kinds import JudgmentsImport


class Command(BaseCommand):
    """Import judgments made elsewhere: CSV, TSV or JSON lines; the arguments name the columns.

    The same file twice changes nothing. A later line of one annotator on one pair supersedes the
    one before.
    """

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments: collection, file and the columns."""
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("file", type=Path)
        parser.add_argument("--query", default="query", help="column of the query's id")
        parser.add_argument("--document", default="document", help="column of the document's id")
        parser.add_argument(
            "--annotator", default="annotator", help="column that names the annotator"
        )
        parser.add_argument("--grade", default="grade", help="column of the grade")
        parser.add_argument(
            "--annotators",
            default="",
            help='instead of the two: columns of grades, one an annotator: "expert1,expert2"',
        )
        parser.add_argument(
            "--time", default="", help="column of the time, ISO 8601 or seconds since 1970"
        )
        parser.add_argument(
            "--grades", default="", help='what words in the file mean, such as "yes:1,no:0"'
        )
        parser.add_argument(
            "--name", default="", help="name of the import; default: the file's name"
        )
        parser.add_argument(
            "--rule", default="", choices=["", *Policy.Rule.values], help="how labels are resolved"
        )
        parser.add_argument(
            "--tie", default="", choices=["", *Policy.Tie.values], help="what a tie becomes"
        )
        parser.add_argument(
            "--skip-blank", action="store_true", help="leave out rows without a grade"
        )
        parser.add_argument("--by", default="", help="user who imports")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import, all or nothing."""
        path, by = options["file"], files.find_user(options["by"])
        collection = files.find_collection(options["slug"])
        import_request = JudgmentsImport(
            name=options["name"] or path.name,
            columns=_columns(options),
            rule=options["rule"],
            tie=options["tie"],
            skip_blank=options["skip_blank"],
        )
        with files.faults_as_sentences(), files.opened_source(path) as source:
            digest = files.checksum_of(path)
            received_import = import_now(
                collection=collection,
                import_request=import_request,
                source=source,
                sha256=digest,
                by=by,
            )
        self.stdout.write("\n".join(files.import_messages(received_import)))


def _columns(options: dict[str, Any]) -> JudgmentColumns:
    return JudgmentColumns(
        query=options["query"],
        document=options["document"],
        annotator=options["annotator"],
        grade=options["grade"],
        annotators=tuple(filter(None, options["annotators"].split(","))),
        time=options["time"],
        grades=files.parse_grade_map(options["grades"]),
    )
