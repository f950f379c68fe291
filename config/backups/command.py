"""Shared by the commands backup and restore: errors as sentences with exit code 1, short lists."""

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.core.management.base import CommandError

from config.backups.programs import BackupError
from config.up.processes import StartError

SHOWN = 5


def shortened(names: Sequence[str]) -> str:
    """The first few of many names."""
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")


@contextmanager
def faults_as_sentences(head: str) -> Iterator[None]:
    """Turn errors into a CommandError whose sentence begins with the head."""
    try:
        yield
    except (BackupError, StartError) as error:
        raise CommandError(f"{head} {error}") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise CommandError(f"{head} The disk is full.") from error
        raise CommandError(
            f"{head} {error.filename or 'A file'}: {error.strerror or error}."
        ) from error
