"""Make a backup: the database first, as one moment of it, then the files.

In this order, because a file is complete before the row that names it is committed, and mostly
stays for good: every file that the database names at that moment can be copied whole afterwards. In
the other order, files uploaded meanwhile would be named and missing. Only files that somebody
deleted, or a sweep removed, during the backup are missing; they are counted and named. Files of
later rows are copied, too, belong to no row and do no harm.
"""

import hmac
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import FileField
from django.utils import timezone

from annotate.checks.check import one_moment
from annotate.models import Judgment
from config.backups import programs
from config.backups.folder import (
    DATABASE,
    MEDIA,
    RESTORING,
    SITE,
    Draft,
    Facts,
    draft_backup,
    files_below,
)
from config.backups.programs import BackupError, blocks, client_program
from config.up import first_start
from config.up.progress import ConsoleProgress

UPLOADS_IN_PROGRESS = "uploads"  # folder in MEDIA_ROOT of requests' files, named by no row
NOTES = ("accounts-made", "demo-loaded")


class Backup(NamedTuple):
    """The finished backup."""

    facts: Facts
    n_files: int
    n_bytes: int


def make_backup(*, target: Path, progress: ConsoleProgress) -> Backup:
    """Write a backup to a new folder, while people work.

    Raises BackupError, or OSError where it cannot be written.
    """
    media = Path(settings.MEDIA_ROOT)
    if target.resolve().is_relative_to(media.resolve()):
        raise BackupError(f"{target} is in {media}, which is to be copied: choose a place outside.")
    if not target.parent.is_dir():
        raise BackupError(f"There is no folder {target.parent} for it: make it, or name another.")
    if not media.is_dir():
        raise BackupError(
            f"MEDIA_ROOT, {media}, is not there: mount its disk, "
            "or make it if nothing was uploaded."
        )
    major = programs.server_major()
    client_program("pg_dump", major=major)
    with draft_backup(target, progress) as draft:
        facts, named_paths = write_database(draft, major)
        n_files = write_media(draft, media, named_paths)
        write_site(draft)
        facts.absent.extend(sorted(named_paths))
        draft.end(facts)
    return Backup(facts, n_files, draft.n_bytes)


def write_database(draft: Draft, major: str) -> tuple[Facts, set[str]]:
    """Dump one moment of the database.

    Return its facts, and the names of its files at that moment.
    """
    with one_moment():
        with connection.cursor() as cursor:
            # it waits for all of the dump
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SELECT pg_export_snapshot()")
            snapshot = cursor.fetchone()[0]
        facts = Facts(
            made_at=timezone.now().isoformat(timespec="seconds"),
            postgres=major,
            key_mark=key_mark(settings.SECRET_KEY),
            n_judgments=Judgment.objects.count(),
            migrations=latest_migrations(),
            notes=[kind for kind in NOTES if first_start.note(settings.HOME, kind).exists()],
        )
        named_paths = set(named_files())
        draft.write(DATABASE, programs.dump(snapshot), stage="The database")
    return facts, named_paths


def latest_migrations() -> dict[str, str]:
    """Name of the last migration of each application."""
    return dict(MigrationRecorder.Migration.objects.order_by("pk").values_list("app", "name"))


def named_files() -> Iterator[str]:
    """Yield every file of MEDIA_ROOT that a row names in a FileField.

    Items name their media by path.
    """
    for model in apps.get_models():
        for field in model._meta.get_fields():
            if isinstance(field, FileField):
                rows_with_file = model._default_manager.exclude(**{field.name: ""})
                yield from rows_with_file.values_list(field.name, flat=True).iterator()


def write_media(draft: Draft, media: Path, named_paths: set[str]) -> int:
    """Copy the files of MEDIA_ROOT, and remove them from the named paths; return their number."""
    n_files = 0
    for path in files_below(media, except_folder=UPLOADS_IN_PROGRESS):
        if path.name.endswith(RESTORING):  # left by a killed restore
            continue
        try:
            # only its opening may fail so
            file = open(media / path, "rb")  # noqa: SIM115 - it is closed below
        except FileNotFoundError:  # deleted just now
            continue
        with file:
            draft.write(f"{MEDIA}/{path}", blocks(file), stage="Files")
        named_paths.discard(str(path))
        n_files += 1
    return n_files


def write_site(draft: Draft) -> None:
    """Copy the site's files in `var`: the key, if the environment lacks it, and demo passwords."""
    files = [settings.HOME.var / first_start.SIGN_INS]
    if not os.environ.get("SECRET_KEY"):
        files.append(settings.HOME.secret_key)
    for file in filter(Path.is_file, files):
        draft.write(f"{SITE}/{file.name}", [file.read_bytes()], stage="Files")


def key_mark(key: str) -> str:
    """Mark of a key: equal for equal keys, but a key, of 50 characters or more, stays secret."""
    return hmac.digest(key.encode(), b"assayer backup", "sha256").hex()[:32]
