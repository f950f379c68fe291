"""The processes of the running product: the start and the stop of each."""

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
class SupervisedService:
    """One process that the supervisor keeps running."""

    name: str
    title: str
    log: Path
    launch: Callable[[], subprocess.Popen[bytes]]
    first_signal: int = signal.SIGTERM
    patience: float = 5.0  # seconds to finish its work after the first signal
    disposable: bool = True  # killing it at once leaves no work for the next start
    quick_deaths: int = 0

    def start(self) -> None:
        """Start the process; it answers when this returns, or will soon."""
        self.process = self.launch()
        self.started_at = time.monotonic()


def redis(home: Home) -> SupervisedService:
    """The embedded Redis."""
    return SupervisedService(
        "redis", "Redis", home.logs / "redis.log", lambda: start_redis(home), disposable=False
    )


def postgres(home: Home) -> SupervisedService:
    """The embedded PostgreSQL; SIGINT makes it end its sessions instead of waiting for them."""
    return SupervisedService(
        "postgres",
        "PostgreSQL",
        home.logs / "postgres.log",
        lambda: start_postgres(home),
        first_signal=signal.SIGINT,
        patience=30,
        disposable=False,
    )


def python_service(
    home: Home,
    name: str,
    title: str,
    arguments: list[str],
    *,
    env: Mapping[str, str],
    patience: float = 5.0,
) -> SupervisedService:
    """A service that runs a Python module of the environment."""
    log = home.logs / f"{name}.log"
    argv = [sys.executable, "-m", *arguments]
    return SupervisedService(
        name, title, log, lambda: spawn(argv, log=log, env=env, cwd=BASE_DIR), patience=patience
    )


def web(home: Home, *, env: Mapping[str, str], port: int) -> SupervisedService:
    """gunicorn, with the worker of config/web."""
    settings = "python:config.web.gunicorn_settings"
    arguments = [
        "gunicorn",
        "--config",
        settings,
        "--bind",
        f"127.0.0.1:{port}",
        "--graceful-timeout",
        "5",
    ]
    return python_service(home, "web", "The web server", arguments, env=env)


def worker(home: Home, *, env: Mapping[str, str]) -> SupervisedService:
    """The Celery worker of numbers, pages and mails.

    A task cut off by the stop is sent again later.
    """
    return _worker(home, "worker", "The Celery worker", queue="short", slots=2, env=env)


def long_worker(home: Home, *, env: Mapping[str, str]) -> SupervisedService:
    """The Celery worker of work that grows with a file, one task at a time."""
    return _worker(
        home, "long-worker", "The Celery worker of long work", queue="long", slots=1, env=env
    )


def webhook_worker(home: Home, *, env: Mapping[str, str]) -> SupervisedService:
    """The Celery worker of webhooks; its slots are threads, as they only wait for receivers."""
    title = "The Celery worker of webhooks"
    return _worker(home, "webhook-worker", title, queue="webhook", slots=4, env=env, pool="threads")


def _worker(
    home: Home,
    name: str,
    title: str,
    *,
    queue: str,
    slots: int,
    env: Mapping[str, str],
    pool: str = "prefork",
) -> SupervisedService:
    arguments = [
        "celery",
        "-A",
        "config.celery",
        "worker",
        "--queues",
        queue,
        "--hostname",
        f"{queue}@%h",
        "--pool",
        pool,
        "--concurrency",
        str(slots),
        "--loglevel",
        "INFO",
        "--without-gossip",
        "--without-mingle",
    ]
    return python_service(home, name, title, arguments, env=env, patience=3)


def beat(home: Home, *, env: Mapping[str, str]) -> SupervisedService:
    """The Celery clock; its schedule lives in memory, every entry is due again soon."""
    arguments = ["celery", "-A", "config.clock", "beat", "--scheduler", "celery.beat:Scheduler"]
    return python_service(home, "beat", "The Celery clock", arguments, env=env, patience=2)


def manage(
    command: str, *arguments: str, home: Home, env: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Run one of Django's commands beside us, its output in a log of its own."""
    return spawn(
        [sys.executable, BASE_DIR / "manage.py", command, *arguments],
        log=home.logs / f"{command}.log",
        env=env,
        cwd=BASE_DIR,
    )
