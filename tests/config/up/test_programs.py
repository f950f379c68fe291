"""Copies of server programs, for an account that cannot run them where they were installed."""

import importlib.metadata
import importlib.util
import os
import pwd
import shutil
from pathlib import Path

import pytest

from config.up.processes import StartError
from config.up.programs import Package, copy_package, fault, postgres_package, redis_package
from tests.anywhere.installations import close_to_others

PACKAGES = {"PostgreSQL": postgres_package(), "Redis": redis_package()}
each_package = pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES.keys())


def installed(package: Package) -> Path:
    """The folder of an installed package."""
    return Path(importlib.util.find_spec(package.name).origin).parent


def anybody() -> pwd.struct_passwd:
    """An account to run programs as: one without rights, or our own where we may not change."""
    return pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())


@each_package
def test_a_copy_runs_for_any_account_whatever_the_umask(
    package: Package, open_folder: Path
) -> None:
    for folder in installed(package).parent.glob(f"{package.name}*"):
        shutil.copytree(folder, open_folder / "packages" / folder.name, symlinks=True)
    close_to_others(open_folder / "packages")  # as installed with that umask
    before = os.umask(0o077)
    try:
        copy_package(
            open_folder / "packages" / package.name, package, open_folder / "programs" / "copy"
        )
    finally:
        os.umask(before)
    assert (
        fault(
            open_folder / "programs" / "copy" / package.name / package.programs_folder,
            package,
            anybody(),
        )
        == ""
    )


def test_a_copy_without_the_libraries_it_loads_is_at_fault(open_folder: Path) -> None:
    package = postgres_package()
    alone = open_folder / package.name
    alone.mkdir()
    (alone / package.programs_folder).symlink_to(installed(package) / package.programs_folder)
    copy_package(alone, package, open_folder / "programs" / "copy")
    reason = fault(
        open_folder / "programs" / "copy" / package.name / package.programs_folder,
        package,
        anybody(),
    )
    assert "shared libraries" in reason or "Library not loaded" in reason


@each_package
def test_a_copy_is_whole_or_not_there_and_replaces_those_of_other_versions(
    package: Package, open_folder: Path
) -> None:
    version = importlib.metadata.version(package.distribution)
    copy = open_folder / "programs" / f"{package.name}-{version}"
    half_made = copy.with_name(copy.name + ".new") / package.name / package.programs_folder
    half_made.mkdir(parents=True)
    (half_made / "left over").touch()
    for older in (package.name, f"{package.name}-0.1"):
        (open_folder / "programs" / older).mkdir()
    copy_package(installed(package), package, copy)
    assert [folder.name for folder in copy.parent.iterdir()] == [copy.name]
    assert not (copy / package.name / package.programs_folder / "left over").exists()


def test_a_copy_that_fails_half_way_is_not_there(open_folder: Path) -> None:
    package = Package("servers", "servers", "programs", ("server",))
    (open_folder / "servers" / "programs").mkdir(parents=True)
    (open_folder / "servers" / "programs" / "server").touch()
    os.mkfifo(open_folder / "servers" / "programs" / "not to be copied")
    with pytest.raises(StartError, match=r"servers cannot be copied to .*programs: .*named pipe"):
        copy_package(open_folder / "servers", package, open_folder / "programs" / "servers-1")
    assert not (open_folder / "programs" / "servers-1").exists()
