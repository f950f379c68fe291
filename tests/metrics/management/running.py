"""Commands that print numbers, run in the process of the tests."""

import io
from types import SimpleNamespace

from django.core.management import call_command
from django.core.management.base import CommandError


def manage(*arguments: str) -> SimpleNamespace:
    """Run a command in this process, which may not touch a database: no test here asks for one."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(*arguments, stdout=out, stderr=err)
    except CommandError as error:
        return SimpleNamespace(stdout=out.getvalue(), stderr=f"CommandError: {error}")
    return SimpleNamespace(stdout=out.getvalue(), stderr=err.getvalue())


def rows(output: str) -> list[list[str]]:
    """The cells of each line."""
    return [line.split("\t") for line in output.splitlines()]
