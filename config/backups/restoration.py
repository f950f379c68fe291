"""Restore a backup into an empty database: all is checked first, and rows come last, at once.

A killed restore can be started again: files that are already there, byte for byte, stay, and the
database is empty until all of it is there. Killed after that, it goes on with the later steps: a
mark among the files tells that these rows are this backup's.
"""

import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from annotate.models import Judgment
from config import app_role
from config.backups import programs
from config.backups.creation import key_mark
from config.backups.folder import DATABASE, MEDIA, RESTORING, SITE, Facts, megabytes, write_file
from config.backups.programs import BackupError, blocks, client_program
from config.up import first_start
from config.up.home import NO_KEY_YET, make_var, write_private
from config.up.progress import ConsoleProgress
from config.up.server_data import keep_data_folder

TABLES = """
    SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
      AND nspname <> 'information_schema' AND nspname NOT LIKE 'pg\\_%'
      AND NOT EXISTS (  -- not of an extension
          SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e'
      )
"""


class RestoreSummary(NamedTuple):
    """The result of a restore."""

    n_judgments: int
    n_files: int
    n_migrations: int


def restore_backup(
    *, folder: Path, facts: Facts, sums: dict[str, str], new_key: bool, progress: ConsoleProgress
) -> RestoreSummary:
    """Restore a backup that was checked.

    Raises BackupError, and OSError where files cannot be written.
    """
    mark = RestoreMark(sums)
    is_loaded = mark.is_left() and has_rows_of(facts)
    if not is_loaded:
        check_database(facts)
    check_key(folder, facts, new_key=new_key)
    files = {name: sums[f"{MEDIA}/{name}"] for name in media_names(sums)}
    missing_names = [name for name, checksum in files.items() if not is_restored(name, checksum)]
    for number, name in enumerate(missing_names, start=1):
        restore_file(folder / MEDIA / name, Path(settings.MEDIA_ROOT) / name)
        progress.show("Files", f"{number:,} of {len(missing_names):,}")
    restore_site(folder, facts, new_key=new_key)
    if not is_loaded:
        mark.leave()
        os.sync()  # a row's file must be on the disk before the row
        programs.load(blocks_with_progress(folder / DATABASE, progress))
        if not os.environ.get("DATABASE_URL"):
            keep_data_folder(settings.HOME)
    n_migrations = bring_up_to_date(progress)
    return RestoreSummary(Judgment.objects.count(), len(files), n_migrations)


class RestoreMark:
    """A file in MEDIA_ROOT that names the backup being restored, until all is done."""

    def __init__(self, sums: dict[str, str]) -> None:
        self.file = Path(settings.MEDIA_ROOT) / RESTORING
        self.text = hashlib.sha256(repr(sorted(sums.items())).encode()).hexdigest()

    def leave(self) -> None:
        """Write the mark: from now on this backup's rows may be in the database."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(self.text)

    def is_left(self) -> bool:
        """True if a restore of this very backup was begun here and not finished."""
        return self.file.exists() and self.file.read_text() == self.text

    def take_away(self) -> None:
        """Remove the mark: all is done."""
        self.file.unlink(missing_ok=True)


def has_rows_of(facts: Facts) -> bool:
    """True if the database has as many judgments as the backup, so that nobody has judged since."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('annotate_judgment') IS NOT NULL")
        return bool(cursor.fetchone()[0]) and Judgment.objects.count() == facts.n_judgments


def check_database(facts: Facts) -> None:
    """Refuse a database that is not empty, not ours or too old, and a backup of a newer product."""
    major = programs.server_major()
    client_program("pg_restore", major=major)
    if int(major) < int(facts.postgres):
        raise BackupError(
            f"The backup is of PostgreSQL {facts.postgres}, and the database is PostgreSQL {major}."
        )
    disk_migrations = MigrationLoader(None).disk_migrations
    replaced_migrations = {
        key for migration in disk_migrations.values() for key in migration.replaces
    }
    for app, name in facts.migrations.items():
        if (app, name) not in disk_migrations and (app, name) not in replaced_migrations:
            raise BackupError(
                f"The backup was made by another version, which has {app}/{name}: "
                "restore it with that."
            )
    with connection.cursor() as cursor:
        cursor.execute(TABLES)
        n_tables = cursor.fetchone()[0]
        cursor.execute("SELECT has_schema_privilege('public', 'CREATE')")
        may_create = cursor.fetchone()[0]
    if n_tables:
        raise BackupError(
            f"The database is not empty ({n_tables} tables and sequences), and a restore fills an "
            "empty one alone: name a new one in DATABASE_URL; for that of `up` name a new folder "
            "in ASSAYER_VAR, or move var away."
        )
    if not may_create:
        raise BackupError(
            "This role may make no tables: name the owner of the database in DATABASE_URL."
        )


def check_key(folder: Path, facts: Facts, *, new_key: bool) -> None:
    """Refuse another SECRET_KEY than the site's, unless new_key allows it."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    has_key = settings.SECRET_KEY == NO_KEY_YET and key_file(folder).exists()
    if new_key or has_key or facts.key_mark in map(key_mark, keys):
        return
    where = (
        f"it is in {key_file(folder)}"
        if key_file(folder).exists()
        else "the site had it in its environment"
    )
    raise BackupError(
        f"SECRET_KEY is not the one of the backup's site ({where}): set it, as second factors can "
        "be read with it alone, or say --new-key: then all who have a second factor set it up anew."
    )


def key_file(folder: Path) -> Path:
    """Path of the key in a backup, which may lack it."""
    return folder / SITE / settings.HOME.secret_key.name


def media_names(sums: Iterable[str]) -> list[str]:
    """The names of the backup's files that belong into MEDIA_ROOT."""
    return [name.removeprefix(f"{MEDIA}/") for name in sums if name.startswith(f"{MEDIA}/")]


def is_restored(name: str, checksum: str) -> bool:
    """True if a file is restored already; raises BackupError where another file has its name."""
    target = Path(settings.MEDIA_ROOT) / name
    if not os.path.lexists(target):
        return False
    present_checksum = hashlib.sha256()
    with open(target, "rb") as file:
        for block in blocks(file):
            present_checksum.update(block)
    if present_checksum.hexdigest() != checksum:
        raise BackupError(f"{target} is there and is another file than the backup's: move it away.")
    return True


def restore_file(source: Path, target: Path) -> None:
    """Copy a file to its target, whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{secrets.token_hex(8)}{RESTORING}")
    try:
        with open(source, "rb") as file:
            write_file(draft, blocks(file), mode=0o644)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def restore_site(folder: Path, facts: Facts, *, new_key: bool) -> None:
    """Restore the backup's files of `var`, and the notes of steps done for the database.

    new_key : where there is no key, make a new one instead of restoring the backup's
    """
    home = settings.HOME
    with suppress(PermissionError):  # in a container `var` is root's, and needs no such files
        make_var(home)
    if settings.SECRET_KEY == NO_KEY_YET:
        backed_up_key = key_file(folder)
        write_private(
            home.secret_key,
            backed_up_key.read_text()
            if backed_up_key.exists() and not new_key
            else secrets.token_urlsafe(64),
        )
    sign_ins = folder / SITE / first_start.SIGN_INS
    with suppress(PermissionError):  # as before
        if sign_ins.exists() and not (home.var / first_start.SIGN_INS).exists():
            write_private(home.var / first_start.SIGN_INS, sign_ins.read_text())
        for kind in facts.notes:
            first_start.note(home, kind).touch()


def blocks_with_progress(file: Path, progress: ConsoleProgress) -> Iterator[bytes]:
    """Yield a dump in blocks, and show the progress of reading it."""
    size, n_read = file.stat().st_size, 0
    with open(file, "rb") as stream:
        for block in blocks(stream):
            n_read += len(block)
            progress.show("The database", f"{megabytes(n_read)} of {megabytes(size)}")
            yield block
    progress.show("The database", "its indexes")


def bring_up_to_date(progress: ConsoleProgress) -> int:
    """Finish a filled database: migrations, workers' role, statistics.

    Return the number of migrations.
    """
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        progress.show("The database", f"{len(plan)} migrations")
        call_command("migrate", interactive=False, verbosity=0)
    if password := os.environ.get("APP_PASSWORD"):
        app_role.make_app_role(password=password)
    progress.show("The database", "its statistics")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # else the planner has no statistics
    # values of another database would be found under the same keys
    cache.delete_pattern("*")  # type: ignore[attr-defined]  # django_redis has it
    return len(plan)
