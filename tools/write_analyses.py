"""Write the tables of docs/analyses.md from the register of analyses.

    .venv/bin/python tools/write_analyses.py

The register is metrics/services/analysis/register.py; a test holds the document to it.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import django

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SECRET_KEY", os.urandom(50).hex())  # nothing is signed here
django.setup()

from metrics.services.analysis.register import CHAPTERS, analyses_of  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "analyses.md"
MARK = "<!-- The rest is written by tools/write_analyses.py from the register. -->\n"


def document() -> str:
    """The document, with the register below its mark."""
    head, mark, _ = DOCUMENT.read_text().partition(MARK)
    return head + mark + "".join(_lines())


def _lines() -> Iterator[str]:
    for chapter in CHAPTERS.values():
        analyses = analyses_of(chapter)
        yield f"\n## {chapter.title}\n\n{chapter.lede}\n\n"
        yield "| name | question | after | parameters | held to | by the test |\n"
        yield "|---|---|---|---|---|---|\n"
        for row in analyses:
            choices = ", ".join(row.parameter_names)
            yield (
                f"| `{row.name}` | {row.question} | {row.paper} | {choices} | "
                f"{row.oracle.value} | `{row.test}` |\n"
            )
        for row in analyses:
            path = f"{row.function.__module__}.{row.function.__qualname__}"
            yield f"\n**{row.question}** {row.definition}\nComputed by `{path}`.\n"


if __name__ == "__main__":
    DOCUMENT.write_text(document())
