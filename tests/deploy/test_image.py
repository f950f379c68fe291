"""The image without a container engine: the steps of the Dockerfile in an empty folder.

What only root of a container may do is left out: the account of its own, and who owns what.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from config.up.embedded import create_database
from config.up.home import Home
from config.up.processes import spawn, stop, wait_until
from tests.config.deployment.test_compose import SERVICES, environment
from tests.house import source_tree
from tests.servers.databases import migrated_template
from tests.servers.stack import separate_redis

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 600  # seconds
STAND_INS = {"useradd": "exit 0", "install": 'for last; do :; done; mkdir -p "$last"'}


class Image:
    """A folder in which the Dockerfile's steps run, with a Python of its own, as in the image."""

    def __init__(self, folder: Path, **arguments: str) -> None:
        self.root, self.context, self.arguments = (
            folder / "root",
            source_tree.copy(folder / "context"),
            arguments,
        )
        for name in (self.context / ".dockerignore").read_text().split():
            shutil.rmtree(self.context / name, ignore_errors=True)
        programs = folder / "programs"
        programs.mkdir()
        for name, script in STAND_INS.items():
            (programs / name).write_text(f"#!/bin/sh\n{script}\n")
            (programs / name).chmod(0o755)
        self.root.mkdir()
        self.folder = self.root
        self.env = {
            "PATH": f"{programs}:{folder / 'python' / 'bin'}:/usr/bin:/bin",
            "HOME": str(folder),
        }
        self.env |= {
            name: os.environ[name] for name in os.environ if name.startswith(("PIP_", "SSL_"))
        }
        subprocess.run([sys.executable, "-m", "venv", folder / "python"], check=True)
        self.command: list[str] = []

    def build(self) -> None:
        """Run every step."""
        lines = [
            line
            for line in (ROOT / "Dockerfile").read_text().splitlines()
            if not line.startswith("#")
        ]
        for step in "\n".join(lines).replace("\\\n", " ").splitlines():
            name, _, rest = step.strip().partition(" ")
            if name:
                getattr(self, name)(rest)

    def inside(self, text: str) -> str:
        """A text with the image's folders replaced by those here."""
        return re.sub(r"(?<![\w/.])/(app|media)\b", rf"{self.root}/\1", text)

    def filled_in(self, text: str) -> str:
        """A text with the build's arguments replaced."""
        return re.sub(r"\$\{(\w+)\}", lambda match: self.arguments[match[1]], text)

    def FROM(self, rest: str) -> None:
        """Our Python must be one that the image may have: a virtual environment stands for it."""
        assert re.fullmatch(r"python:3\.\d+-slim", rest)

    def ENV(self, rest: str) -> None:
        """Variables of all later steps, and of the final command."""
        self.env |= dict(part.split("=", 1) for part in shlex.split(self.inside(rest)))

    def ARG(self, rest: str) -> None:
        """An argument of the build, with its default."""
        name, default = rest.split("=")
        self.arguments.setdefault(name, default)

    def WORKDIR(self, rest: str) -> None:
        """The folder of later steps."""
        self.folder = Path(self.inside(rest))
        self.folder.mkdir(parents=True)

    def COPY(self, rest: str) -> None:
        """Files of the repository."""
        source, target = (self.filled_in(part) for part in rest.split())
        if (self.context / source).is_dir():
            shutil.copytree(self.context / source, self.folder / target, dirs_exist_ok=True)
        else:
            (self.folder / target).mkdir(parents=True)
            shutil.copy(self.context / source, self.folder / target)

    def RUN(self, rest: str) -> None:
        """A command of the shell."""
        self.run(["sh", "-c", self.inside(self.filled_in(rest))])

    def USER(self, rest: str) -> None:
        """The account made by the step before."""
        assert f"useradd --system --uid 10001 {rest} " in (ROOT / "Dockerfile").read_text()

    def CMD(self, rest: str) -> None:
        """The final command."""
        self.command = json.loads(rest)

    def run(self, command: list[str], **env: str) -> None:
        """Run a command there, which must succeed."""
        process = subprocess.run(
            command,
            cwd=self.folder,
            env={**env, **self.env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode == 0, process.stdout[-2000:] + process.stderr[-2000:]


@pytest.fixture
def servers(
    service_home: Home, open_folder: Path, django_db_blocker: DjangoDbBlocker
) -> Iterator[dict[str, str]]:
    """The addresses of a database and a Redis."""
    name = f"image_{open_folder.stat().st_ino}"
    create_database(service_home, name, template=migrated_template(service_home, django_db_blocker))
    with separate_redis(open_folder) as redis_url:
        yield {"DATABASE_URL": service_home.database_url(name), "REDIS_URL": redis_url}


@pytest.mark.heavy
@pytest.mark.parametrize(("lock", "storage"), [("run", ""), ("s3", "s3://films/shown")])
def test_the_steps_of_the_image_end_in_a_web_server_that_answers(
    servers: dict[str, str], open_folder: Path, lock: str, storage: str
) -> None:
    image = Image(open_folder / "image", LOCK=lock)
    image.build()
    assert not (image.folder / "tests").exists()
    with ExitStack() as ends:
        settings = {
            name: environment(SERVICES[name], servers, image.root) for name in ("migrate", "web")
        }
        for variables in settings.values():
            for name in ("ASSAYER_VAR", "STATIC_FILES"):  # the image's own
                del variables[name]
            variables["MEDIA_STORAGE"] = storage
        image.run(SERVICES["migrate"]["command"], **settings["migrate"])
        log = open_folder / "web.log"
        assert image.command == SERVICES["web"]["command"]
        command = [part.replace("0.0.0.0:8000", "127.0.0.1:0") for part in image.command]
        process = spawn(
            ["env", *command], log=log, env={**settings["web"], **image.env}, cwd=image.folder
        )
        ends.callback(stop, process)
        listens = re.compile(r"Listening at: (http://127\.0\.0\.1:\d+)")
        assert wait_until(
            lambda: listens.search(log.read_text()) or process.poll() is not None, seconds=PATIENCE
        )
        address = listens.search(log.read_text())
        assert address, log.read_text()
        assert json.loads(get(f"{address[1]}/healthz"))["status"] == "ok"
        style = re.search(
            r'href="(/static/[^"]+\.[0-9a-f]{12}\.css)"', get(f"{address[1]}/accounts/login/")
        )
        assert style and get(address[1] + style[1])


def get(address: str) -> str:
    """The answer at an address."""
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return str(answer.read().decode())
