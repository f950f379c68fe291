"""The making of `.venv` from a lock: by uv or pip, from pip's indexes, and never past a hash."""

import hashlib
import io
import os
import re
import secrets
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from config.up import installers, virtual_environment
from tests.anywhere.installations import share_environment
from tests.house import source_tree

WHEEL = "tiny-1.0-py3-none-any.whl"
PEOPLES = ("HOME", "PATH", "LANG")
# pip makes each environment three times as slowly
BY_EITHER = [True, pytest.param(False, marks=pytest.mark.heavy)]


def tiny_wheel() -> bytes:
    """A wheel of one module."""
    files = {
        "tiny.py": "VALUE = 1\n",
        "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        "tiny-1.0.dist-info/WHEEL": (
            "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        ),
    }
    files["tiny-1.0.dist-info/RECORD"] = "".join(
        f"{name},,\n" for name in (*files, "tiny-1.0.dist-info/RECORD")
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


@pytest.fixture
def product(open_folder: Path) -> Path:
    """A copy of the code that makes the environment, with a lock of the tiny package alone."""
    root = source_tree.copy(open_folder / "product", names=source_tree.MAKES_THE_ENVIRONMENT)
    (root / "index" / "tiny").mkdir(parents=True)
    (root / "index" / "tiny" / WHEEL).write_bytes(tiny_wheel())
    lock(root, hashlib.sha256(tiny_wheel()).hexdigest())
    return root


def lock(root: Path, digest: str) -> None:
    """Write the lock, with this hash."""
    (root / "requirements" / "run.txt").write_text(f"tiny==1.0 \\\n    --hash=sha256:{digest}\n")


@contextmanager
def index(root: Path) -> Iterator[str]:
    """The address of a package index with the tiny package."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words: object) -> None:
            pass

    with ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Quiet, directory=str(root / "index"))
    ) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def make(
    root: Path, variables: dict[str, str], *, with_uv: bool, of: str = "run.txt"
) -> subprocess.CompletedProcess[str]:
    """Make the environment of a lock with pip's settings from a file; return the output."""
    file = root / "pip.conf"
    file.write_text(
        "[global]\n" + "".join(f"{name} = {value}\n" for name, value in variables.items())
    )
    env = {name: os.environ[name] for name in PEOPLES if name in os.environ}
    programs = root / "programs"
    programs.mkdir(exist_ok=True)
    if with_uv:
        uv = shutil.which("uv") or shutil.which("uv", path=Path(sys.prefix, "bin"))
        if not (programs / "uv").exists():
            (programs / "uv").symlink_to(uv or pytest.skip("there is no uv here"))
    env |= {"PIP_CONFIG_FILE": str(file), "PATH": str(programs), "NO_PROXY": "127.0.0.1"}
    env |= {"UV_CACHE_DIR": str(root / "cache")}
    code = f"from config.up import virtual_environment; virtual_environment.make({of!r})"
    return subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=env, capture_output=True, text=True, check=False
    )


def is_installed(root: Path) -> bool:
    """Whether the package is installed, and the environment stamped."""
    packages = list(root.glob(".venv/lib/python*/site-packages/tiny.py"))
    assert bool(packages) == (root / ".venv" / "made-from-run.txt").exists()
    return bool(packages)


@pytest.mark.full
def test_uv_looks_where_pip_is_told_to(product: Path) -> None:
    with index(product) as address:
        answer = make(product, {"index-url": address, "default-timeout": "20"}, with_uv=True)
    assert answer.returncode == 0, answer.stderr
    assert is_installed(product)
    # uv's words
    assert "Installed 1 package" in (product / ".venv" / "installation.log").read_text()
    assert "Packages: " in answer.stderr and "1 packages are installed" in answer.stderr
    assert answer.stdout == ""  # which is the command's that follows


@pytest.mark.heavy
def test_uv_takes_folders_of_wheels_from_pip(product: Path) -> None:
    folders = f"{product / 'index' / 'tiny'} /no/such/folder"
    answer = make(product, {"find-links": folders, "no-index": "true"}, with_uv=True)
    assert answer.returncode == 0 and is_installed(product), answer.stdout + answer.stderr
    assert "Installed 1 package" in (product / ".venv" / "installation.log").read_text()


@pytest.mark.full
def test_pip_installs_where_uv_cannot_be_had(product: Path) -> None:
    with index(product) as address:
        answer = make(product, {"index-url": address}, with_uv=False)
    assert answer.returncode == 0 and is_installed(product), answer.stdout + answer.stderr
    # pip's words
    assert "Successfully installed tiny-1.0" in (product / ".venv" / "installation.log").read_text()


@pytest.mark.full
@pytest.mark.parametrize("with_uv", BY_EITHER)
def test_a_package_with_another_hash_is_not_installed(product: Path, with_uv: bool) -> None:
    lock(product, "0" * 64)
    with index(product) as address:
        answer = make(product, {"index-url": address}, with_uv=with_uv)
    assert answer.returncode != 0 and not is_installed(product)
    assert "could not be installed: a package has another hash than the lock says" in answer.stderr


def test_what_pip_is_told_reaches_uv_as_its_own_variables_and_options(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    variables = {
        "PIP_INDEX_URL": "http://127.0.0.1:1/simple",
        "PIP_EXTRA_INDEX_URL": "http://127.0.0.1:2/simple http://127.0.0.1:3/simple",
        "PIP_CERT": "/etc/ca.pem",
        "PIP_PROXY": "http://127.0.0.1:4",
        "PIP_FIND_LINKS": "/usr file:///b /no/such/folder",
        "PIP_TRUSTED_HOST": "127.0.0.1",
        "UV_NO_VERIFY_HASHES": "1",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for name in ("UV_DEFAULT_INDEX", "UV_INDEX", "SSL_CERT_FILE", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(installers, "PYTHON", Path(sys.executable))
    installers.pip.cache_clear(), installers.pip_settings.cache_clear()
    try:
        env, command = installers.uv_variables(), installers.uv_install("uv")
    finally:
        installers.pip.cache_clear(), installers.pip_settings.cache_clear()
    assert (
        env["UV_DEFAULT_INDEX"] == variables["PIP_INDEX_URL"]
        and env["UV_INDEX"] == variables["PIP_EXTRA_INDEX_URL"]
    )
    assert env["SSL_CERT_FILE"] == "/etc/ca.pem" and env["ALL_PROXY"] == variables["PIP_PROXY"]
    assert "UV_NO_VERIFY_HASHES" not in env
    words = " ".join(command)
    assert words.count("--find-links") == 2 and "--find-links /usr --find-links file:///b" in words
    assert "--allow-insecure-host 127.0.0.1" in words


def test_the_progress_of_uv_and_pip_is_read_from_what_they_print() -> None:
    assert installers.uv_progress("") == "looking them up"
    resolved = (
        "Resolved 51 packages in 1ms\nDownloading numpy (16.1MiB)\nDownloading scipy (33.7MiB)\n"
    )
    how_far = installers.uv_progress(resolved + " Downloaded numpy\n")
    assert how_far == "51 in all, 1 of the 2 large ones are fetched"
    assert re.fullmatch(
        r"\d+ of 51 unpacked", installers.uv_progress(resolved + "Prepared 51 packages in 3s\n")
    )
    assert re.fullmatch(
        r"\d+ of 51 unpacked", installers.uv_progress("Resolved 51 packages in 1ms\n")
    )
    names = {"amqp", "colorama", "numpy"}
    text = "Ignoring colorama: markers 'x' don't match\nCollecting amqp==5 (from y)\n"
    assert installers.pip_progress(names, text) == "1 of 2 fetched"
    text += "Installing collected packages: amqp"
    assert re.fullmatch(r"\d of 2 unpacked", installers.pip_progress(names, text))


def test_an_environment_serves_only_with_the_very_versions_of_the_lock(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert virtual_environment.has_packages("run.txt")  # these tests run in one that does
    text = (virtual_environment.LOCKS / "run.txt").read_text()
    (tmp_path / "newer.txt").write_text(
        re.sub(r"^django==\S+", "django==99.0", text, flags=re.MULTILINE)
    )
    (tmp_path / "more.txt").write_text(text + "no-such-package==1.0\n")
    (tmp_path / "elsewhere.txt").write_text(
        text + "no-such-package==1.0 ; sys_platform == 'win32'\n"
    )
    monkeypatch.setattr(virtual_environment, "LOCKS", tmp_path)
    assert [
        virtual_environment.has_packages(name)
        for name in ("newer.txt", "more.txt", "elsewhere.txt")
    ] == [False, False, True]


@pytest.mark.full
@pytest.mark.parametrize("with_uv", BY_EITHER)
def test_what_a_killed_installer_left_is_not_taken_for_installed(
    product: Path, with_uv: bool
) -> None:
    with index(product) as address:
        assert make(product, {"index-url": address}, with_uv=with_uv).returncode == 0
        # the killed one came as far as its name
        next(product.glob(".venv/lib/python*/site-packages/tiny.py")).unlink()
        (product / ".venv" / "made-from-run.txt").unlink()
        (product / ".venv" / "unfinished").touch()
        answer = make(product, {"index-url": address}, with_uv=with_uv)
    assert answer.returncode == 0 and is_installed(product), answer.stderr
    assert not (product / ".venv" / "unfinished").exists()


@pytest.mark.full
@pytest.mark.parametrize("with_uv", BY_EITHER)
@pytest.mark.parametrize("larger", ["s3.txt", "dev.txt"])
def test_further_packages_that_cannot_be_had_leave_the_product_whole(
    product: Path, with_uv: bool, larger: str
) -> None:
    missing = f"missing==1.0 \\\n    --hash=sha256:{'0' * 64}\n"
    (product / "requirements" / larger).write_text(
        (product / "requirements" / "run.txt").read_text() + missing
    )
    with index(product) as address:
        assert make(product, {"index-url": address}, with_uv=with_uv).returncode == 0
        half = next(product.glob(".venv/lib/python*/site-packages")) / "missing-1.0.dist-info"
        half.mkdir()  # a killed installer came as far as its name
        (half / "METADATA").write_text("Metadata-Version: 2.1\nName: missing\nVersion: 1.0\n")
        assert make(product, {"index-url": address}, with_uv=with_uv, of=larger).returncode != 0
    assert is_installed(product) and not half.exists()
    assert not (product / ".venv" / f"made-from-{larger}").exists()


@pytest.mark.full
def test_a_larger_lock_brings_all_of_the_smaller_ones(product: Path) -> None:
    text = (product / "requirements" / "run.txt").read_text()
    for other in ("s3.txt", "dev.txt"):
        (product / "requirements" / other).write_text(text)
    with index(product) as address:
        assert make(product, {"index-url": address}, with_uv=True, of="s3.txt").returncode == 0
    assert is_installed(product) and (product / ".venv" / "made-from-s3.txt").exists()
    assert not (product / ".venv" / "made-from-dev.txt").exists()


@contextmanager
def running_on(root: Path, name: str) -> Iterator[subprocess.Popen[str]]:
    """A process that runs on the packages of a lock, until it gets a line."""
    code = (
        "from config.up import virtual_environment as e; "
        f"print(e.is_ready({name!r}), flush=True); input()"
    )
    command = [root / ".venv" / "bin" / "python", "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in virtual_environment.MISLEADING_PYTHON
    }
    with subprocess.Popen(command, cwd=root, env=env, text=True, **pipes) as running:
        assert running.stdout.readline() == "True\n"
        yield running


@pytest.mark.full
def test_packages_are_not_taken_away_from_what_runs_on_them(product: Path) -> None:
    with index(product) as address:
        assert make(product, {"index-url": address}, with_uv=True).returncode == 0
        with running_on(product, "run.txt") as running:
            (product / "requirements" / "run.txt").open("a").write("# a newer lock\n")
            answer = make(product, {"index-url": address}, with_uv=True)
            assert (
                answer.returncode != 0
                and "a running product or test uses them: stop it" in answer.stderr
            )
            assert is_installed(product)
            running.communicate("\n")
        assert make(product, {"index-url": address}, with_uv=True).returncode == 0


@pytest.mark.full
@pytest.mark.parametrize(("used", "larger_is_made"), [("run.txt", True), ("s3.txt", False)])
def test_packages_of_a_larger_lock_are_not_taken_away_either(
    product: Path, used: str, larger_is_made: bool
) -> None:
    requirements = product / "requirements"
    (requirements / "run.txt").rename(requirements / "s3.txt")
    shutil.copy(requirements / "s3.txt", requirements / "dev.txt")
    (requirements / "run.txt").touch()  # so that the package is of the larger lock alone
    with index(product) as address:
        assert make(product, {"index-url": address}, with_uv=True, of="s3.txt").returncode == 0
        with running_on(product, used) as running:
            (requirements / "s3.txt").open("a").write("# a newer lock\n")
            answer = make(product, {"index-url": address}, with_uv=True, of="dev.txt")
            assert (answer.returncode == 0) == larger_is_made, answer.stderr
            assert larger_is_made or "a running product or test uses them: stop it" in answer.stderr
            assert is_installed(product)
            running.communicate("\n")
        assert make(product, {"index-url": address}, with_uv=True, of="dev.txt").returncode == 0


@pytest.mark.heavy
def test_packages_that_a_setting_led_elsewhere_are_not_taken_for_installed(
    product: Path, open_folder: Path
) -> None:
    with index(product) as address:
        answer = make(
            product, {"index-url": address, "target": str(open_folder / "elsewhere")}, with_uv=False
        )
    assert answer.returncode != 0 and not is_installed(product)
    assert "tiny 1.0 was not installed into" in answer.stderr


@pytest.mark.full
def test_the_variables_of_python_do_not_follow_into_the_environment_of_the_lock(
    open_folder: Path,
) -> None:
    root = share_environment(source_tree.copy(open_folder / "product"))
    (open_folder / "old" / "django").mkdir(parents=True)
    (open_folder / "old" / "django" / "__init__.py").write_text(
        "raise ImportError('another Django')"
    )
    command = [root / ".venv" / "bin" / "python", root / "manage.py", "version"]
    env = {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(open_folder / "old"),
        "SECRET_KEY": secrets.token_urlsafe(64),
    }
    answer = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert answer.stdout.startswith("5."), answer.stderr
