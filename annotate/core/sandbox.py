"""A process of its own for what only large C libraries can read: Parquet, HDF5, images, clips.

A file made to do harm may crash such a library, or let it take all memory or time: then that
process ends, and its caller learns it. The process has limits of time and memory, and an
environment without our settings. It is no wall beyond that: it runs as the same user, who may read
the same files and reach the same network.
"""

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

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
    process = _start(module, arguments, file, environment)
    assert process.stdout is not None, "a pipe of it"  # noqa: S101
    try:
        yield process.stdout
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


class SandboxedRun(NamedTuple):
    """The output of a process that ended, and how it did.

    exit_code : 0 to 255; below 0 of one that was ended from outside, as its limits do
    """

    output: bytes
    exit_code: int


def run_sandboxed(
    module: str, *, arguments: Sequence[str], max_bytes: int, seconds: float
) -> SandboxedRun:
    """Run a module, which may turn into another program, in a process without input.

    max_bytes : of the output; beyond them the process is ended
    seconds : by the clock, after which it is ended too, with all processes that it started
    """
    with open(os.devnull, "rb") as nothing:
        process = _start(module, arguments, nothing, None, start_new_session=True)
    assert process.stdout is not None, "a pipe of it"  # noqa: S101
    timer = threading.Timer(seconds, _kill_group, [process.pid])
    timer.start()
    try:
        output = process.stdout.read(max_bytes + 1)
        if len(output) <= max_bytes:
            # it keeps its number until it is waited for below, so that no other has it meanwhile
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    finally:
        timer.cancel()
        timer.join()
        _kill_group(process.pid)
        process.stdout.close()
        exit_code = process.wait()
    return SandboxedRun(output[:max_bytes], exit_code)


def _start(
    module: str,
    arguments: Sequence[str],
    file: IO[bytes],
    environment: Mapping[str, str] | None,
    *,
    start_new_session: bool = False,
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={"PATH": os.environ.get("PATH", "")} | ENVIRONMENT | dict(environment or {}),
        stdin=file,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=start_new_session,
    )


def _kill_group(pid: int) -> None:
    """Kill a process that leads its session, and those that it started."""
    with suppress(ProcessLookupError, PermissionError):  # macOS says the latter of ended ones
        os.killpg(pid, signal.SIGKILL)


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


def limit_program(*, n_bytes: int, seconds: int) -> None:
    """Limit the program that this process turns into, for good: memory, time; no file is written.

    seconds : of the processor, after which it is killed, without a signal that it could catch
    """
    limit_memory(n_bytes)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
