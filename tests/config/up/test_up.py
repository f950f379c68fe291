"""`manage.py up`, really run."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import urlopen

import psutil
import psycopg
import pytest
import redis
from django.conf import settings
from pytest_django import DjangoDbBlocker

from annotate.models import User
from config.up.processes import command_line, end_orphans, wait_until
from tests import cast
from tests.servers.stack import ROOT, Stack, is_fully_ready, stopped_stack

HASHED = re.compile(r"\.[0-9a-f]{12}\.js$")
IMPORT = re.compile(r"""^\s*(?:import|export|\})[^"';]*["'](\.[^"']+\.js)["']""", re.MULTILINE)
# a test that starts a stack and goes on for an hour
TESTING = """
import pathlib, sys, time
from tests.servers.stack import Stack
Stack(pathlib.Path(sys.argv[1]), {"STATIC_FILES": "plain"}).start()
time.sleep(3600)
"""


def answer(stack: Stack, path: str) -> tuple[int, str]:
    """Status and body of a page."""
    try:
        with urlopen(stack.url + path, timeout=240) as response:
            return response.status, response.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)


def have_ended(processes: list[psutil.Process]) -> bool:
    """Whether none of the processes runs any more.

    Other processes may have their numbers by then.
    """
    return wait_until(lambda: not any(map(runs, processes)), seconds=240)


def runs(process: psutil.Process) -> bool:
    """Whether a process runs, and is no zombie."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def family(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """A process's descendants."""
    return psutil.Process(process.pid).children(recursive=True)


def remembers(stack: Stack, blocker: DjangoDbBlocker) -> bool:
    """Whether the stack's database has the user "kept"."""
    with stack.orm(blocker):
        return User.objects.filter(username="kept").exists()


def test_it_starts_in_a_path_with_spaces_and_goes_on_with_its_data_however_it_ended(
    fault_stack: Callable[..., Stack], django_db_blocker: DjangoDbBlocker
) -> None:
    before = stopped_stack()  # which ended in exit code 0
    assert "annotator" in before.output_text()
    stack = fault_stack("a folder with spaces")
    assert stack.home.secret_key.read_text() == before.home.secret_key.read_text()
    assert answer(stack, "/healthz") == (
        200,
        json.dumps({"status": "ok", "version": settings.VERSION}),
    )
    assert wait_until(lambda: is_fully_ready(stack.url), seconds=600), answer(stack, "/readyz")
    with stack.orm(django_db_blocker):
        cast.user("kept")

    def goes_on(processes: list[psutil.Process]) -> None:
        assert have_ended(processes), processes
        stack.start()
        assert answer(stack, "/healthz")[0] == 200 and remembers(stack, django_db_blocker)

    processes = family(stack.process)
    assert len(processes) > 5
    assert stack.stop(signal.SIGINT) == 0
    goes_on(processes)
    processes = family(stack.process)
    os.kill(stack.process.pid, signal.SIGKILL)
    stack.process.wait()
    goes_on(processes)
    processes = [psutil.Process(stack.process.pid), *family(stack.process)]
    for process in processes:  # at once, as a power cut does
        with suppress(psutil.NoSuchProcess):
            process.kill()
    stack.process.wait()
    goes_on(processes)


@pytest.mark.heavy
def test_a_second_start_takes_a_few_seconds(fault_stack: Callable[..., Stack]) -> None:
    begun = time.monotonic()
    stack = fault_stack(anew=True)
    first = time.monotonic() - begun
    assert stack.stop() == 0
    seconds = stack.start()
    # 3 s after 15 s on an idle machine
    assert seconds < min(first, 6), f"{seconds:.1f} s after {first:.1f} s"


@pytest.mark.full
@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells a process that its parent has ended"
)
def test_it_leaves_nothing_running_when_the_process_that_runs_the_tests_is_killed(
    open_folder: Path,
) -> None:
    stack = Stack(open_folder / "left behind", {"STATIC_FILES": "plain"})
    stack.continue_from(stopped_stack())
    testing = subprocess.Popen([sys.executable, "-c", TESTING, stack.folder], cwd=ROOT)
    try:
        assert wait_until(
            lambda: stack.output.exists() and "Ready" in stack.output_text(), seconds=600
        )
        processes = family(testing)
        assert len(processes) > 5
    finally:
        testing.kill()
        testing.wait()
    assert have_ended(processes), processes
    shutil.rmtree(stack.home.sockets, ignore_errors=True)


def imported(stack: Stack, paths: set[str]) -> set[str]:
    """The scripts at these paths, and all scripts that they import."""
    modules, new = set(), paths
    while new:
        modules |= new
        texts = {path: answer(stack, path) for path in new}
        assert {status for status, _ in texts.values()} == {200}
        new = {
            urljoin(path, name)
            for path, (_, text) in texts.items()
            for name in IMPORT.findall(text)
        } - modules
    return modules


STEPS = ("Starting the ", "Preparing the database")  # what `up` says it is doing


def refusal(stack: Stack, *options: str) -> str:
    """The message of a start that must fail."""
    with stack:
        stack.launch(*options)
        assert stack.process.wait(600) == 1
    output = stack.output_text().strip()
    assert "Traceback" not in output
    *steps, sentence = output.splitlines()
    assert all(step.startswith(STEPS) for step in steps), output
    assert sentence.startswith("Assayer stopped. ")
    return sentence


def test_a_taken_port_is_answered_with_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = str(listener.getsockname()[1])
        assert f"Port {port} cannot be used" in refusal(Stack(tmp_path), "--port", port)


@pytest.mark.parametrize("port", ["abc", "-1", "65536"])
def test_what_is_no_port_is_answered_with_one_sentence(tmp_path: Path, port: str) -> None:
    with Stack(tmp_path) as stack:
        stack.launch(f"--port={port}")
        assert stack.process.wait(600) == 2
    assert (
        stack.output_text()
        .strip()
        .endswith("a port is a number from 0 to 65535, not " + repr(port))
    )


@pytest.mark.full
def test_a_first_start_that_was_stopped_goes_on_with_its_static_files(open_folder: Path) -> None:
    with Stack(open_folder, {"STATIC_FILES": "hashed"}) as stack:
        stack.launch("--port", "0")
        assert wait_until(lambda: "Preparing the database" in stack.output_text(), seconds=600)
        assert stack.stop() == 0
        assert stack.output_text().strip().endswith("Stopped before it was ready.")
        stack.start()
        assert answer(stack, "/accounts/login/")[0] == 200
        names = json.loads((stack.home.var / "static" / "staticfiles.json").read_text())["paths"]
        scripts = imported(stack, {"/static/" + names["js/judge/main.js"]})
    assert len(scripts) > 20
    # a new release brings all of them, or none
    assert [path for path in scripts if not HASHED.search(path)] == []


def test_the_processes_of_another_folder_are_not_ended(live_stack: Stack, tmp_path: Path) -> None:
    noted = live_stack.home.var / "processes.json"
    end_orphans(noted, tmp_path)
    assert all(command_line(pid) for pid in live_stack.processes().values())


def test_a_second_start_on_the_same_folder_names_the_first(
    live_stack: Stack, tmp_path: Path
) -> None:
    other = Stack(tmp_path, {"ASSAYER_VAR": str(live_stack.home.var)})
    assert (
        f"already running on this folder (process {live_stack.process.pid}, {live_stack.url}/)"
        in refusal(other)
    )
    assert answer(live_stack, "/healthz")[0] == 200


def test_an_unwritable_folder_is_answered_with_one_sentence(tmp_path: Path) -> None:
    sentence = refusal(Stack(tmp_path, {"ASSAYER_VAR": "/proc/no-such-place/var"}))
    assert "Cannot write in /proc/no-such-place/var" in sentence


def test_with_addresses_in_the_environment_no_server_is_started(live_stack: Stack) -> None:
    assert set(live_stack.processes()) == {
        "web",
        "worker",
        "long-worker",
        "webhook-worker",
        "beat",
    }
    assert wait_until(lambda: is_fully_ready(live_stack.url), seconds=600, step=0.2), answer(
        live_stack, "/readyz"
    )


@pytest.mark.full
def test_too_little_memory_is_answered_with_one_sentence(open_folder: Path) -> None:
    # which program runs out first, and what it calls that, depends on the machine
    refusal(Stack(open_folder, prefix=("prlimit", "--as=80000000")), "--port", "0")


def test_a_disk_without_room_for_a_first_start_is_refused(
    open_folder: Path, small_disk: Callable[[str], Path]
) -> None:
    var = small_disk("100m") / "var"
    answer = refusal(Stack(open_folder, {"ASSAYER_VAR": str(var)}), "--port", "0")
    assert f"A first start needs 300 MB for {var}; 10" in answer


@pytest.mark.full
def test_a_disk_that_fills_is_answered_with_one_sentence(
    open_folder: Path, small_disk: Callable[[str], Path]
) -> None:
    stack = Stack(open_folder, {"ASSAYER_VAR": str(small_disk("24m") / "var")})
    code = (
        "import sys; from config.up import home, supervisor as up; home.FIRST_START_BYTES = 0; "
        "sys.exit(up.main(['--port', '0']))"
    )
    command = [sys.executable, "-c", code]
    process = subprocess.run(
        command, cwd=ROOT, env=stack.env, capture_output=True, text=True, check=False
    )
    assert process.returncode == 1 and "Starting the database." in process.stdout
    assert (
        process.stderr.startswith("Assayer stopped. The disk is full: ")
        and len(process.stderr.splitlines()) == 1
    )


def test_the_clock_and_the_worker_go_on_after_redis_forgot_all(live_stack: Stack) -> None:
    assert wait_until(lambda: is_fully_ready(live_stack.url), seconds=600, step=0.2)
    with redis.Redis.from_url(live_stack.redis_url) as broker:
        broker.flushdb()
    with psycopg.connect(live_stack.database_url, autocommit=True) as connection:
        columns, values = "person, address, browser, at", "'a', 'b', 'c', now() - interval '2 h'"
        connection.execute(f"INSERT INTO annotate_signintry ({columns}) VALUES ({values})")

        def is_swept() -> bool:
            return (
                connection.execute("SELECT FROM annotate_signintry WHERE person = 'a'").fetchone()
                is None
            )

        assert wait_until(is_swept, seconds=600)
