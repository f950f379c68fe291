"""A process of its own for what only large C libraries can read: Parquet, HDF5, images.

A file made to do harm may crash such a library, or let it take all memory or time: then that
process ends, and its caller learns it. The process has limits of time and memory, and an
environment without our settings. It is no wall beyond that: it runs as the same user, who may read
the same files and reach the same network.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[__name__.count(".")]  # from which modules are imported
STATM = Path("/proc/self/statm")  # the memory that a process has taken, in pages
ENVIRONMENT = {
    "PYTHONPATH": str(ROOT),
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",  # a heap a thread reserves far more addresses than it uses
}


@contextmanager
def sandboxed_output(
    module: str,
    *,
    arguments: Sequence[str] = (),
    file: IO[bytes],
    environment: Mapping[str, str] | None = None,
) -> Iterator[IO[bytes]]:
    """Output of a process that runs a module, which is ended with the `with` block.

    file : its standard input, one on disk
    environment : further variables of it
    """
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={"PATH": os.environ.get("PATH", "")} | ENVIRONMENT | dict(environment or {}),
        stdin=file,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None, "asked for above"  # noqa: S101
    try:
        yield process.stdout
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def limit_memory(n_bytes: int) -> None:
    """Limit what this process may take from now on, beyond what its libraries took.

    Where the system does not tell what it took, there is no limit either.
    """
    try:
        n_now = int(STATM.read_text().split()[0]) * resource.getpagesize()
    except FileNotFoundError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (n_now + n_bytes, n_now + n_bytes))


def limit_seconds(seconds: int) -> None:
    """Limit the processor's time of this process from now on; called again, from then on."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    until = int(usage.ru_utime + usage.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.getrlimit(resource.RLIMIT_CPU)[1]))
