"""Write docs/analyses.md from the register of analyses.

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
django.setup()

from metrics.services.analysis.register import CHAPTERS, analyses_of  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "analyses.md"
HEAD = """# Analyses

<!-- Written by tools/write_analyses.py from the register; change that. -->

Tables and figures of a collection, on the page Analysis (Results), each after a table or figure of a paper: FIRE is Rodriguez
et al. 2022, "Fighting false negatives in text-to-video retrieval"; ECCV Caption is Chun et al. 2022. Every one says what it is
of (queries and their groups, labels, threshold, query set, runs, moment), comes as a picture, a table and a Vega-Lite
specification, and has an address that holds all choices. Where a number is not defined, a sentence says what is missing.

The same from the command line, for all that is on the page:

```
python3 manage.py analyse
python3 manage.py analyse positives-by-length --collection shapes
python3 manage.py analyse outcomes-by-length --collection shapes --run heron --run finch --measure C@1 --csv
python3 manage.py analyse positives-per-query --collection shapes --label-source over:original --svg > positives.svg
```

Without a form it prints the finding as sentences behind `#` and a table between tabs; `--csv` has all digits, `--json`
everything with the specification, `--svg` the chart as it is on the page, in light colours. And by the API, with a token that
has the scope `numbers:read`:

```
curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8000/api/v1/collections/shapes/analyses/
curl -H "Authorization: Bearer $TOKEN" \\
    "http://127.0.0.1:8000/api/v1/collections/shapes/analyses/positives-by-length/?label_source=only&threshold=2"
curl -H "Authorization: Bearer $TOKEN" \\
    http://127.0.0.1:8000/api/v1/collections/shapes/analyses/positives-by-length/table.csv
```

The answer is 202 while a worker computes what nobody has looked at yet: ask again after the seconds of `Retry-After`. Choices
are `direction`, `run` (an id, repeatable), `name` (part of the names of runs), `team`, `tag`, `label_source`, `threshold`,
`queries` (a query set) and `measure`; those that change an analysis are listed with it.

Nothing here is confirmatory: an analysis is of the labels of its moment, and looking at many of them finds something by chance.
"""


def document() -> str:
    """The document of the register."""
    return "".join(_lines())


def _lines() -> Iterator[str]:
    yield HEAD
    for chapter in CHAPTERS.values():
        analyses = analyses_of(chapter)
        yield f"\n## {chapter.title}\n\n{chapter.lede}\n\n"
        yield "| name | question | after | choices | held to | by the test |\n"
        yield "|---|---|---|---|---|---|\n"
        for row in analyses:
            choices = ", ".join(["direction", *sorted(row.choices)])
            yield (
                f"| `{row.name}` | {row.question} | {row.paper} | {choices} | "
                f"{row.oracle.value} | `{row.test}` |\n"
            )
        for row in analyses:
            path = f"{row.function.__module__}.{row.function.__qualname__}"
            yield f"\n**{row.question}** {row.definition}\nComputed by `{path}`.\n"


if __name__ == "__main__":
    DOCUMENT.write_text(document())
