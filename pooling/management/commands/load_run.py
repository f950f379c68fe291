"""Load a run from a file: received and read at once, without a worker."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.management.base import BaseCommand, CommandError

from annotate.management import files
from annotate.models import Direction, Work
from annotate.services.background import works
from pooling.forms.runs import RunForm
from pooling.models import Run
from pooling.services.runs import documents as run_documents
from pooling.services.runs import holds as run_holds
from pooling.services.runs import runs


class Command(BaseCommand):
    """Load a run from a file, at once and without a worker.

    The same file under the same name changes nothing; a file with a fault is refused, and its lines
    at fault are named.
    """

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments: collection, file, name and options."""
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument(
            "file", type=Path, help="TREC run, JSON lines, CSV, TSV or .npz; gzip or plain"
        )
        parser.add_argument("--name", required=True, help="name of the run on the leaderboard")
        parser.add_argument("--direction", default=Direction.FORWARD, choices=Direction.values)
        parser.add_argument(
            "--score-type", default=Run.ScoreType.FLOAT32, choices=Run.ScoreType.values
        )
        parser.add_argument(
            "--columns",
            default="",
            help='of a table without a header, such as "query:1,document:2,score:3"',
        )
        parser.add_argument("--system", default="")
        parser.add_argument("--description", default="")
        parser.add_argument(
            "--make-documents", action="store_true", help="make the documents that only it names"
        )
        parser.add_argument(
            "--accept-unknown", action="store_true", help="use it, however many rows are unknown"
        )
        parser.add_argument("--by", default="", help="user who uploads")

    def handle(self, *args: Any, **options: Any) -> None:
        """Receive and read, all or nothing."""
        collection, by = files.find_collection(options["slug"]), files.find_user(options["by"])
        fields = {
            key: options[key]
            for key in ("name", "direction", "score_type", "system", "description")
        }
        fields["columns"] = files.parse_columns(options["columns"], RunForm.base_fields["columns"])
        try:
            with files.faults_as_sentences(), options["file"].open("rb") as stream:
                upload = File(stream, name=options["file"].name)
                fields |= {"by": by, "is_done_here": True}
                received_run = runs.receive_run(collection=collection, upload=upload, **fields)
        except (runs.RunExists, runs.BadName) as error:
            raise CommandError(str(error)) from error
        runs.read_here(run=received_run.run)
        if options["make_documents"] and run_documents.may_make_documents(received_run.run):
            document_import = run_documents.make_documents(
                run=received_run.run, by=by, is_done_here=True
            )
            works.perform(work=document_import.reading)
            if document_import.reading.state != Work.State.DONE:
                raise CommandError(f"No documents were made: {document_import.reading.error}")
            document_import.refresh_from_db()
            runs.read_here(run=received_run.run)  # again, with the documents
            self.stdout.write(" ".join(document_import.report["sentences"]))
        if options["accept_unknown"] and received_run.run.on_hold_since:
            run_holds.accept_run(run=received_run.run, by=by)
        self._print_report(received_run)

    def _print_report(self, received_run: runs.ReceivedRun) -> None:
        run, report = received_run.run, received_run.run.report
        if run.state == Run.State.REJECTED:
            lines = [
                error["message"]
                if error["line"] is None
                else f"Line {error['line']}: {error['message']}"
                for error in report["errors"]
            ]
            n_more = report["n_errors"] - len(lines)
            raise CommandError(
                "\n".join(
                    ["Nothing was loaded.", *lines, *([f"and {n_more:,} more."] if n_more else [])]
                )
            )
        if not received_run.is_new:
            self.stdout.write(f'Run "{run}" holds this very file already. Nothing changed.')
            return
        unknown = ", ".join(
            f"{report[field]['n']:,} unknown {name}"
            for field, name in (("unknown_sources", run.sources), ("unknown_targets", run.targets))
        )
        self.stdout.write(
            f'Run "{run}": {report["n_kept"]:,} of {report["n_rows"]:,} rows measured, for '
            f"{report['n_queries']:,} {run.sources}; {unknown}, {report['missing']['n']:,} "
            f"{run.sources} of the collection not in the file."
        )
        if run.is_waiting:
            self.stdout.write(
                f"It waits: none of its {run.sources} is known. Load them, and the file is read "
                "again by itself."
            )
        elif run.on_hold_since:
            self.stdout.write(
                f"On hold: {run.unknown_text}, and such rows count as unjudged. Load the items "
                "they name, make the documents by their ids alone (--make-documents), or use the "
                "run as it is: --accept-unknown."
            )
