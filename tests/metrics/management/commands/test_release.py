"""The command release: made here and now, beside workers or without, copied, and then verified."""

import hashlib
import resource
import threading
from threading import Thread

import pytest

from annotate.models import Work
from annotate.services.background import works
from annotate.services.background.workers import try_lock_subject
from metrics.models import Release
from metrics.services.releases import making, releases
from tests.assayer.commands.files.running import assayer
from tests.metrics import studies
from tests.metrics.management.commands.running import manage, rows
from tests.metrics.services.releases.made_releases import archive, made_release, request_release
from tests.servers.databases import closing_connections

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


@pytest.fixture
def study():
    return studies.unordered_study()


def test_it_makes_a_release_as_the_page_does_and_without_a_worker(study, settings):
    process = manage("release", "study", "1.0", "--notes", "First.", "--date", "2026-03-05")
    release = study.releases.get()
    assert (release.state_text, release.title, release.notes) == ("Made", study.name, "First.")
    assert str(release.released_on) == "2026-03-05"
    assert (release.making.state, release.making.attempts) == (Work.State.DONE, 1)
    table = rows(process.stdout)
    assert table[0][0].startswith("Release 1.0 of study is made: ")
    assert table[1:] == [
        ["address", f"{settings.SITE_URL}/c/study/results/releases/1.0/"],
        ["sha256", hashlib.sha256(archive(release)).hexdigest()],
    ]
    assert " rows" in process.stderr


def test_the_copy_is_the_archive_or_its_folder_and_verifies(study, tmp_path):
    copies = tmp_path / "copies"
    copies.mkdir()
    process = manage("release", "study", "1.0", "--to", str(copies))
    path = copies / "study-1.0.zip"
    assert rows(process.stdout)[-1] == ["copy", str(path)]
    assert path.read_bytes() == archive(study.releases.get())
    manage("release", "study", "1.1", "--to", str(copies), "--unpack")
    assert {entry.name for entry in copies.iterdir()} == {"study-1.0.zip", "study-1.1"}
    for copy in copies.iterdir():
        verified = assayer("verify", str(copy))
        assert verified.stdout.endswith("All that can be checked is right.\n"), verified.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("nothing", "1.0"), 'There is no collection "nothing"'),
        (("study", "1.0 beta"), "VERSION: A digit, then digits, letters, dots and dashes"),
        (("study", "2.0", "--date", "soon"), "--date: Enter a valid date."),
        (("study", "2.0", "--title", ""), "--title: This field is required."),
        (("study", "2.0", "--by", "nobody"), 'There is no user "nobody".'),
        (("study", "2.0", "--unpack"), "name a folder by --to"),
        (("study", "2.0", "--to", "/nothing"), "/nothing is no folder"),
        (("study", "2.0", "--again"), "This collection has no release 2.0."),
        (("study", "1.0"), "VERSION: This collection has a release 1.0 already"),
        (("study", "1.0", "--again"), "Release 1.0 is made, or being made, and stays as it is."),
        (("study", "1.0", "--again", "--notes", "x"), "--notes is of a new release"),
        (("study", "1.0", "--to", "FOLDER", "--notes", "x"), "--notes would be without effect."),
        (("study", "1.0", "--to", "FOLDER", "--title", ""), "--title would be without effect."),
        (("study", "1.0", "--to", "FOLDER", "--again"), "--again would be without effect."),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence(study, options, words, tmp_path):
    made_release(study)
    options = [str(tmp_path) if option == "FOLDER" else option for option in options]
    process = manage("release", *options)
    assert words in process.stderr and process.stderr.startswith("CommandError: ")
    assert Release.objects.count() == 1


def test_a_copy_replaces_nothing(study, tmp_path):
    (tmp_path / "study-1.0.zip").write_text("mine")
    process = manage("release", "study", "1.0", "--to", str(tmp_path))
    assert "study-1.0.zip is there already" in process.stderr
    assert not study.releases.exists()


def test_one_that_is_made_already_is_copied_and_not_made_again(study, tmp_path, settings):
    release = made_release(study)
    process = manage("release", "study", "1.0", "--to", str(tmp_path))
    table = rows(process.stdout)
    assert table[0][0].startswith("Release 1.0 of study is made already: copied, ")
    assert table[1:] == [
        ["address", f"{settings.SITE_URL}/c/study/results/releases/1.0/"],
        ["sha256", release.sha256],
        ["copy", str(tmp_path / "study-1.0.zip")],
    ]
    assert (tmp_path / "study-1.0.zip").read_bytes() == archive(release)
    assert (study.releases.get().making.attempts, process.stderr) == (1, "")


def test_one_that_is_withdrawn_has_nothing_to_copy(study, tmp_path):
    releases.withdraw(release=made_release(study), reason="A mistake.", by=None)
    process = manage("release", "study", "1.0", "--to", str(tmp_path))
    assert process.stderr == ("CommandError: Release 1.0 is withdrawn: there are no files to copy.")
    assert not list(tmp_path.glob("study-*"))


@pytest.mark.parametrize("options", [(), ("--unpack",)])
def test_a_copy_that_fails_leaves_nothing_and_says_how_to_copy_later(study, tmp_path, options):
    made_release(study)
    folder = tmp_path / "some copies"
    folder.mkdir()
    command = ("release", "study", "1.0", "--to", str(folder), *options)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        process = manage(*command)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "It is made, but not copied: " in process.stderr and "File too large" in process.stderr
    line = " ".join(["release study 1.0 --to", f"'{folder}'", *options])
    assert process.stderr.endswith(f"Once that is mended, or to another folder: {line}")
    assert not list(folder.iterdir())
    assert "is made already: copied," in manage(*command).stdout


def test_what_a_killed_copy_left_is_replaced(study, tmp_path):
    made_release(study)
    (tmp_path / "study-1.0.zip.unfinished").write_text("half")
    (tmp_path / "study-1.0.unfinished/study-1.0").mkdir(parents=True)
    (tmp_path / "study-1.0.unfinished/study-1.0/stray").write_text("half")
    for options in ((), ("--unpack",)):
        manage("release", "study", "1.0", "--to", str(tmp_path), *options)
    assert {path.name for path in tmp_path.glob("study-*")} == {"study-1.0.zip", "study-1.0"}
    assert not (tmp_path / "study-1.0/stray").exists()


def test_one_that_was_requested_or_failed_is_made_by_again(study):
    release = request_release(study)
    process = manage("release", "study", "1.0")
    assert "is not made (asked for): --again makes it." in process.stderr
    works.cancel(work=release.making, by=None)
    assert "is made: " in manage("release", "study", "1.0", "--again").stdout
    assert study.releases.get().title == "Study"
    release = request_release(study, "2.0")
    assert "is made: " in manage("release", "study", "2.0", "--again").stdout


def test_a_failure_is_told_with_what_to_do(study, monkeypatch):
    def fail(*arguments):
        raise works.Failed("unfit", "A run was hidden.")

    monkeypatch.setattr(making, "_store", fail)
    process = manage("release", "study", "1.0")
    assert process.stderr == (
        "CommandError: It was not made. A run was hidden. Once more: release study 1.0 --again"
    )
    assert study.releases.get().making.state == Work.State.FAILED


def test_what_a_full_disk_ends_can_be_made_later(study, monkeypatch):
    def fail(*arguments):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(making, "_store", fail)
        process = manage("release", "study", "1.0")
    assert "It was not made: No space left on device. Once that is mended" in process.stderr
    assert "is made: " in manage("release", "study", "1.0", "--again").stdout


def test_an_interrupted_one_is_cancelled(study, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(making, "_store", interrupt)
    process = manage("release", "study", "1.0")
    assert "Cancelled. Make it by: release study 1.0 --again" in process.stderr
    assert study.releases.get().making.state == Work.State.CANCELLED


def test_it_waits_for_a_worker_that_has_begun_it(study):
    """The worker holds the lock, and makes it while the command waits."""
    release = request_release(study)
    holds_lock, may_go_on = threading.Event(), threading.Event()

    def work_slowly() -> None:
        with try_lock_subject("release", release.pk) as is_ours:
            assert is_ours
            holds_lock.set()
            may_go_on.wait(60)

    worker = Thread(target=closing_connections(work_slowly))
    worker.start()
    holds_lock.wait(60)
    timer = threading.Timer(1, may_go_on.set)
    timer.start()
    process = manage("release", "study", "1.0", "--again")
    worker.join()
    assert may_go_on.is_set() and "is made: " in process.stdout
    release.refresh_from_db()
    assert release.making.attempts == 1


def test_a_version_taken_between_the_form_and_the_lock_is_told(study, monkeypatch):
    def refuse(**options):
        raise releases.VersionTaken("This collection has a release 1.0 already.")

    monkeypatch.setattr(releases, "request_release", refuse)
    assert "has a release 1.0 already" in manage("release", "study", "1.0").stderr
