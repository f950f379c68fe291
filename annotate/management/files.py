"""Shared by the commands that read files: opening, and errors as sentences with exit code 1."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.forms import Field

from annotate.core.files.archives.sources import FolderSource, Source, open_source
from annotate.models import Collection, User
from annotate.services.collection.lifecycle.archive import CollectionArchived
from annotate.services.imports.faults import IMPORT_FAULTS
from annotate.services.imports.imports import ReceivedImport, checksum


@contextmanager
def faults_as_sentences() -> Iterator[None]:
    """Turn the faults of a file or an argument into a CommandError: stderr, exit code 1.

    A collection that is archived is such a fault.
    """
    try:
        yield
    except (*IMPORT_FAULTS, CollectionArchived) as error:
        raise CommandError(f"Nothing was loaded.\n{error}") from error
    except OSError as error:
        raise CommandError(f"{error.filename or 'A file'}: {error.strerror or error}.") from error


@contextmanager
def opened_source(path: Path) -> Iterator[Source]:
    """Open the folder, archive or single file at a path."""
    if path.is_dir():
        yield FolderSource(path)
        return
    with path.open("rb") as stream:
        yield open_source(stream, path.name)


def checksum_of(path: Path) -> str:
    """The SHA-256 of a file; "" for a folder."""
    if path.is_dir():
        return ""
    with path.open("rb") as stream:
        return checksum(stream)


def import_messages(received_import: ReceivedImport) -> list[str]:
    """Return the result of an import, in sentences."""
    if received_import.is_new:
        report = received_import.import_.report
        return [
            *report["sentences"],
            *(doubt for load in report["loads"] for doubt in load["doubts"]),
        ]
    received_at = f"{received_import.import_.created_at:%Y-%m-%d %H:%M} UTC"
    return [f"This very file came on {received_at}, to be read in the same way. Nothing changed."]


def find_collection(slug: str) -> Collection:
    """Return the collection of this short name. Raises CommandError."""
    collection = Collection.objects.filter(slug=slug).first()
    if collection is None:
        raise CommandError(
            f'There is no collection "{slug}"; load_collection with --levels makes one.'
        )
    return collection


def find_user(name: str) -> User | None:
    """Return the user of this name; None for no name. Raises CommandError."""
    if not name:
        return None
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f'There is no user "{name}".')
    return user


def parse_columns(text: str, field: Field) -> dict[str, int]:
    """Parse columns such as "query:1,score:3" as the form's field does; raises CommandError."""
    try:
        columns: dict[str, int] = field.clean(text)
    except ValidationError as error:
        raise CommandError(f"--columns: {error.messages[0]}") from error
    return columns


def parse_grade_map(text: str) -> dict[str, int]:
    """Parse a map of grades such as "yes:1,no:0". Raises CommandError for anything else."""
    grades = {}
    for entry in filter(None, text.split(",")):
        file_grade, colon, grade = entry.rpartition(":")
        if not colon or not file_grade.strip() or not grade.strip().isdecimal():
            raise CommandError(f'Grades are given as "yes:1,no:0", not as "{entry}".')
        grades[file_grade.strip()] = int(grade)
    return grades
