"""Make a release of a collection here and now: its frozen, checksummed folder."""

import os
import shlex
import shutil
import time
import zipfile
from argparse import ArgumentParser
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from annotate.core.phrases import counted
from annotate.management.files import find_collection, find_user
from annotate.models import Collection, Work
from annotate.services.background import progress, works
from metrics.forms.releases import ReleaseForm
from metrics.models import Release
from metrics.services.releases import releases

SECONDS_BETWEEN = 0.5  # between looks at a worker that makes it, and signs of progress
OF_FORM = {"version": "VERSION", "title": "--title", "notes": "--notes", "released_on": "--date"}

# options without effect on a release that is made already, as they are when nobody gives them
OF_THE_MAKING = {"title": None, "notes": None, "date": None, "by": "", "again": False}


class Command(BaseCommand):
    """Make a release of a collection here and now; no worker has to run."""

    help = (
        "Make a release, as the page Releases does, and wait until it is made; no worker has to "
        "run, and one that has begun it goes on with it. Prints its address and checksum."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments: collection, version, what its documents name, and where to put it."""
        parser.add_argument("slug", help="short name of the collection")
        parser.add_argument("version", help="such as 1.0, or a date")
        parser.add_argument("--title", help="default: the name of the collection")
        parser.add_argument("--notes", help="what is new in it, for its data card")
        parser.add_argument("--date", help="the day that its documents name (today)")
        parser.add_argument("--by", default="", help="user who makes it")
        parser.add_argument(
            "--again", action="store_true", help="make one that failed, or was cut off, once more"
        )
        parser.add_argument(
            "--to",
            type=Path,
            metavar="FOLDER",
            help="copy its archive there; one that is made already is copied, and no more",
        )
        parser.add_argument(
            "--unpack", action="store_true", help="with --to: the folder itself, not its archive"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Request it, make it or wait for it, and copy it."""
        collection, target = find_collection(options["slug"]), None
        if options["unpack"] and options["to"] is None:
            raise CommandError("--unpack says how to copy it: name a folder by --to.")
        if options["to"] is not None:
            name = f"{collection.slug}-{options['version']}"
            target = options["to"] / (name if options["unpack"] else f"{name}.zip")
            _require_free(target)
        release = None if target is None else _made_release(collection, options)
        if release is not None and target is not None:
            _copy(release, target, is_unpacked=options["unpack"])
            self.show(release, "is made already: copied,")
        else:
            release = _requested(collection, options)
            self.make(release)
            release.refresh_from_db()
            self.show(release, "is made:")
            if target is not None:
                _copy(release, target, is_unpacked=options["unpack"])
        if target is not None:
            self.stdout.write(f"copy\t{target}")

    def show(self, release: Release, words: str) -> None:
        """Print a made release: its size, its address and its checksum."""
        slug = release.collection.slug
        self.stdout.write(
            f"Release {release.version} of {slug} {words} "
            f"{counted(release.files.count(), 'file')}, {counted(release.n_bytes or 0, 'byte')}."
        )
        path = reverse("metrics:release", args=[slug, release.version])
        self.stdout.write(f"address\t{settings.SITE_URL}{path}\nsha256\t{release.sha256}")

    def make(self, release: Release) -> None:
        """Make it, or wait for the worker that does; CommandError where it was not made."""
        work, self.show_at = release.making, 0.0
        again = f"release {release.collection.slug} {release.version} --again"
        try:
            with progress.listening(job=works.job_of(work), callback=self.show_progress):
                works.perform(work=work)
            while work.is_unfinished:
                if last_progress := progress.progress_of(job=works.job_of(work)):
                    self.show_progress(last_progress.n_done, unit=last_progress.unit)
                time.sleep(SECONDS_BETWEEN)
                works.perform(work=work)
        except KeyboardInterrupt:
            works.cancel(work=work, by=None)
            raise CommandError(f"Cancelled. Make it by: {again}") from None
        except OSError as error:
            message = f"It was not made: {error.strerror or error}. Once that is mended: {again}"
            raise CommandError(message) from error
        self.stderr.write("")
        if work.state != Work.State.DONE:
            reason = work.error or "It was cancelled."
            raise CommandError(f"It was not made. {reason} Once more: {again}")

    def show_progress(self, n_done: int, total: int | None = None, unit: str = "rows") -> None:
        """Show the rows so far on one line, twice a second at most."""
        if time.monotonic() < self.show_at:
            return
        self.show_at = time.monotonic() + SECONDS_BETWEEN
        self.stderr.write(f"\r{n_done:,} {unit}", ending="")
        self.stderr.flush()


def _made_release(collection: Collection, options: dict[str, Any]) -> Release | None:
    """The release of this version if it is made already; CommandError where it is not to be had."""
    version = options["version"]
    release = collection.releases.filter(version=version, made_at__isnull=False).first()
    if release is None:
        return None
    if not release.is_available:
        raise CommandError(f"Release {version} is withdrawn: there are no files to copy.")
    idle_options = [name for name, default in OF_THE_MAKING.items() if options[name] != default]
    if idle_options:
        raise CommandError(
            f"Release {version} is made already, and stays as it is: --{idle_options[0]} would be "
            "without effect. Without it, the release is copied."
        )
    return release


def _requested(collection: Collection, options: dict[str, Any]) -> Release:
    """The release with its work; CommandError for what the form of the page refuses."""
    by, version = find_user(options["by"]), options["version"]
    if options["again"]:
        return _requested_again(collection, options)
    form = ReleaseForm(collection=collection)
    names = {"title": "title", "notes": "notes", "released_on": "date"}
    answers = {name: options[option] for name, option in names.items()}
    defaults = {name: form.initial.get(name, "") for name in names}
    data = {name: defaults[name] if answer is None else answer for name, answer in answers.items()}
    form = ReleaseForm({"version": version, **data}, collection=collection)
    earlier_release = collection.releases.filter(version=version).select_related("work").first()
    if earlier_release is not None and earlier_release.made_at is None:
        raise CommandError(
            f"This collection has a release {version} that is not made "
            f"({earlier_release.state_text.lower()}): --again makes it."
        )
    if not form.is_valid():
        errors = form.errors.get_json_data()
        raise CommandError(
            "\n".join(
                f"{OF_FORM[name]}: {row['message']}"
                for name, rows in errors.items()
                for row in rows
            )
        )
    try:
        return releases.request_release(
            collection=collection, by=by, is_done_here=True, **form.cleaned_data
        )
    except releases.VersionTaken as error:  # between the form's look and the lock
        raise CommandError(str(error)) from error


def _requested_again(collection: Collection, options: dict[str, Any]) -> Release:
    idle_options = [name for name in ("title", "notes", "date") if options[name] is not None]
    if idle_options:
        raise CommandError(
            f"--{idle_options[0]} is of a new release: with --again it keeps what it has."
        )
    release = collection.releases.filter(version=options["version"]).first()
    if release is None:
        raise CommandError(f"This collection has no release {options['version']}.")
    if release.made_at is None and release.making.is_unfinished:
        return release
    try:
        return releases.request_again(
            release=release, by=find_user(options["by"]), is_done_here=True
        )
    except releases.ReleaseRefused as error:
        raise CommandError(str(error)) from error


def _require_free(target: Path) -> None:
    """Raise CommandError where a copy has no place, before anything is made."""
    if not target.parent.is_dir():
        raise CommandError(f"{target.parent} is no folder; make it, or name another by --to.")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise CommandError(f"{target.parent} may not be written to; name another folder by --to.")
    if target.exists():
        raise CommandError(f"{target} is there already; name another folder by --to.")


def _copy(release: Release, target: Path, *, is_unpacked: bool) -> None:
    """Copy the archive, or what is in it; under its name once it is whole."""
    partial_copy = target.with_name(f"{target.name}.unfinished")
    try:
        _remove(partial_copy)  # of a command that was killed
        with release.open_archive() as stream:
            if is_unpacked:
                with zipfile.ZipFile(stream) as archive:
                    archive.extractall(partial_copy)
                (partial_copy / target.name).rename(target)
                partial_copy.rmdir()
            else:
                with partial_copy.open("wb") as copy:
                    shutil.copyfileobj(stream, copy)
                partial_copy.rename(target)
    except OSError as error:
        reason = f"{error.filename or target}: {error.strerror or error}"
        folder = shlex.quote(str(target.parent))
        again = f"release {release.collection.slug} {release.version} --to {folder}"
        raise CommandError(
            f"It is made, but not copied: {reason}. Once that is mended, or to another folder: "
            f"{again}{' --unpack' * is_unpacked}"
        ) from error
    finally:
        with suppress(OSError):
            _remove(partial_copy)


def _remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
