"""Pytest plugin: gives a test run its own PostgreSQL, Redis and folder, and finds a browser.

It is loaded by `-p config.testing` before pytest-django reads the settings, which take the
addresses from the environment. Workers of pytest-xdist inherit the servers of the run that started
them.
"""

import fcntl
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import pytest

from config.up.embedded import start_postgres, start_redis
from config.up.home import Home, prepare_home, reachable, server_account
from config.up.processes import StartError, stop
from config.up.server_data import drop_data_folder

MARK = "ASSAYER_TEST_HOME"
PREFIX = "assayer-test-"
MAX_PROCESSES = 8  # Redis numbers 16 databases, and each process of pytest-xdist has two
# the first opens a page in a third of the time
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
BROWSER_FIXTURES = {"browser", "context", "driver", "new_context", "page"}
# for pytest-xdist's processes: there, allocations after a freed large array would keep its memory
MALLOC = {"MALLOC_MMAP_THRESHOLD_": "262144"}
servers: list[subprocess.Popen[bytes]] = []


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Start the servers before anything reads the settings."""
    os.umask(0o022)  # servers enter folders that tests make, whatever the terminal's umask
    if MARK in os.environ:  # a worker: the servers run already
        os.environ["REDIS_URL"] = os.environ["REDIS_URL"].replace("db=0", f"db={process_number()}")
        for name in MALLOC:  # programs that tests start use memory as elsewhere
            os.environ.pop(name, None)
        return
    try:
        # TMPDIR may be root's alone
        if not reachable(Path(tempfile.gettempdir()), server_account()):
            tempfile.tempdir = os.environ["TMPDIR"] = "/tmp"  # noqa: S108 - mkdtemp uses it
    except StartError as error:
        raise SystemExit(str(error)) from error
    for signal_number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(signal_number) != signal.SIG_IGN:  # as nohup sets
            # as by Ctrl-C, else nothing is cleaned up
            signal.signal(signal_number, signal.default_int_handler)
    remove_stale_runs()
    home = Home(Path(tempfile.mkdtemp(prefix=PREFIX)))
    # at the end, also of a run whose arguments are wrong
    early_config.add_cleanup(lambda: remove(home))
    claim_folder(home)
    home.var.chmod(0o755)
    (home.var / "static").mkdir()
    try:
        prepare_home(home)
        servers.append(start_redis(home, durable=False))
        servers.append(start_postgres(home, durable=False))
    except StartError as error:
        raise SystemExit(str(error)) from error  # exit code 1: this is no matter of arguments
    os.environ.update(
        {
            MARK: str(home.var),
            "ASSAYER_VAR": str(home.var),
            "DATABASE_URL": home.database_url(),
            "REDIS_URL": home.redis_url,
            "SECRET_KEY": secrets.token_urlsafe(64),
            "STATIC_FILES": "plain",
            # each thread of a server and of a codec would keep memory of its own
            "MALLOC_ARENA_MAX": "2",
            # Playwright's plain interface runs an event loop of its own
            "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
        }
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let pytest's own folders go with the run, unless --basetemp says where they are."""
    config.option.basetemp = config.option.basetemp or run_home().var / "pytest"


@pytest.hookimpl(optionalhook=True)  # pytest-xdist's own
def pytest_xdist_setupnodes(specs: list[object]) -> None:
    """Refuse more processes than can be kept apart, and let each keep its memory small."""
    if len(specs) > MAX_PROCESSES:
        raise pytest.UsageError(
            f"{MAX_PROCESSES} processes at most (-n {MAX_PROCESSES}); {len(specs)} were wanted."
        )
    os.environ.update(MALLOC)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Name PostgreSQL's connections after the test that opens them, to find open ones."""
    os.environ["PGAPPNAME"] = item.nodeid[-63:]


def pytest_keyboard_interrupt() -> None:
    """Print at once that the run is being stopped, which takes some seconds."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        # a second Ctrl-C would leave things where they are
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("\nStopping the tests and their servers.", flush=True)


def claim_folder(home: Home) -> bool:
    """Lock a run's folder for this process until it ends; return False if another one holds it."""
    mark, draft = home.var / "held", home.var / "held.new"
    lock_file = os.open(mark if mark.exists() else draft, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    try:
        fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock_file)
        return False
    if not mark.exists():
        draft.rename(mark)  # locked before anybody can find it
    return True


def remove_stale_runs() -> None:
    """Remove the folders of runs that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError, StartError):  # another run removes it at the same moment
            # a folder without the file may belong to a run that just begins
            if (
                folder.stat().st_uid == os.getuid()
                and (folder / "held").exists()
                and claim_folder(home := Home(folder))
            ):
                remove(home)


def remove(home: Home) -> None:
    """Stop this run's servers and delete what they wrote."""
    os.environ.pop(MARK, None)
    while servers:
        stop(servers.pop())
    drop_data_folder(home)
    shutil.rmtree(home.var, ignore_errors=True)
    if home.var.exists():  # a server of a killed run, which is just ending, wrote meanwhile
        (home.var / "held").touch()  # so that a later run removes the rest
    shutil.rmtree(home.sockets, ignore_errors=True)


def run_home() -> Home:
    """The home of this run's servers."""
    return Home(Path(os.environ[MARK]))


def process_number() -> int:
    """The number of this process among those of pytest-xdist, from 0 to 7."""
    return int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % MAX_PROCESSES


@contextmanager
def once_a_run(name: str) -> Iterator[Path]:
    """Let one process of the run in at a time.

    Give the path where the first stores the shared result.
    """
    with open(run_home().var / f"{name} turn", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield run_home().var / name


@cache
def chromium() -> str | None:
    """The program of the browser.

    None means Playwright's own; a missing one fails with the command to run.
    """
    with once_a_run("browser"):
        if not playwright_runs() and not (apt_install("libatomic1") and playwright_runs()):
            pytest.fail(
                "Playwright needs a library: run `apt-get install libatomic1` as root.",
                pytrace=False,
            )
        return find_browser()


def playwright_runs() -> bool:
    """True if Playwright's Node.js runs: minimal Debians lack a library that browsers may bring."""
    return quietly(sys.executable, "-m", "playwright", "--version")


def find_browser() -> str | None:
    """Find a browser, or install one."""
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if program:
        return program
    if any((Path.home() / ".cache" / "ms-playwright").glob("chromium*")):
        return None
    for package in ("chromium-headless-shell", "chromium"):
        if installed := apt_install(package) and shutil.which(package):
            return installed
    if quietly(sys.executable, "-m", "playwright", "install", "chromium"):
        return None
    package = "chromium-headless-shell"
    return pytest.fail(
        f"No browser: run `apt-get install {package}` as root, or test --no-browser.", pytrace=False
    )


def apt_install(package: str) -> bool:
    """Install a Debian package, if we are root; return whether it is installed."""
    if os.getuid() != 0 or not shutil.which("apt-get"):
        return False
    quietly("apt-get", "update")
    return quietly("apt-get", "install", "--yes", "--no-install-recommends", package)


def quietly(*command: str) -> bool:
    """Run a program without showing its output; return whether it succeeded."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
