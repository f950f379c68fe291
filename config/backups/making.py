"""Make a backup: the database first, as one moment of it, then the files.

In this order, because a file is complete before the row that names it is committed, and mostly stays for good: whatever
the database of that moment names can be copied whole after it. The other way round, what is uploaded meanwhile would be
named and missing. What is missing so is only what somebody deleted, or a sweep took, while the backup was made; those
files are counted and named. Files of later rows come along, belong to nothing and do no harm.
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
from config.backups.folder import DATABASE, MEDIA, RESTORING, SITE, Draft, Facts, drafted, files_below
from config.backups.programs import BackupError, blocks, client_program
from config.up import firststart
from config.up.progress import Progress

UNDER_WAY = "uploads"  # of MEDIA_ROOT: what requests are just bringing, named by no row
NOTES = ("accounts-made", "demo-loaded")


class Backup(NamedTuple):
    """What was made."""

    facts: Facts
    n_files: int
    n_bytes: int


def make_backup(*, target: Path, progress: Progress) -> Backup:
    """Write a backup to a new folder, while people work. Raises BackupError, or OSError where it cannot be written."""
    media = Path(settings.MEDIA_ROOT)
    if target.resolve().is_relative_to(media.resolve()):
        raise BackupError(f"{target} is in {media}, which is to be copied: choose a place outside.")
    if not target.parent.is_dir():
        raise BackupError(f"There is no folder {target.parent} for it: make it, or name another.")
    if not media.is_dir():
        raise BackupError(f"MEDIA_ROOT, {media}, is not there: mount its disk, or make it if nothing was uploaded.")
    major = programs.server_major()
    client_program("pg_dump", major=major)
    with drafted(target, progress) as draft:
        facts, named = write_database(draft, major)
        n_files = write_media(draft, media, named)
        write_site(draft)
        facts.absent.extend(sorted(named))
        draft.end(facts)
    return Backup(facts, n_files, draft.n_bytes)


def write_database(draft: Draft, major: str) -> tuple[Facts, set[str]]:
    """Dump one moment of the database; what it says of itself at that moment, and the files that it names."""
    with one_moment():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")  # it waits for all of the dump
            cursor.execute("SELECT pg_export_snapshot()")
            snapshot = cursor.fetchone()[0]
        facts = Facts(
            made_at=timezone.now().isoformat(timespec="seconds"),
            postgres=major,
            key_mark=key_mark(settings.SECRET_KEY),
            n_judgments=Judgment.objects.count(),
            migrations=latest_migrations(),
            notes=[kind for kind in NOTES if firststart.note(settings.HOME, kind).exists()],
        )
        named = set(named_files())
        draft.write(DATABASE, programs.dump(snapshot), stage="The database")
    return facts, named


def latest_migrations() -> dict[str, str]:
    """The last migration of each application."""
    return dict(MigrationRecorder.Migration.objects.order_by("pk").values_list("app", "name"))


def named_files() -> Iterator[str]:
    """Every file of MEDIA_ROOT that a row names; media of items are named by their paths in other ways."""
    for model in apps.get_models():
        for field in model._meta.get_fields():
            if isinstance(field, FileField):
                kept = model._default_manager.exclude(**{field.name: ""})
                yield from kept.values_list(field.name, flat=True).iterator()


def write_media(draft: Draft, media: Path, named: set[str]) -> int:
    """Copy the files of MEDIA_ROOT, and take them off the names; how many they were."""
    n_files = 0
    for path in files_below(media, but=UNDER_WAY):
        if path.name.endswith(RESTORING):  # of a restore that was killed
            continue
        try:
            file = open(media / path, "rb")  # noqa: SIM115 - closed below, and only its opening may fail so
        except FileNotFoundError:  # deleted just now
            continue
        with file:
            draft.write(f"{MEDIA}/{path}", blocks(file), stage="Files")
        named.discard(str(path))
        n_files += 1
    return n_files


def write_site(draft: Draft) -> None:
    """Copy what `var` has of the site: the key, unless the environment gives it, and the demo accounts' passwords."""
    files = [settings.HOME.var / firststart.SIGN_INS]
    if not os.environ.get("SECRET_KEY"):
        files.append(settings.HOME.secret_key)
    for file in filter(Path.is_file, files):
        draft.write(f"{SITE}/{file.name}", [file.read_bytes()], stage="Files")


def key_mark(key: str) -> str:
    """The same for the same key, and of no use to who wants to know it: a key has 50 characters or more."""
    return hmac.digest(key.encode(), b"assayer backup", "sha256").hex()[:32]
