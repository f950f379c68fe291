"""Check that every package of a lock has a wheel on every machine that the README names.

    .venv/bin/python tools/check_wheels.py            requirements/run.txt
    .venv/bin/python tools/check_wheels.py dev.txt    the tools of the tests too

Downloads them all, one machine and one Python after another, and keeps nothing: some 2 GB.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from packaging.requirements import Requirement  # noqa: E402

from config.up.installers import HASHED, LOCKS, PINNED, pip, pip_variables  # noqa: E402
from config.up.machine import GLIBC, MACOS, NEWEST_PYTHON  # noqa: E402

MACHINES = {  # name: `sys_platform` and `platform_machine`, which the tags of wheels contain
    "Linux x86-64": ("linux", "x86_64"),
    "Linux aarch64": ("linux", "aarch64"),
    "macOS arm64": ("darwin", "arm64"),
}


def main(lock: str) -> int:
    """Try all machines and Pythons; the exit code is 1 if any wheel is missing."""
    n_missing = 0
    for name, (system, processor) in MACHINES.items():
        for minor in range(11, NEWEST_PYTHON[1] + 1):
            lines = pinned_lines(lock, system, processor, f"3.{minor}")
            fault = download(lines, list(tags(system, processor)), f"3.{minor}")
            n_missing += bool(fault)
            print(f"{name}, Python 3.{minor}: {fault or f'all {len(lines)} wheels'}", flush=True)
    return int(n_missing > 0)


def pinned_lines(lock: str, system: str, processor: str, python: str) -> list[str]:
    """The lines of a lock for another machine, with their hashes.

    Pip itself would evaluate this machine.
    """
    environment = {"sys_platform": system, "platform_machine": processor, "python_version": python}
    environment |= {
        "python_full_version": f"{python}.3",
        "platform_python_implementation": "CPython",
    }
    environment |= {
        "implementation_name": "cpython",
        "platform_system": "Linux" if system == "linux" else "Darwin",
    }
    lines = []
    for entry in re.split(r"\n(?=\w)", (LOCKS / lock).read_text()):
        requirement = Requirement(PINNED.match(entry).group())
        if not requirement.marker or requirement.marker.evaluate(environment):
            hashes = " ".join(re.findall(r"--hash=\S+", entry))
            lines.append(f"{requirement.name}{requirement.specifier} {hashes}\n")
    return lines


def tags(system: str, processor: str) -> Iterator[str]:
    """The platforms of wheels that a machine can use, as far back as there are any."""
    if system == "darwin":
        yield f"macosx_{MACOS}_0_{processor}"
        return
    yield from (f"manylinux_{GLIBC[0]}_{minor}_{processor}" for minor in range(GLIBC[1], 4, -1))
    yield from (
        f"{alias}_{processor}" for alias in ("manylinux2014", "manylinux2010", "manylinux1")
    )


def download(lines: list[str], platforms: list[str], python: str) -> str:
    """Download wheels and drop them; return the error, or ""."""
    with tempfile.TemporaryDirectory() as folder:
        lock_file, wheels = Path(folder, "lock.txt"), Path(folder, "wheels")
        lock_file.write_text("".join(lines))
        command = [
            *pip(),
            "download",
            "--quiet",
            "--only-binary",
            ":all:",
            "--dest",
            wheels,
            *HASHED,
            lock_file,
        ]
        command += ["--python-version", python, "--implementation", "cp"]
        command += [part for platform in platforms for part in ("--platform", platform)]
        answer = subprocess.run(
            command, env=pip_variables(), capture_output=True, text=True, check=False
        )
        faults = [line for line in answer.stderr.splitlines() if line.startswith("ERROR: ")]
        if answer.returncode or len(list(wheels.iterdir())) != len(lines):
            return (faults or ["ERROR: not all came"])[-1].removeprefix("ERROR: ")
        return ""


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or ["run.txt"])))
