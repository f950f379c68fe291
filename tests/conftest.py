"""Fixtures that any test may ask for."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.embedded import create_database
from config.home import Home
from config.testing import chromium, run_home
from tests.stack import Stack


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, object]) -> dict[str, object]:
    """Start the Chromium of this machine, with nothing that calls home or needs a desktop."""
    executable = chromium()
    return {
        **browser_type_launch_args,
        **({"executable_path": executable} if executable else {}),
        "args": [
            "--no-sandbox",  # a container's root cannot make one
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--autoplay-policy=no-user-gesture-required",
        ],
    }


@pytest.fixture(scope="session")
def service_home() -> Home:
    """Where this run's PostgreSQL and Redis are."""
    return run_home()


@pytest.fixture(scope="session")
def live_stack(service_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The running product on a second database of this run's PostgreSQL, shared by all who ask."""
    folder = tmp_path_factory.mktemp("live stack")
    name = f"live_{folder.stat().st_ino}"
    create_database(service_home, name)
    addresses = {
        "DATABASE_URL": service_home.database_url(name),
        "REDIS_URL": service_home.redis_url.replace("db=0", "db=9"),
    }
    stack = Stack(folder, addresses)
    try:
        stack.start()
        yield stack
    finally:
        stack.stop()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A temporary folder that the account of the embedded servers can reach; pytest's own is closed to it."""
    folder = Path(tempfile.mkdtemp(prefix="assayer-stack-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def fault_stack(open_folder: Path) -> Iterator[Callable[..., Stack]]:
    """Makes running products with servers of their own and production durability, for tests that break them."""
    made: list[Stack] = []

    def make(name: str = "fault stack", **settings: str) -> Stack:
        stack = Stack(open_folder / name, {"STATIC_FILES": "plain", **settings})
        made.append(stack)
        stack.start()
        return stack

    yield make
    for stack in made:
        stack.stop()
