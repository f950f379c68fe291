"""The making of manage.py's environment, and its messages when that fails."""

import ast
import os
import re
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from config.up import virtual_environment
from tests.anywhere.installations import share_environment
from tests.house import source_tree
from tests.servers.stack import ROOT

KEY = secrets.token_urlsafe(64)
BASE_PYTHON = str(Path(sys.base_prefix) / "bin" / "python3")
BARE = {
    name: value
    for name, value in os.environ.items()
    if name.startswith(("PIP_", "SSL_", "HOME", "LANG"))
}


@pytest.fixture
def copy(open_folder: Path) -> Path:
    """A copy of the code that makes the environment, in a folder with spaces."""
    return source_tree.copy(open_folder / "fresh copy", names=source_tree.MAKES_THE_ENVIRONMENT)


def refusal_text(copy: Path, before: str, command: str = "up") -> str:
    """The message of manage.py under a Python changed by the code `before`."""
    script = f"import runpy, sys; {before}; sys.argv = ['manage.py', {command!r}]; "
    script += "runpy.run_path('manage.py', run_name='__main__')"
    process = subprocess.run(
        [BASE_PYTHON, "-c", script],
        cwd=copy,
        env={**BARE, "PATH": str(copy / "no programs")},  # a uv there would do without pip
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 1
    assert "Traceback" not in process.stderr
    return process.stderr.strip()


def test_an_old_python_is_answered_with_one_sentence(copy: Path) -> None:
    answer = refusal_text(copy, "sys.version_info = (3, 10, 0, 'final', 0)")
    assert answer.startswith("Assayer needs Python 3.11 or newer")
    assert len(answer.splitlines()) == 1


def test_pythons_of_long_ago_understand_manage_py_up_to_that_sentence() -> None:
    text = (ROOT / "manage.py").read_text()
    ast.parse(text, feature_version=(3, 7))
    assert "__future__" not in text


def test_windows_is_told_what_to_do(copy: Path) -> None:
    missing = "sys.modules['fcntl'] = sys.modules['pwd'] = None"  # as there
    answer = refusal_text(
        copy, f"import os, platform; {missing}; os.name = 'nt'; platform.system = lambda: 'Windows'"
    )
    assert "WSL2" in answer and len(answer.splitlines()) == 1


def test_a_python_without_venv_names_the_package_to_install(copy: Path) -> None:
    answer = refusal_text(copy, "sys.modules['ensurepip'] = sys.modules['pip'] = None")
    assert "python3-venv" in answer
    assert len(answer.splitlines()) == 1


def test_a_folder_that_cannot_be_written_is_answered_with_one_sentence(copy: Path) -> None:
    (copy / ".venv").write_text("a file where the folder should be")
    assert (
        refusal_text(copy, "pass", command="test")
        .splitlines()[-1]
        .startswith(("Cannot make", "The packages of"))
    )


@pytest.mark.full
def test_every_command_runs_from_a_python_that_has_no_packages(open_folder: Path) -> None:
    product = share_environment(source_tree.copy(open_folder / "product"))
    study = ROOT / "demo" / "shapes"
    runs = [str(study / "runs" / f"{name}.forward.run.gz") for name in ("heron", "finch")]
    bare = {
        **BARE,
        "PATH": "/usr/bin:/bin",
        "ASSAYER_VAR": str(open_folder / "home"),
        "SECRET_KEY": KEY,
    }
    command = [
        BASE_PYTHON,
        str(product / "manage.py"),
        "evaluate",
        "--qrels",
        str(study / "reference.qrels"),
        *runs,
    ]
    process = subprocess.run(
        command, env=bare, cwd=open_folder, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "SECRET_KEY is missing"),
        pytest.param(
            {"SECRET_KEY": KEY},
            "The database cannot be reached (connection",
            marks=pytest.mark.full,
        ),
        (
            {"SECRET_KEY": KEY, "DATABASE_URL": "postgres://a@127.0.0.1:1/b"},
            "The database cannot be reached (",
        ),
    ],
)
def test_a_command_without_what_it_needs_is_answered_with_one_sentence(
    open_folder: Path, settings: dict[str, str], sentence: str
) -> None:
    bare = {
        **BARE,
        "PATH": "/usr/bin:/bin",
        "ASSAYER_VAR": str(open_folder / "home"),
        "ASSAYER_NO_BOOTSTRAP": "1",
    }
    command = [sys.executable, str(ROOT / "manage.py"), "fsck"]
    process = subprocess.run(
        command, env=bare | settings, cwd=open_folder, capture_output=True, text=True, check=False
    )
    assert process.returncode == 1
    assert process.stderr.startswith(sentence) and len(process.stderr.splitlines()) == 1


def test_an_analysis_of_a_file_needs_no_secret_and_no_database(open_folder: Path) -> None:
    rows = "".join(f"t{t},{t % 3 / 4},{t % 5 / 6}\n" for t in range(40))
    (open_folder / "scores.csv").write_text(f"topic,one,two\n{rows}")
    bare = {
        **BARE,
        "PATH": "/usr/bin:/bin",
        "ASSAYER_VAR": str(open_folder / "home"),
        "ASSAYER_NO_BOOTSTRAP": "1",
    }
    command = [sys.executable, str(ROOT / "manage.py"), "analyse", "anova"]
    process = subprocess.run(
        [*command, "--scores", "scores.csv"],
        env=bare,
        cwd=open_folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith("# Topics make ")


def test_what_a_command_says_keeps_its_order_in_a_file(open_folder: Path) -> None:
    code = "import sys; print('first'); print('second', file=sys.stderr)"
    command = [sys.executable, str(ROOT / "manage.py"), "shell", "--no-imports", "-c", code]
    settings = {
        "ASSAYER_VAR": str(open_folder / "home"),
        "ASSAYER_NO_BOOTSTRAP": "1",
        "SECRET_KEY": KEY,
    }
    with open(open_folder / "said", "w") as file:
        subprocess.run(command, env={**BARE, **settings}, stdout=file, stderr=file, check=True)
    assert (open_folder / "said").read_text() == "first\nsecond\n"


def test_every_lock_has_hashes_and_holds_the_one_before_it() -> None:
    for lock in virtual_environment.NESTED:
        text = (ROOT / "requirements" / lock).read_text()
        assert "--hash=sha256:" in text
        assert "://" not in text
    texts = [(ROOT / "requirements" / lock).read_text() for lock in virtual_environment.NESTED]
    run, s3, dev = [set(re.findall(r"^([\w.-]+)==([^ ;]+)", text, re.MULTILINE)) for text in texts]
    assert run < s3 < dev and {"boto3", "botocore"} <= {name for name, _ in s3 - run}


@pytest.mark.parametrize(
    ("command", "storage", "lock"),
    [
        ("up", "", "run.txt"),
        ("up", "/srv/media", "run.txt"),
        ("up", "s3://films/shown", "s3.txt"),
        ("migrate", "s3://films", "s3.txt"),
        ("test", "s3://films", "dev.txt"),
    ],
)
def test_what_has_its_media_in_a_bucket_has_boto3(
    monkeypatch: pytest.MonkeyPatch, command: str, storage: str, lock: str
) -> None:
    monkeypatch.setenv("MEDIA_STORAGE", storage)
    assert virtual_environment.lock_for(command) == lock
