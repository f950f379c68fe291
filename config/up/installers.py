"""Installs a lock's packages into `.venv`: with uv in seconds, else with pip.

Both check the hashes.

uv is the one on the PATH, else pip fetches it. It does not read pip's files and variables (index,
certificate, proxy, folders of wheels), so these are passed on.
"""

import ast
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

from config.up.processes import StartError, die_with_parent
from config.up.progress import ConsoleProgress

ROOT = Path(__file__).resolve().parent.parent.parent
LOCKS = ROOT / "requirements"
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOG = VENV / "installation.log"
PINNED = re.compile(r"^([\w.-]+)==[^\\\n]+", re.MULTILINE)
HASHED = ("--no-deps", "--require-hashes", "-r")
# They lead to other packages than those of the lock, or past its hashes.
MISLEADING_PYTHON = ("PYTHONPATH", "PYTHONHOME", "PYTHONSAFEPATH")
MISLEADING_INSTALLERS = (
    *("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_DRY_RUN", "PIP_PYTHON"),
    *("UV_TARGET", "UV_PREFIX", "UV_SYSTEM_PYTHON", "UV_NO_VERIFY_HASHES", "UV_DRY_RUN"),
)
OLDEST_UV = (0, 5)  # the first version with all options used here
UNREACHABLE = re.compile(
    "NewConnectionError|NameResolutionError|ConnectTimeout|ProxyError|dns error|tcp connect error"
)
UV_VARIABLES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "proxy": "ALL_PROXY",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "timeout": "UV_HTTP_TIMEOUT",
}
UV_OPTIONS = {"find-links": "--find-links", "trusted-host": "--allow-insecure-host"}


def can_install() -> bool:
    """True if there is an installer."""
    return bool(uv_on_path() or pip())


def install(lock: str, progress: ConsoleProgress) -> None:
    """Install a lock; the installer's output stays in a log beside the packages."""
    file = str(LOCKS / lock)
    # the product's own packages are never built here, with tools that no hash covers
    options = [*(["--only-binary", ":all:"] if lock != "dev.txt" else []), *HASHED, file]
    for uv in uv_programs(progress):
        if run([*uv_install(uv), *options], uv_variables(), progress, uv_progress):
            return
        progress.end(f"{uv} could not install them ({failure_reason(LOG)}).")
    names = {line.group(1) for line in PINNED.finditer((LOCKS / lock).read_text())}
    if pip() and run(
        [*pip(), "install", *options], pip_variables(), progress, partial(pip_progress, names)
    ):
        return
    raise StartError(
        f"The packages of requirements/{lock} could not be installed: "
        f"{failure_reason(LOG)} (more in {LOG})."
    )


@cache
def pip() -> list[str]:
    """A command that runs pip on `.venv`: the pip packed beside ensurepip, else this Python's."""
    ensurepip = find_spec("ensurepip")  # Debian leaves it out
    if ensurepip and ensurepip.origin:
        folders = [
            Path(ensurepip.origin).parent / "_bundled",
            sysconfig.get_config_var("WHEEL_PKG_DIR"),
        ]
        for wheel in (
            wheel for folder in folders if folder for wheel in Path(folder).glob("pip-*.whl")
        ):
            return [str(PYTHON), str(wheel / "pip")]
    return [sys.executable, "-m", "pip", "--python", str(PYTHON)] if find_spec("pip") else []


def pip_variables() -> dict[str, str]:
    """The environment of pip.

    Settings meant for other uses of it would keep packages out of `.venv`.
    """
    fixed_variables = {
        "PIP_USER": "0",
        "PIP_REQUIRE_VIRTUALENV": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    return {
        **trusted_variables(),
        **fixed_variables,
        "PIP_PROGRESS_BAR": "off",
        "PYTHONUNBUFFERED": "1",
    }


@cache
def pip_settings() -> dict[str, str]:
    """pip's settings in files and variables, by option.

    Later sections win, as for `pip install`.
    """
    if not pip():
        return {}
    command = [*pip(), "config", "list"]
    config_lines = subprocess.run(
        command, env=pip_variables(), capture_output=True, text=True, check=False
    ).stdout
    settings: dict[str, str] = {}
    for section in ("global", "install", ":env:"):
        for name, value in re.findall(
            rf"^{section}\.([\w-]+)=(['\"].*)$", config_lines, re.MULTILINE
        ):
            settings[name] = ast.literal_eval(value)
    return settings


def uv_programs(progress: ConsoleProgress) -> Iterator[str]:
    """Programs of uv to try: the one on the PATH, then the one that pip puts into `.venv`."""
    if on_path := uv_on_path():
        yield on_path
    if pip():
        progress.show("Fetching uv, which installs the packages")
        if run([*pip(), "install", *HASHED, str(LOCKS / "uv.txt")], pip_variables()):
            yield str(VENV / "bin" / "uv")


def uv_on_path() -> str | None:
    """The program of uv on the PATH, if it is new enough."""
    program = shutil.which("uv")
    return program if program and version_of_uv(program) >= OLDEST_UV else None


def version_of_uv(uv: str) -> tuple[int, ...]:
    """The first two numbers of uv's version, () if they are unknown or it cannot be run."""
    try:
        process = subprocess.run([uv, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return ()
    version_match = re.match(r"uv (\d+)\.(\d+)", process.stdout)
    return tuple(map(int, version_match.groups())) if version_match else ()


def uv_install(uv: str) -> list[str]:
    """uv's installation into `.venv`, from wherever pip would look.

    Any index may hold a package, as with pip: the hash says whether it is the right one.
    """
    command = [
        uv,
        "pip",
        "install",
        "--python",
        str(PYTHON),
        "--index-strategy",
        "unsafe-best-match",
    ]
    for name, option in UV_OPTIONS.items():
        for value in pip_settings().get(name, "").split():
            folder = Path(value).expanduser().absolute()
            if name != "find-links" or "://" in value:
                command += [option, value]
            elif folder.exists():  # pip passes over a missing one
                command += [option, str(folder)]
    if pip_settings().get("no-index", "").lower() in ("1", "true", "yes", "on"):
        command.append("--no-index")
    return command


def uv_variables() -> dict[str, str]:
    """The environment of uv: pip's settings as its variables, except where those are set already.

    uv would link files to its cache, which all environments of a machine then share: a file changed
    in one of them would be changed in ours, past its hash. So they are copied.
    """
    settings = pip_settings()
    from_pip = {
        uv_name: " ".join(settings[pip_name].split())
        for pip_name, uv_name in UV_VARIABLES.items()
        if pip_name in settings
    }
    if not has_room_for_cache():
        from_pip["UV_NO_CACHE"] = "1"
    return {
        **from_pip,
        **trusted_variables(),
        "UV_LINK_MODE": "copy",
        "UV_PYTHON_DOWNLOADS": "never",
        "NO_COLOR": "1",
    }


def has_room_for_cache() -> bool:
    """True if uv can write to its cache folder: an account may have no home."""
    folder = Path(
        os.environ.get("UV_CACHE_DIR")
        or os.environ.get("XDG_CACHE_HOME")
        or os.path.expanduser("~/.cache")
    )
    nearest = next(
        path for path in (folder.absolute(), *folder.absolute().parents) if os.path.exists(path)
    )
    return folder.is_absolute() and os.access(nearest, os.W_OK)


def trusted_variables() -> dict[str, str]:
    """Our own environment without the variables that lead away from the lock."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in (*MISLEADING_PYTHON, *MISLEADING_INSTALLERS)
    }


def run(
    command: list[str],
    env: dict[str, str],
    progress: ConsoleProgress | None = None,
    how_far: Callable[[str], str] | None = None,
) -> bool:
    """Run an installer with its output in the log, and show its progress.

    Return whether it succeeded.

    It ends with us, and reads no settings of the current folder.
    """
    with open(LOG, "w") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=env,
            cwd=ROOT,
            preexec_fn=die_with_parent(signal.SIGTERM),  # noqa: PLW1509 - there is one thread
        )
    while process.poll() is None:
        if progress and how_far:
            progress.show("Packages", how_far(LOG.read_text(errors="replace")))
        time.sleep(0.1)
    return process.returncode == 0


def uv_progress(text: str) -> str:
    """uv's progress, by its output, which names the large packages alone; others take no time."""
    resolution = re.search(r"^Resolved (\d+) packages?", text, re.MULTILINE)
    if not resolution:
        return "looking them up"
    total = int(resolution.group(1))
    large = set(re.findall(r"^Downloading (\S+) ", text, re.MULTILINE))
    if large and not re.search(r"^Prepared ", text, re.MULTILINE):
        large_done = large & set(re.findall(r"^ Downloaded (\S+)$", text, re.MULTILINE))
        return f"{total} in all, {len(large_done)} of the {len(large)} large ones are fetched"
    return f"{min(count_unpacked(), total)} of {total} unpacked"


def pip_progress(names: set[str], text: str) -> str:
    """pip's progress, by its output on the named packages, and by the folder of unpacked ones."""
    total = len(names - set(re.findall(r"^Ignoring ([\w.-]+):", text, re.MULTILINE)))
    if re.search(r"^Installing collected packages", text, re.MULTILINE):
        return f"{min(count_unpacked(), total)} of {total} unpacked"
    n_fetched = len(
        re.findall(r"^(?:Collecting|Requirement already satisfied:) ", text, re.MULTILINE)
    )
    return f"{n_fetched} of {total} fetched"


def count_unpacked() -> int:
    """Number of packages in `.venv` by now."""
    return sum(1 for _ in VENV.glob("lib/python*/site-packages/*.dist-info"))


def failure_reason(log: Path) -> str:
    """The reason of an installer's failure, from its log."""
    text = log.read_text(errors="replace") if log.exists() else ""
    if UNREACHABLE.search(text):
        return "the package index cannot be reached"
    if "No space left on device" in text:
        return "the disk is full"
    if "Hash mismatch" in text or "DO NOT MATCH THE HASHES" in text:  # uv's words, and pip's
        return "a package has another hash than the lock says"
    return (
        [line.strip(" .") for line in text.splitlines() if line.strip()] or ["it left no word"]
    )[-1]
