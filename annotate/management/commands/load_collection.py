"""Load the items of a collection from a file, a folder or a zip archive."""

from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from annotate.core.files.items.item_columns import columns_of, mapping_fault
from annotate.core.levels.scheme_rules import LevelSpec
from annotate.management import files
from annotate.models import Collection
from annotate.services.collection.collections import create_collection
from annotate.services.imports.imports import import_now
from annotate.services.imports.kinds import ItemsImport


class Command(BaseCommand):
    """Load the items of a collection from a file, a folder or a zip archive.

    The same file twice changes nothing. A file with a fault changes nothing either, and has its
    lines named.
    """

    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments: collection and file; levels and texts of a collection that is made."""
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument(
            "file", type=Path, help="JSON lines, CSV, TSV, a BEIR folder, or a zip of these"
        )
        parser.add_argument(
            "--media", type=Path, help="folder or zip of the media that the file names"
        )
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="FIELD=COLUMN",
            help="of a table or JSON in another shape, as document_id=clip; several times",
        )
        parser.add_argument(
            "--by", default="", help="user who loads; leads and researches a collection made here"
        )
        self.add_making_arguments(parser)

    def add_making_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments of a collection that is made."""
        making = parser.add_argument_group("to make the collection")
        making.add_argument("--levels", default="", help='such as "0:Not relevant,1:Relevant"')
        making.add_argument(
            "--positive-from",
            type=int,
            help="smallest grade that is relevant; default: the largest",
        )
        making.add_argument(
            "--measurement", default="ordinal", choices=Collection.Measurement.values
        )
        making.add_argument("--name", default="", help="default: the short name")
        making.add_argument(
            "--guidelines", type=Path, help="Markdown file of what annotators are told"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, all or nothing."""
        with files.faults_as_sentences(), ExitStack() as stack, transaction.atomic():
            source = stack.enter_context(files.opened_source(options["file"]))
            media = (
                stack.enter_context(files.opened_source(options["media"]))
                if options["media"]
                else None
            )
            by = files.find_user(options["by"])
            collection = self._collection(options)
            digest = files.checksum_of(options["file"])
            received_import = import_now(
                collection=collection,
                import_request=ItemsImport(columns=parse_columns(options["column"])),
                source=source,
                sha256=digest,
                media_source=media,
                by=by,
            )
        first_message, *further_messages = files.import_messages(received_import)
        self.stdout.write("\n".join([f"{collection.slug}: {first_message}", *further_messages]))

    def _collection(self, options: dict[str, Any]) -> Collection:
        """Return the existing collection, or a new one when its levels are given."""
        if Collection.objects.filter(slug=options["slug"]).exists() or not options["levels"]:
            return files.find_collection(options["slug"])
        levels = parse_levels(options["levels"])
        largest = max(level.grade for level in levels)
        return create_collection(
            name=options["name"] or options["slug"],
            slug=options["slug"],
            levels=levels,
            positive_from=largest if options["positive_from"] is None else options["positive_from"],
            measurement=options["measurement"],
            guidelines=options["guidelines"].read_text() if options["guidelines"] else "",
            by=files.find_user(options["by"]),
        )


def parse_columns(entries: Sequence[str]) -> dict[str, str]:
    """Parse columns such as "document_id=clip"."""
    choices = []
    for entry in entries:
        field, sign, column = entry.partition("=")
        if not sign or not column:
            raise CommandError(f'Columns are given as "document_id=clip", not as "{entry}".')
        choices.append((column, field))
    columns, fault = columns_of(choices)
    if fault := fault or (mapping_fault(columns) if choices else ""):
        raise CommandError(fault)
    return columns


def parse_levels(text: str) -> list[LevelSpec]:
    """Parse levels such as "0:Not relevant,1:Relevant"."""
    levels = []
    for entry in text.split(","):
        grade, colon, name = entry.partition(":")
        if not colon or not grade.strip().isdecimal() or not name.strip():
            raise CommandError(
                f'Levels are given as "0:Not relevant,1:Relevant", not as "{entry}".'
            )
        levels.append(LevelSpec(int(grade), name.strip()))
    return levels
