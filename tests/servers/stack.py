"""A running product for tests: real servers, web, worker and scheduler, by `manage.py up`."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from pytest_django import DjangoDbBlocker

from config.testing import once_a_run
from config.up.embedded import start_redis
from config.up.home import Home, prepare_home
from config.up.processes import command_line, die_with_parent, stop, wait_until
from tests.servers.databases import using_database

ROOT = Path(__file__).resolve().parents[2]
STACK_VARIABLES = (
    "DATABASE_URL",
    "REDIS_URL",
    "SECRET_KEY",
    "SITE_URL",
    "STATIC_FILES",
    "ASSAYER_VAR",
    "PORT",
)


@dataclass
class Stack:
    """One `manage.py up` in a folder of its own; a `with` block stops it, also after errors.

    Without DATABASE_URL in `settings` it has a PostgreSQL and Redis of its own, durable as in
    production.
    """

    folder: Path
    settings: dict[str, str] = field(default_factory=dict)
    root: Path = ROOT
    python: str = sys.executable
    prefix: tuple[str, ...] = ()  # a command before Python: prlimit

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.home = Home(Path(self.settings.get("ASSAYER_VAR", self.folder / "var")))
        self.output = self.folder / "up.log"
        self.url = ""
        self.process: subprocess.Popen[bytes]  # once it is launched

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        if hasattr(self, "process"):
            # SIGINT may still be ignored, as it is for what a shell starts with &
            self.stop(signal.SIGTERM)

    @property
    def env(self) -> dict[str, str]:
        """The environment of every command that belongs to this stack."""
        outer = {name: value for name, value in os.environ.items() if name not in STACK_VARIABLES}
        return {
            **outer,
            "ASSAYER_NO_BOOTSTRAP": "1",
            "ASSAYER_VAR": str(self.home.var),
            **self.settings,
        }

    @property
    def database_url(self) -> str:
        """URL of its database."""
        return self.settings.get("DATABASE_URL") or self.home.database_url()

    @property
    def redis_url(self) -> str:
        """URL of its Redis."""
        return self.settings.get("REDIS_URL") or self.home.redis_url

    def launch(self, *options: str) -> None:
        """Start `up` and return at once, from the main thread; it ends with the test process."""
        command = [
            *self.prefix,
            self.python,
            str(self.root / "manage.py"),
            "up",
            "--no-demo",
            *options,
        ]
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(
                command,
                cwd=self.root,
                env=self.env,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=die_with_parent(signal.SIGTERM),  # noqa: PLW1509 - it takes no lock
            )

    def start(self, *options: str, seconds: float = 600) -> float:
        """Start `up` on a free port and wait until it is ready; returns the seconds it took."""
        start = time.monotonic()
        self.launch(*(options or ("--port", "0")))
        ended = wait_until(
            lambda: "Ready" in self.output_text() or self.process.poll() is not None,
            seconds=seconds,
        )
        assert ended and self.process.poll() is None, self.output_text()
        self.url = next(
            part.rstrip("/") for part in self.output_text().split() if part.startswith("http://")
        )
        return time.monotonic() - start

    def continue_from(self, other: "Stack") -> None:
        """Copy the database, key, passwords and plain static files of a stopped stack."""
        self.home.var.mkdir(mode=0o755, parents=True)
        accounts = [file.name for file in other.home.var.glob("accounts-made-*")]
        names = ["postgres", "secret_key", "sign-in.json", *accounts]
        if self.settings.get("STATIC_FILES") == other.settings["STATIC_FILES"]:
            names += ["static", "static-collected"]
        subprocess.run(
            ["cp", "-a", *(other.home.var / name for name in names), self.home.var], check=True
        )

    def output_text(self) -> str:
        """The output of `up` so far."""
        return self.output.read_text(errors="replace")

    def processes(self) -> dict[str, int]:
        """The process number of each part."""
        return dict(json.loads((self.home.var / "processes.json").read_text()))

    def kill(self, part: str, number: int = signal.SIGKILL) -> None:
        """Send a signal to one part, once it runs: it may be restarting after a kill."""
        assert wait_until(lambda: command_line(self.processes()[part]) != b"", seconds=600)
        os.kill(self.processes()[part], number)

    def stop(self, number: int = signal.SIGINT, *, seconds: float = 120) -> int:
        """End `up` by a signal; returns its exit code. After `seconds` kill it, and raise."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(seconds)
        finally:
            self.process.kill()  # nothing if it has ended; otherwise its parts end with it
            self.process.wait()

    def sign_in(self, role: str) -> tuple[str, str]:
        """User name and password of the account for a role."""
        return role, json.loads((self.home.var / "sign-in.json").read_text())[role]

    def manage(self, *arguments: str, check: bool = True) -> str:
        """Run one of Django's commands beside the running product; returns what it printed."""
        finished = self.run(*arguments)
        assert finished.returncode == 0 or not check, finished.stdout + finished.stderr
        return finished.stdout + finished.stderr

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The same without a check of its exit code; returns the finished process."""
        command = [self.python, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=self.root, env=self.env, capture_output=True, text=True, check=False
        )

    def orm(self, blocker: DjangoDbBlocker) -> AbstractContextManager[None]:
        """Let models and services of the test process work on this stack's database.

        Tasks enqueued here do not reach this stack's worker; its sweeps find the rows.
        """
        return using_database(self.database_url, blocker)


def stopped_stack() -> Stack:
    """A stopped stack with servers of its own after its first start; the first caller makes it."""
    with once_a_run("started before") as folder, Stack(folder, {"STATIC_FILES": "plain"}) as stack:
        if not (folder / "made").exists():
            stack.start()
            assert stack.stop() == 0
            (folder / "made").touch()
    return stack


@contextmanager
def separate_redis(folder: Path) -> Iterator[str]:
    """A separate Redis in a folder that the servers can reach; yields its URL."""
    home = Home(folder / "redis")
    prepare_home(home)
    server = start_redis(home)
    try:
        yield home.redis_url
    finally:
        stop(server)
        shutil.rmtree(home.sockets, ignore_errors=True)


def is_fully_ready(url: str) -> bool:
    """Whether /readyz reports every part as ok, also parts that pages can do without."""
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=240) as answer:
            return set(json.load(answer)["parts"].values()) == {"ok"}
    except OSError:
        return False
