"""The console on a real site."""

import pytest
from pytest_django.live_server_helper import LiveServer

from assayer.console import main


class Console:
    """What the console answers: `out` and `err` are the texts of its latest command."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys
        self.out = self.err = ""

    def __call__(self, *words: str) -> int:
        try:
            status = main(words)
        except SystemExit as end:  # of argparse
            status = int(end.code or 0)
        self.out, self.err = self.capsys.readouterr()
        return status

    def rows(self, *words: str) -> list[dict[str, str]]:
        """The rows of the table that a command prints; it must not fail."""
        assert self(*words) == 0, self.err
        titles, *lines = [line.split("\t") for line in self.out.splitlines()]
        return [dict(zip(titles, line, strict=True)) for line in lines]


@pytest.fixture
def console(capsys: pytest.CaptureFixture[str]) -> Console:
    """The console."""
    return Console(capsys)


@pytest.fixture
def site(live_server: LiveServer, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The site in the environment, as for every command."""
    monkeypatch.setenv("ASSAYER_URL", live_server.url)
    monkeypatch.setenv("ASSAYER_TOKEN", token)
