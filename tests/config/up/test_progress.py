"""The output of a start about its steps."""

import io

from config.up.progress import ConsoleProgress


class Terminal(io.StringIO):
    """Output on a terminal."""

    def isatty(self) -> bool:
        return True


def tell(output: io.StringIO) -> str:
    """Three steps, the second in parts."""
    progress = ConsoleProgress(output)
    progress.SECONDS = 3600.0  # each step is over before that, however slow this is
    progress.show("Fetching uv")
    for n_done in range(0, 51, 25):
        progress.show("Packages", f"{n_done} of 51")
    progress.show("Packages", "50 of 51")
    progress.end()
    progress.end("Ready")
    return output.getvalue()


def test_a_file_gets_a_line_a_step() -> None:
    assert tell(io.StringIO()) == "Fetching uv.\nPackages: 0 of 51\nReady\n"


def test_a_file_gets_a_line_now_and_then_within_a_long_step() -> None:
    progress = ConsoleProgress(io.StringIO())
    progress.show("Packages", "0 of 51")
    progress.shown_at -= ConsoleProgress.SECONDS
    progress.show("Packages", "25 of 51")
    progress.show("Packages", "26 of 51")
    assert progress.output.getvalue() == "Packages: 0 of 51\nPackages: 25 of 51\n"


def test_a_terminal_has_one_line_that_changes_and_is_gone_at_the_end() -> None:
    lines = tell(Terminal()).split("\r\x1b[K")
    assert lines == [
        "",
        "Fetching uv.",
        "Packages: 0 of 51",
        "Packages: 25 of 51",
        "Packages: 50 of 51",
        "Ready\n",
    ]
