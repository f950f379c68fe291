"""docker-compose.yml, and each of its commands of ours, run against real servers."""

import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from pytest_django import DjangoDbBlocker

from config import app_role
from config.up.embedded import create_database
from config.up.home import Home
from config.up.processes import spawn, stop, wait_until
from tests.servers.databases import migrated_template
from tests.servers.stack import is_fully_ready, separate_redis

ROOT = Path(__file__).resolve().parents[3]
SERVICES = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
KEY = secrets.token_urlsafe(64)  # the same for all services
OURS = ("migrate", "web", "worker", "long-worker", "webhook-worker", "beat")


def filled_in(value: str, variables: dict[str, str]) -> str:
    """A value with ${NAME:-default} and ${NAME:?message} replaced, as docker compose does it."""

    def replace(match: re.Match[str]) -> str:
        name, default = match[1], match[3] if match[2] == ":-" else None
        text = variables.get(name) or default
        assert text is not None, f"{name} has no default and must be given"
        return text

    return re.sub(r"\$\{(\w+)(?:(:-|:\?)([^}]*))?\}", replace, value)


def environment(service: dict[str, Any], servers: dict[str, str], folder: Path) -> dict[str, str]:
    """The service's environment, with the addresses of the test's servers."""
    variables = {"SECRET_KEY": KEY, "POSTGRES_PASSWORD": "unused", "APP_PASSWORD": "unused"}
    service_environment = {
        name: filled_in(str(value), variables) for name, value in service["environment"].items()
    }
    role = urlsplit(service_environment["DATABASE_URL"]).username
    assert role == ("assayer" if "APP_PASSWORD" in service_environment else app_role.NAME)
    assert service_environment["DATABASE_URL"].startswith(f"postgres://{role}:unused@postgres:")
    assert service_environment["REDIS_URL"].startswith("redis://redis:")
    replaced = {
        **servers,
        "DATABASE_URL": servers["DATABASE_URL"].replace("//assayer@", f"//{role}@"),
        "ASSAYER_VAR": str(folder),
        "MEDIA_ROOT": str(folder / "media"),
        "STATIC_FILES": "plain",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": os.environ.get("HOME", "/"),
    }
    return {**service_environment, **replaced}


def test_the_parts_are_there_and_no_secret_is() -> None:
    assert {"postgres", "redis", *OURS} <= set(SERVICES)
    assert SERVICES["postgres"]["image"] == "postgres:18"
    assert "noeviction" in SERVICES["redis"]["command"]
    secrets = [
        SERVICES["web"]["environment"]["SECRET_KEY"],
        SERVICES["postgres"]["environment"]["POSTGRES_PASSWORD"],
    ]
    secrets += [
        SERVICES["migrate"]["environment"]["APP_PASSWORD"],
        SERVICES["beat"]["environment"]["DATABASE_URL"],
    ]
    assert all(
        "POSTGRES_PASSWORD" not in SERVICES[name]["environment"]["DATABASE_URL"]
        for name in OURS[1:]
    )
    assert all(":?" in secret for secret in secrets)


@pytest.fixture
def running(
    service_home: Home, tmp_path: Path, open_folder: Path, django_db_blocker: DjangoDbBlocker
) -> Iterator[dict[str, subprocess.Popen[bytes]]]:
    """Start every service of ours by its own command, on a free port."""
    create_database(
        service_home, "compose", template=migrated_template(service_home, django_db_blocker)
    )
    processes: dict[str, subprocess.Popen[bytes]] = {}
    with separate_redis(open_folder) as redis_url:
        servers = {"DATABASE_URL": service_home.database_url("compose"), "REDIS_URL": redis_url}
        try:
            for name in OURS:
                env = environment(SERVICES[name], servers, tmp_path)
                command = [
                    part.replace("0.0.0.0:8000", "127.0.0.1:0")
                    for part in SERVICES[name]["command"]
                ]
                processes[name] = spawn(
                    ["env", *command], log=tmp_path / f"{name}.log", env=env, cwd=ROOT
                )
                if name == "migrate":
                    assert processes[name].wait(600) == 0, (tmp_path / "migrate.log").read_text()
            yield processes
        finally:
            for process in processes.values():
                process.send_signal(signal.SIGTERM)  # to all at once, so that they end side by side
            for process in processes.values():
                stop(process)


@pytest.mark.full
def test_every_command_runs_and_together_they_are_ready(
    running: dict[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    logs = {name: tmp_path / f"{name}.log" for name in OURS}

    def ready() -> bool:
        listens = re.search(r"Listening at: (http://127\.0\.0\.1:\d+)", logs["web"].read_text())
        return listens is not None and is_fully_ready(listens[1])

    assert wait_until(ready, seconds=600, step=0.2), {
        name: log.read_text()[-2000:] for name, log in logs.items()
    }
    assert [name for name in OURS[1:] if running[name].poll() is not None] == []
