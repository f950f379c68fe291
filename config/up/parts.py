"""The processes of the running product: how each is started, and how it is asked to stop."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from config.up.embedded import start_postgres, start_redis
from config.up.home import Home
from config.up.processes import spawn

BASE_DIR = Path(__file__).resolve().parent.parent.parent


@dataclass
class Part:
    """One process that is kept running."""

    name: str
    title: str
    log: Path
    launch: Callable[[], subprocess.Popen[bytes]]
    first_signal: int = signal.SIGTERM
    patience: float = 5.0  # seconds it may take to finish what it is doing
    disposable: bool = True  # may be killed at once without work for the next start
    quick_deaths: int = 0

    def start(self) -> None:
        """Start the process; it answers when this returns, or will soon."""
        self.process = self.launch()
        self.started_at = time.monotonic()


def redis(home: Home) -> Part:
    """The embedded Redis."""
    return Part("redis", "Redis", home.logs / "redis.log", lambda: start_redis(home), disposable=False)


def postgres(home: Home) -> Part:
    """The embedded PostgreSQL; SIGINT makes it end its sessions instead of waiting for them."""
    return Part(
        "postgres",
        "PostgreSQL",
        home.logs / "postgres.log",
        lambda: start_postgres(home),
        first_signal=signal.SIGINT,
        patience=30,
        disposable=False,
    )


def python_part(
    home: Home, name: str, title: str, arguments: list[str], *, env: Mapping[str, str], patience: float = 5.0
) -> Part:
    """A part that is a Python module of the environment."""
    log = home.logs / f"{name}.log"
    argv = [sys.executable, "-m", *arguments]
    return Part(name, title, log, lambda: spawn(argv, log=log, env=env, cwd=BASE_DIR), patience=patience)


def web(home: Home, *, env: Mapping[str, str], port: int) -> Part:
    """gunicorn, with the worker of config/web."""
    settings = "python:config.web.gunicorn_settings"
    arguments = ["gunicorn", "--config", settings, "--bind", f"127.0.0.1:{port}", "--graceful-timeout", "5"]
    return python_part(home, "web", "The web server", arguments, env=env)


def worker(home: Home, *, env: Mapping[str, str]) -> Part:
    """The Celery worker of numbers, pages and mails; a task cut off by the stop is handed out again after the start."""
    return _worker(home, "worker", "The Celery worker", queue="short", slots=2, env=env)


def long_worker(home: Home, *, env: Mapping[str, str]) -> Part:
    """The Celery worker of what grows with somebody's file, one at a time."""
    return _worker(home, "long-worker", "The Celery worker of long work", queue="long", slots=1, env=env)


def _worker(home: Home, name: str, title: str, *, queue: str, slots: int, env: Mapping[str, str]) -> Part:
    arguments = [
        "celery",
        "-A",
        "config.celery",
        "worker",
        "--queues",
        queue,
        "--hostname",
        f"{queue}@%h",
        "--concurrency",
        str(slots),
        "--loglevel",
        "INFO",
        "--without-gossip",
        "--without-mingle",
    ]
    return python_part(home, name, title, arguments, env=env, patience=3)


def beat(home: Home, *, env: Mapping[str, str]) -> Part:
    """The Celery clock; its schedule lives in memory, every entry is due again soon."""
    arguments = ["celery", "-A", "config.clock", "beat", "--scheduler", "celery.beat:Scheduler"]
    return python_part(home, "beat", "The Celery clock", arguments, env=env, patience=2)


def manage(command: str, *, home: Home, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Run one of Django's commands beside us, its output in a log of its own."""
    return spawn(
        [sys.executable, BASE_DIR / "manage.py", command], log=home.logs / f"{command}.log", env=env, cwd=BASE_DIR
    )
