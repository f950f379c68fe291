"""Starts of the product and its deployment check, each in an environment of its own."""

import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.up.processes import spawn, stop, wait_until
from tests.servers.stack import ROOT

KEY = secrets.token_urlsafe(64)
WEB = ("-m", "gunicorn", "--config", "python:config.web.gunicorn_settings", "--bind", "127.0.0.1:0")
WORKER = (
    "-m",
    "celery",
    "-A",
    "config.celery",
    "worker",
    "--queues",
    "short",
    "--concurrency",
    "1",
)
BEAT = ("-m", "celery", "-A", "config.clock", "beat", "--scheduler", "celery.beat:Scheduler")
UP = ("manage.py", "up", "--no-demo", "--port", "0")
CHECK = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")
CHECK_ALL = (*CHECK, "--database", "default")


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """The environment of a process with these variables alone."""
    outer = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    ours = {
        "ASSAYER_NO_BOOTSTRAP": "1",
        "ASSAYER_VAR": str(folder),
        "STATIC_FILES": "plain",
        "SECRET_KEY": KEY,
    }
    return {**outer, **ours, **settings}


def run_all(*commands: tuple[str, ...], env: dict[str, str]) -> list[tuple[int, str]]:
    """Run commands side by side until each has ended; return codes and outputs."""
    running = [
        subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for command in commands
    ]
    try:
        outputs = [process.communicate(timeout=600)[0] for process in running]
    finally:
        for process in running:
            process.kill()
            process.wait()
    return [(process.returncode, text) for process, text in zip(running, outputs, strict=True)]


@contextmanager
def listening(env: dict[str, str], log: Path) -> Iterator[str]:
    """Start the web server alone; return its address."""
    process = spawn([sys.executable, *WEB], log=log, env=env, cwd=ROOT)
    try:

        def address() -> re.Match[str] | None:
            return re.search(r"Listening at: (http://127\.0\.0\.1:\d+)", log.read_text())

        assert wait_until(lambda: bool(address()) or process.poll() is not None, seconds=600)
        port = address()
        assert port and process.poll() is None, log.read_text()
        yield port[1]
    finally:
        stop(process, first=signal.SIGTERM)
