"""Wherever bytes or files run out, `up` says so, waits, and goes on by itself.

To see these tests fail: let `disk_full_sentence` answer with `full_folder` alone, leave a folder
out of `folders`, or the files of a file system out of `full_folder`; let `watch` raise whatever it
is told, or let it tell so each time.
"""

import errno
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import StringIO
from itertools import count
from pathlib import Path
from subprocess import Popen

import pytest

from config.up import disk_space, supervisor
from config.up.child_processes import SupervisedService
from config.up.home import Home, prepare_home
from config.up.processes import StartError, last_words, spawn, wait_until
from config.up.progress import ConsoleProgress
from config.up.supervisor import Supervisor
from tests.servers.stack import Stack, is_fully_ready

NO_ROOM = "No space left on device"
QUOTA = "Disk quota exceeded"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home, and a temporary folder beside it."""
    home = Home(tmp_path / "var")
    prepare_home(home)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    return home


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(errno.ENOSPC, NO_ROOM, "/srv/a"), f"{NO_ROOM}: /srv/a"),
        (OSError(errno.EDQUOT, QUOTA), QUOTA),
        (
            StartError(f"Redis did not start: cannot bind: {NO_ROOM}"),
            f"Redis did not start: cannot bind: {NO_ROOM}",
        ),
        (StartError(f"PostgreSQL keeps ending: {QUOTA}."), f"PostgreSQL keeps ending: {QUOTA}"),
        (OSError(errno.EACCES, "Permission denied", "/srv/a"), ""),
        (StartError("PostgreSQL did not start: out of memory"), ""),
    ],
    ids=str,
)
def test_errors_tell_of_a_full_disk_and_of_a_quota(
    home: Home, error: Exception, expected: str
) -> None:
    assert disk_space.disk_full_sentence(home, error) == (
        expected and f"The disk is full, or a quota used up: {expected}."
    )


@pytest.mark.parametrize("words", [NO_ROOM, QUOTA])
def test_what_a_server_says_of_room_is_its_last_word(tmp_path: Path, words: str) -> None:
    log = tmp_path / "log"
    log.write_text(f"LOG:  starting\nFATAL:  could not write lock file: {words}\nLOG:  shut down\n")
    assert last_words(log) == f"FATAL:  could not write lock file: {words}"


@pytest.mark.parametrize(
    ("limit", "folder_name"), [("FULL", "var"), ("FULL_TEMPORARY", "temporary")]
)
def test_a_folder_without_room_for_bytes_is_named(
    home: Home, monkeypatch: pytest.MonkeyPatch, limit: str, folder_name: str
) -> None:
    assert disk_space.has_space(home)
    monkeypatch.setattr(disk_space, limit, 10**18)
    assert disk_space.full_folder(home).endswith(
        f" MB are free for {home.var.with_name(folder_name)}."
    )
    assert not disk_space.has_space(home)


@pytest.mark.parametrize("folder_name", ["var", "data", "temporary"])
def test_a_folder_without_room_for_files_is_named(
    home: Home, small_disk: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, folder_name: str
) -> None:
    disk = small_disk("100m,nr_inodes=2")
    if folder_name == "data":
        home.pointer.write_text(f"{disk}\n")
    elif folder_name == "temporary":
        monkeypatch.setenv("TMPDIR", str(disk))
    else:
        home = Home(disk)
    assert (
        disk_space.full_folder(home)
        == f"The disk is full: there is room for 1 more files in {disk}, however small."
    )


def test_a_folder_that_takes_no_file_has_no_room_although_nothing_shows_it(
    home: Home, small_disk: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_space, "FULL_TEMPORARY", 1)
    monkeypatch.setenv("TMPDIR", str(small_disk("64k")))
    assert disk_space.full_folder(home) == "" and not disk_space.has_space(home)


@pytest.fixture
def output() -> StringIO:
    """The supervisor's output."""
    return StringIO()


@pytest.fixture
def watched(home: Home, output: StringIO, monkeypatch: pytest.MonkeyPatch) -> Iterator[Supervisor]:
    """A supervisor without services."""
    monkeypatch.setattr(supervisor, "TRY_EVERY", 0)
    watched = Supervisor(home, port=0, demo=False)
    watched.progress = ConsoleProgress(output)
    yield watched
    watched.stop_all()


def add_sleeper(
    watched: Supervisor, script: str, refusal: Exception | None = None
) -> tuple[SupervisedService, Path]:
    """Add a service that runs a script and then sleeps.

    Return the file whose presence refuses it.
    """
    full = watched.home.var / "full"

    def launch() -> Popen[bytes]:
        if refusal and full.exists():
            raise refusal
        return spawn(["sh", "-c", f"{script}; exec sleep 600"], log=log, cwd=watched.home.var)

    log = watched.home.logs / "sleeper.log"
    part = SupervisedService("sleeper", "The sleeper", log, launch)
    watched.add(part)
    return part, full


@pytest.mark.parametrize(
    "refusal",
    [
        OSError(errno.ENOSPC, NO_ROOM),
        OSError(errno.EDQUOT, QUOTA),
        StartError(f"It did not start: {QUOTA}"),
    ],
)
def test_a_part_that_finds_no_room_is_started_once_there_is(
    watched: Supervisor, output: StringIO, refusal: Exception
) -> None:
    part, full = add_sleeper(watched, "true", refusal)
    full.touch()
    part.process.kill()
    part.process.wait()
    for _ in range(20):  # more often than a part may end
        watched.watch()
    assert part.process.poll() is not None
    words = (
        "The disk is full, or a quota used up: ",
        "The sleeper ended",
        "There is room again.\n",
    )
    assert [output.getvalue().count(some) for some in words] == [1, 1, 0]
    full.unlink()
    watched.watch()
    assert part.process.poll() is None
    assert [output.getvalue().count(some) for some in words] == [1, 1, 1]


def test_a_part_that_ends_for_want_of_room_is_started_until_there_is(
    watched: Supervisor, output: StringIO
) -> None:
    (watched.home.var / "full").touch()
    part, full = add_sleeper(watched, f"if [ -e full ]; then echo 'sh: {QUOTA}'; exit 1; fi")

    def is_told() -> bool:
        watched.watch()
        return (
            f"used up: The sleeper keeps ending: sh: {QUOTA}. Nothing can be saved until"
            in output.getvalue()
        )

    assert wait_until(is_told, seconds=600)
    full.unlink()
    part.process.wait()
    watched.watch()
    assert part.process.poll() is None


def test_another_error_still_ends_it(watched: Supervisor) -> None:
    part, full = add_sleeper(watched, "true", StartError("It did not start: no such file"))
    full.touch()
    part.process.kill()
    part.process.wait()
    with pytest.raises(StartError, match="no such file"):
        watched.watch()


@pytest.mark.full
def test_a_disk_that_takes_no_more_files_is_told_and_it_goes_on_by_itself(
    small_disk: Callable[[str], Path], fault_stack: Callable[..., Stack]
) -> None:
    disk = small_disk("700m,nr_inodes=20000")
    stack = fault_stack("no more files", ASSAYER_VAR=str(disk / "var"))
    fillers = disk / "fillers"
    fillers.mkdir()

    def is_told() -> bool:
        with suppress(OSError):
            for number in count(len(list(fillers.iterdir()))):
                (fillers / str(number)).touch()
        return (
            stack.process.poll() is not None
            or "The disk is full: there is room for " in stack.output_text()
        )

    is_told()
    stack.kill("beat")
    assert wait_until(is_told, seconds=600, step=0.5) and stack.process.poll() is None, (
        stack.output_text()
    )
    stack.kill("postgres")
    for filler in fillers.iterdir():
        filler.unlink()
    assert wait_until(lambda: "There is room again." in stack.output_text(), seconds=600), (
        stack.output_text()
    )
    assert wait_until(lambda: is_fully_ready(stack.url), seconds=600)
    assert stack.process.poll() is None
