"""What the commands that read files share: opening them, and errors as sentences with exit code 1."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.forms import Field

from annotate.core.sources import FolderSource, Source, open_source
from annotate.models import Collection, User
from annotate.services.faults import FAULTS
from annotate.services.imports import Received, checksum


@contextmanager
def faults_as_sentences() -> Iterator[None]:
    """Turn what a file or an argument has wrong into a CommandError: stderr, exit code 1."""
    try:
        yield
    except FAULTS as error:
        raise CommandError(f"Nothing was loaded.\n{error}") from error
    except OSError as error:
        raise CommandError(f"{error.filename or 'A file'}: {error.strerror or error}.") from error


@contextmanager
def opened_source(path: Path) -> Iterator[Source]:
    """The folder, archive or single file at a path."""
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


def said(received: Received) -> list[str]:
    """What an import did, in sentences."""
    if received.is_new:
        report = received.made.report
        return [*report["sentences"], *(doubt for load in report["loads"] for doubt in load["doubts"])]
    when = f"{received.made.created_at:%Y-%m-%d %H:%M} UTC"
    return [f"This very file came on {when}, to be read in the same way. Nothing changed."]


def find_collection(slug: str) -> Collection:
    """The collection of this short name."""
    collection = Collection.objects.filter(slug=slug).first()
    if collection is None:
        raise CommandError(f'There is no collection "{slug}"; load_collection with --levels makes one.')
    return collection


def find_user(name: str) -> User | None:
    """The user of this name; None for no name."""
    if not name:
        return None
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f'There is no user "{name}".')
    return user


def columns(text: str, field: Field) -> dict[str, int]:
    """What "query:1,document:2,score:3" says, as the form's field reads it. Raises CommandError."""
    try:
        found: dict[str, int] = field.clean(text)
    except ValidationError as error:
        raise CommandError(f"--columns: {error.messages[0]}") from error
    return found


def grade_map(text: str) -> dict[str, int]:
    """What "yes:1,no:0" says. Raises CommandError for anything else."""
    found = {}
    for entry in filter(None, text.split(",")):
        said, colon, grade = entry.rpartition(":")
        if not colon or not said.strip() or not grade.strip().isdecimal():
            raise CommandError(f'Grades are given as "yes:1,no:0", not as "{entry}".')
        found[said.strip()] = int(grade)
    return found
