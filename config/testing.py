"""Pytest plugin: gives a test run its own PostgreSQL and Redis in a temporary folder.

Loaded by `-p config.testing` before pytest-django reads the settings, which take the addresses
from the environment. Workers of pytest-xdist inherit the servers of the run that started them.
"""

import os
import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from config.embedded import Home, prepare_home, start_postgres, start_redis
from config.processes import stop

MARK = "ASSAYER_TEST_HOME"
servers: list[subprocess.Popen[bytes]] = []


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Start the servers before anything reads the settings."""
    if MARK in os.environ:  # a worker: the servers run already
        worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
        os.environ["REDIS_URL"] = os.environ["REDIS_URL"].replace("db=0", f"db={int(worker) % 8}")
        return
    home = Home(Path(tempfile.mkdtemp(prefix="assayer-test-")))
    home.var.chmod(0o755)
    prepare_home(home)
    servers.extend([start_redis(home), start_postgres(home, durable=False)])
    os.environ.update(
        {
            MARK: str(home.var),
            "ASSAYER_VAR": str(home.var),
            "DATABASE_URL": home.database_url(),
            "REDIS_URL": home.redis_url,
            "SECRET_KEY": secrets.token_urlsafe(64),
            "DJANGO_ALLOW_ASYNC_UNSAFE": "true",  # Playwright's plain interface runs an event loop of its own
            "STATIC_FILES": "plain",
        }
    )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers and remove their folder."""
    if not servers:
        return
    while servers:
        stop(servers.pop())
    home = Home(Path(os.environ.pop(MARK)))
    shutil.rmtree(home.var, ignore_errors=True)
    shutil.rmtree(home.sockets, ignore_errors=True)
