"""Child processes, which end with their parent, and are stopped within a time limit."""

import ctypes
import json
import os
import pwd
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

PR_SET_PDEATHSIG = 1
NO_ROOM = re.compile("No space left on device|Disk quota exceeded")
CAUSES = re.compile(
    f"{NO_ROOM.pattern}|Cannot allocate memory|Permission denied|Connection refused"
)
STAMP = re.compile(r"^[\d-]+ [\d:.]+ UTC \[\d+\] ")
# a server's complaint, or the last line of a traceback, whose source lines are indented
TELLING = re.compile(r"\S.*(FATAL|PANIC|ERROR)|[\w.]+(Error|Exception|Exit|Configured|Undefined)\b")


class StartError(Exception):
    """Something could not be started.

    The message is one sentence for the person at the keyboard.
    """


def die_with_parent(death_signal: int) -> Callable[[], None] | None:
    """Return the child's first step: it asks Linux for a signal when the parent dies.

    Without it a parent killed with SIGKILL leaves its servers running for ever.
    """
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def ask() -> None:
        prctl(PR_SET_PDEATHSIG, death_signal)
        if os.getppid() != parent:  # the parent died before we could ask
            os._exit(1)

    return ask


def spawn(
    argv: Sequence[str | Path],
    *,
    log: Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    account: pwd.struct_passwd | None = None,
    death_signal: int = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own, its output appended to a log file.

    Call it from the main thread: the death signal is tied to the thread that starts the child.
    A session of its own keeps Ctrl-C away from the child: the supervisor stops it in order.
    """
    with open(log, "ab") as output:
        return subprocess.Popen(
            [str(part) for part in argv],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=env,
            cwd=cwd,
            start_new_session=True,
            preexec_fn=die_with_parent(death_signal),  # noqa: PLW1509 - there is one thread
            user=account and account.pw_uid,
            group=account and account.pw_gid,
            extra_groups=[] if account else None,
        )


def stop(
    process: subprocess.Popen[bytes], *, first: int = signal.SIGTERM, seconds: float = 5.0
) -> None:
    """End a child: ask, wait, then end its whole session."""
    if process.poll() is None:
        process.send_signal(first)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    with suppress(ProcessLookupError, PermissionError):
        # the session's number is the child's: nobody else is in it
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_until(ready: Callable[[], bool], *, seconds: float, step: float = 0.02) -> bool:
    """Wait until ready() is True; return False if the time is over first."""
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            return False
        time.sleep(step)
    return True


def last_words(log: Path) -> str:
    """The most informative of a log's last lines, for a message of one sentence."""
    try:
        lines = [
            line for line in log.read_text(errors="replace").splitlines()[-60:] if line.strip()
        ]
    except OSError:
        lines = []
    causes = [line for line in lines if CAUSES.search(line)]
    telling_lines = [line for line in lines if TELLING.match(line)]
    return STAMP.sub("", (causes or telling_lines or lines or ["it left no word"])[-1]).strip()


def note_processes(file: Path, processes: Mapping[str, int]) -> None:
    """Record the running processes, by name and number."""
    draft = file.with_name(file.name + ".new")
    draft.write_text(json.dumps(processes))
    draft.replace(file)


def command_line(pid: int) -> bytes:
    """The command line of a process; empty if there is none."""
    proc = Path(f"/proc/{pid}/cmdline")
    if Path("/proc/self/cmdline").exists():
        try:
            return proc.read_bytes()
        except OSError:
            return b""
    return subprocess.run(
        ["ps", "-o", "command=", "-p", str(pid)], capture_output=True, check=False
    ).stdout


def was_started_for(pid: int, var: Path) -> bool:
    """True if a process was started for a folder `var`; True where the system does not tell."""
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return not Path("/proc/self/environ").exists()
    return b"ASSAYER_VAR=" + os.fsencode(var) in variables


def has_ended(pid: int) -> bool:
    """True if a process has ended."""
    return not command_line(pid)


def end_orphans(file: Path, var: Path) -> None:
    """End the Python processes that a killed earlier supervisor of `var` left behind.

    The number alone proves nothing: another program may have it by now, or the file may be a copy
    of a running product's: the command must be ours too, and started for this `var`.
    """
    try:
        processes = json.loads(file.read_text())
    except (OSError, ValueError):
        return
    for name, pid in processes.items():
        if (
            name in ("web", "worker", "beat")
            and b"config." in command_line(pid)
            and was_started_for(pid, var)
        ):
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            wait_until(partial(has_ended, pid), seconds=5)
