"""Blocks of shell in the documents, run as they stand by a real bash with a real curl."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple, Self

import pytest

from tests.deploy.programs import debian_program

DOCS = Path(__file__).parents[2] / "docs"
HEADING = re.compile(r"^#+ (.*)$")
END = "the block has ended"
SECONDS = 300  # a block that waits for what never comes ends, with what it has printed


class DocBlock(NamedTuple):
    """A block of a document under a heading; `language` is "" for shell."""

    heading: str
    language: str
    text: str


def blocks(document: str) -> list[DocBlock]:
    """The blocks of a document in their order."""
    heading, language, lines, document_blocks = "", "", None, []
    for line in (DOCS / document).read_text().splitlines():
        if line.startswith("```"):
            if lines is None:
                language, lines = line.removeprefix("```"), []
            else:
                document_blocks.append(DocBlock(heading, language, "\n".join([*lines, ""])))
                lines = None
        elif lines is not None:
            lines.append(line)
        elif match := HEADING.match(line):
            heading = match[1]
    return document_blocks


class Shell:
    """A bash in a folder into which blocks are pasted one after the other.

    The first command that fails ends it, and then the test, which shows what was printed. Children
    read nothing of what is pasted.
    """

    def __init__(self, folder: Path, *, curl_options: str = "", **variables: str) -> None:
        curl = Path(debian_program("curl", "--version"))
        self.folder = folder
        (folder / ".curlrc").write_text(curl_options)
        path = os.pathsep.join([str(Path(sys.executable).parent), str(curl.parent)])
        self.process = subprocess.Popen(
            ["timeout", str(SECONDS), "bash", "-euo", "pipefail"],
            cwd=folder,
            env={
                **os.environ,
                **variables,
                "CURL_HOME": str(folder),
                "PATH": f"{path}{os.pathsep}{os.environ['PATH']}",
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.process.kill()
        self.process.communicate()

    def run(self, text: str) -> str:
        """Run a block; returns what it printed."""
        assert self.process.stdin and self.process.stdout
        file = self.folder / ".block"
        file.write_text(text)
        self.process.stdin.write(f". ./{file.name} < /dev/null\necho; echo '{END}'\n")
        self.process.stdin.flush()
        lines: list[str] = []
        for line in self.process.stdout:
            if line.rstrip("\n") == END:
                return "".join(lines)
            lines.append(line)
        output = "".join(lines)
        return pytest.fail(f"This block failed:\n{text}\nIt printed:\n{output}")
