"""Machines that the product refuses."""

import platform
import sys
import sysconfig
from typing import Any

import pytest

from config.up import machine


def set_machine(
    monkeypatch: pytest.MonkeyPatch, system: str, processor: str, *, libc: Any = "glibc 2.28"
) -> None:
    """Let Python report another machine."""
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: processor)
    monkeypatch.setattr(
        platform, "mac_ver", lambda: ("14.2" if system == "Darwin" else "", ("", "", ""), "")
    )
    monkeypatch.setattr(machine.os, "confstr", lambda name: libc)


@pytest.mark.parametrize(
    ("system", "processor"), [("Linux", "x86_64"), ("Linux", "aarch64"), ("Darwin", "arm64")]
)
def test_nothing_is_said_where_the_lock_has_all_wheels(
    monkeypatch: pytest.MonkeyPatch, system: str, processor: str
) -> None:
    set_machine(monkeypatch, system, processor)
    assert machine.wrong_machine() == ""


@pytest.mark.parametrize(
    ("system", "processor", "libc", "words"),
    [
        ("Windows", "AMD64", "", "WSL2"),
        ("Linux", "x86_64", None, "Linux on x86_64 with no glibc: use docker compose"),
        ("Linux", "x86_64", "musl 1.2", "with no glibc"),
        ("Linux", "x86_64", "glibc 2.17", "with glibc 2.17"),
        ("Linux", "ppc64le", "glibc 2.39", "Linux on ppc64le"),
        ("Linux", "armv7l", "glibc 2.39", "Linux on armv7l"),
        ("Darwin", "x86_64", None, "Darwin on x86_64 with macOS 14.2"),
        ("FreeBSD", "amd64", None, "FreeBSD on amd64"),
    ],
)
def test_any_other_machine_is_named_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, system: str, processor: str, libc: str | None, words: str
) -> None:
    set_machine(monkeypatch, system, processor, libc=libc)
    answer = machine.obstacle()
    assert words in answer and len(answer.splitlines()) == 1


def test_an_old_macos_and_a_32_bit_python_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    set_machine(monkeypatch, "Darwin", "arm64")
    monkeypatch.setattr(platform, "mac_ver", lambda: ("13.6.1", ("", "", ""), ""))
    assert "macOS 13.6.1" in machine.obstacle()
    set_machine(monkeypatch, "Linux", "x86_64")
    monkeypatch.setattr(sys, "maxsize", 2**31 - 1)
    assert "on 32-bit x86_64" in machine.obstacle()


@pytest.mark.parametrize(
    ("name", "version", "free_threaded", "words"),
    [
        ("PyPy", (3, 11), 0, "this is PyPy 3.11"),
        ("CPython", (3, 15), 0, "this is CPython 3.15"),
        ("CPython", (3, 14), 1, "CPython 3.14 without the GIL"),
    ],
)
def test_an_interpreter_that_the_lock_has_no_wheels_for_is_named(
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    version: tuple[int, int],
    free_threaded: int,
    words: str,
) -> None:
    set_machine(monkeypatch, "Linux", "x86_64")
    monkeypatch.setattr(platform, "python_implementation", lambda: name)
    monkeypatch.setattr(sys, "version_info", version)
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: free_threaded)
    assert words in machine.obstacle()


def test_this_machine_and_this_python_serve() -> None:
    assert machine.obstacle() == ""
