"""Commands of the console script, run in the process of the tests."""

import io
import shlex
from contextlib import redirect_stderr, redirect_stdout
from types import SimpleNamespace

from assayer.console import main

LABELS = "unit,annotator,value\nu1,a,1\nu1,b,1\nu2,a,1\nu2,b,2\nu3,a,3\nu3,b,3\nu4,a,2\n"


def assayer(*command: object) -> SimpleNamespace:
    """Run a command on files, which may not touch a database: no test here asks for one."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main([str(word) for word in command])
        except SystemExit as refusal:  # of options that it cannot read
            status = refusal.code
    return SimpleNamespace(status=status, stdout=out.getvalue(), stderr=err.getvalue())


def output_of(*command: object) -> str:
    """What a command on files prints, which it does without an error."""
    finished = assayer(*command)
    assert finished.status == 0, finished.stderr
    return finished.stdout


def arguments(line: str) -> list[str]:
    """The arguments of a command as they are typed."""
    return shlex.split(line)


def rows(output: str) -> list[list[str]]:
    """The cells of each line."""
    return [line.split("\t") for line in output.splitlines()]
