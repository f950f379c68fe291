"""Both commands on Debians that have nothing but python3 and venv: Python 3.11, 3.13 and 3.14."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.house import source_tree

PROGRAMS = ("debootstrap", "unshare", "chroot")
# mounts and processes end with the command
UNSHARED = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
PASSED_VARIABLES = (
    "PIP_",
    "UV_INDEX",
    "UV_DEFAULT",
    "http_proxy",
    "https_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
)
PACKAGES = "python3,python3-venv,ca-certificates"
SCRIPTS = {"forky": "sid"}  # where debootstrap has no script of that name yet
SYSTEM = """
mount -t proc proc "$1/proc" || exit 1
mount --rbind /dev "$1/dev" && mount -t tmpfs -o size=64m tmpfs "$1/dev/shm" || exit 1
exec chroot "$1" sh -c "cd /opt/assayer || exit 1; $2"
"""
UP = """
python3 manage.py up --port 0 --no-demo >up.log 2>&1 &
until grep -q Ready up.log; do kill -0 $! || { cat up.log; exit 1; }; sleep 1; done
kill -TERM $! && wait $! && ! grep Traceback up.log
"""
AS_ORDINARY_ACCOUNT = """
mkdir /srv/assayer || exit 1
tar --exclude=./.venv --exclude=./var -c . | tar -xC /srv/assayer || exit 1
cd /srv/assayer && chown -R nobody: . || exit 1
exec setpriv --reuid=nobody --regid=nogroup --clear-groups sh -c 'unset HOME; umask 077; {}'
"""


@pytest.fixture(params=["bookworm", "trixie", "forky"])
def debian(request: pytest.FixtureRequest, open_folder: Path) -> Callable[[str], str]:
    """Run a shell command in the product's folder on a minimal Debian; returns its output."""
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if os.getuid() != 0 or missing:
        pytest.skip(
            f"only root can make one, with {', '.join(PROGRAMS)}; missing here: "
            f"{', '.join(missing) or 'root'}"
        )
    system = open_folder / request.param
    command = [
        *UNSHARED,
        "debootstrap",
        "--variant=minbase",
        f"--include={PACKAGES}",
        request.param,
        system,
    ]
    command += ["", SCRIPTS[request.param]] if request.param in SCRIPTS else []
    debootstrap = subprocess.run(command, capture_output=True, text=True, check=False)
    if debootstrap.returncode:
        pytest.skip(
            f"no {request.param} could be fetched: {debootstrap.stdout.strip().splitlines()[-1:]}"
        )
    source_tree.copy(system / "opt" / "assayer")
    (system / "etc" / "hosts").write_text("127.0.0.1 localhost\n")  # debootstrap leaves it out
    env = {name: value for name, value in os.environ.items() if name.startswith(PASSED_VARIABLES)}
    for name in ("PIP_CERT", "SSL_CERT_FILE"):
        if name in os.environ:
            certificate = system / os.environ[name].lstrip("/")
            certificate.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(os.environ[name], certificate)
            env[name] = os.environ[name]

    def run(command: str) -> str:
        finished = subprocess.run(
            [*UNSHARED, "sh", "-c", SYSTEM, "sh", system, command],
            env={**env, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, finished.stdout[-20_000:]
        return finished.stdout

    return run


@pytest.mark.heavy
@pytest.mark.timeout(3 * 3600)
def test_both_commands_run_with_python_and_venv_alone(debian: Callable[[str], str]) -> None:
    debian(UP)
    debian(AS_ORDINARY_ACCOUNT.format(UP))
    tested = debian("python3 manage.py test")
    print(tested.splitlines()[-1])
    assert " passed" in tested
