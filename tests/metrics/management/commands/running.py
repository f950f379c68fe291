"""Commands that print numbers, run in the process of the tests."""

import io
import shlex
from types import SimpleNamespace

from django.core.management import call_command
from django.core.management.base import CommandError

LABELS = "unit,annotator,value\nu1,a,1\nu1,b,1\nu2,a,1\nu2,b,2\nu3,a,3\nu3,b,3\nu4,a,2\n"


def manage(*command: str) -> SimpleNamespace:
    """Run a command in this process, which may not touch a database: no test here asks for one."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(*command, stdout=out, stderr=err)
    except CommandError as error:
        return SimpleNamespace(stdout=out.getvalue(), stderr=f"CommandError: {error}")
    return SimpleNamespace(stdout=out.getvalue(), stderr=err.getvalue())


def arguments(line: str) -> list[str]:
    """The arguments of a command as they are typed."""
    return shlex.split(line)


def rows(output: str) -> list[list[str]]:
    """The cells of each line."""
    return [line.split("\t") for line in output.splitlines()]
