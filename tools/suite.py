"""The test suite as run by tools: its servers stop, and its folders go, however the tool ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from config.up.processes import die_with_parent  # noqa: E402


def stop_as_by_ctrl_c() -> None:
    """Make the signals that end this process raise KeyboardInterrupt, as Ctrl-C does."""
    for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(signal_number) != signal.SIG_IGN:  # nohup's wish
            signal.signal(signal_number, signal.default_int_handler)


def require_packages() -> None:
    """Exit where this Python cannot run the suite."""
    if not (find_spec("pytest_django") and find_spec("playwright")):
        sys.exit(
            f"This Python has no packages for tests: start it as .venv/bin/python {sys.argv[0]}."
        )


@contextmanager
def suite(
    arguments: Sequence[str], *, cwd: Path, output: int | IO[bytes]
) -> Iterator[subprocess.Popen[bytes]]:
    """Run `manage.py test` of a tree with this interpreter.

    On Ctrl-C it is terminated and waited for.
    """
    environment = {**os.environ, "ASSAYER_NO_BOOTSTRAP": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # each process would compile everything anew
    process = subprocess.Popen(
        [sys.executable, "manage.py", "test", *arguments],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        process_group=0,  # Ctrl-C reaches us alone
        preexec_fn=die_with_parent(signal.SIGTERM),  # noqa: PLW1509 - tools have one thread
    )
    try:
        yield process
    except KeyboardInterrupt:
        process.terminate()
        process.communicate()  # which a full pipe does not hold up
        raise
