"""Supported machines and interpreters: those for which every package of the lock has a wheel."""

import os
import platform
import sys
import sysconfig

NEWEST_PYTHON = (3, 14)
GLIBC = (2, 28)
MACOS = 14
ELSEWHERE = "use docker compose (see docker-compose.yml)"


def obstacle() -> str:
    """Return why the lock's packages cannot be installed here, and what to do; "" if they can."""
    return wrong_machine() or wrong_python()


def wrong_machine() -> str:
    """Return why the machine or its system is not supported; "" if it is."""
    system, processor = platform.system(), platform.machine().lower()
    if system == "Windows":
        return "Assayer does not run on Windows itself: install WSL2 and start it there."
    is_64_bit = sys.maxsize > 2**32
    if system == "Linux" and processor in ("x86_64", "aarch64") and is_64_bit and glibc() >= GLIBC:
        return ""
    if system == "Darwin" and processor == "arm64" and macos() >= MACOS:
        return ""
    here = {
        "Linux": f"glibc {dotted(glibc())}" if glibc() else "no glibc",
        "Darwin": f"macOS {platform.mac_ver()[0]}",
    }
    return (
        f"Assayer needs Linux on 64-bit x86-64 or aarch64 with glibc {dotted(GLIBC)} or newer, "
        f"or macOS {MACOS} or newer on Apple silicon; this is {system} on "
        f"{'' if is_64_bit else '32-bit '}{processor}"
        f"{f' with {here[system]}' if system in here else ''}: {ELSEWHERE}."
    )


def wrong_python() -> str:
    """Return why the interpreter is not supported; "" if it is."""
    name, version = platform.python_implementation(), sys.version_info[:2]
    free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    if name == "CPython" and version <= NEWEST_PYTHON and not free_threaded:
        return ""
    return (
        f"Assayer needs CPython 3.11 to {dotted(NEWEST_PYTHON)}; this is {name} {dotted(version)}"
        f"{' without the GIL' if free_threaded else ''}: start it with one of those "
        f"(python{dotted(NEWEST_PYTHON)} manage.py ...), or {ELSEWHERE}."
    )


def glibc() -> tuple[int, ...]:
    """The version of the C library, () if it is another than glibc."""
    try:
        name, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").split()
    except (ValueError, OSError):
        return ()
    return tuple(int(part) for part in version.split(".")[:2]) if name == "glibc" else ()


def macos() -> int:
    """The major version of macOS, 0 elsewhere."""
    return int(platform.mac_ver()[0].split(".")[0] or 0)


def dotted(version: tuple[int, ...]) -> str:
    """A version with dots."""
    return ".".join(map(str, version))
