"""The ground of a collection's handle: addresses, numbers, and jobs that are awaited."""

import math
from time import monotonic, sleep
from typing import Any, TypeVar, cast
from urllib.parse import quote

from assayer.client.bars import Bar
from assayer.client.errors import N_SENTENCES, NotReady, Refused
from assayer.client.records.jobs import Import
from assayer.client.records.pools import WholePool
from assayer.client.records.record import Record, Records
from assayer.client.records.releases import Download, Release
from assayer.client.records.runs import Run
from assayer.client.transport import Call, Transport, json_of, whole

R = TypeVar("R", bound=Record)
Work = TypeVar("Work", bound=Import | Run | WholePool | Download | Release)
FIRST_LOOK, SLOWEST_LOOK = 0.1, 2.0  # seconds between looks at a job
COMPUTING = 202
FOREVER = math.inf


class CollectionPart:
    """A collection of a site.

    slug : its short name, as in its addresses
    """

    def __init__(self, transport: Transport, slug: str, *, show_progress: bool = False) -> None:
        self.slug = slug
        self.transport = transport
        self.show_progress = show_progress

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.slug!r}, {self.transport.site.url!r})"

    def address(self, words: str = "") -> str:
        """An address below that of the collection."""
        return f"collections/{quote(self.slug, safe='')}/{words}"

    def listed(self, kind: type[R], words: str, filters: dict[str, Any]) -> Records[R]:
        """All rows of a list."""
        return Records(kind.of(row) for row in self.transport.pages(self.address(words), **filters))

    def numbers(self, kind: type[R], call: Call, *, wait: float, title: str = "The numbers") -> R:
        """The answer to a request, once it is computed; it is sent again when the site says.

        wait : seconds to wait while it is 202. Raises NotReady.
        """
        end = monotonic() + wait
        while True:
            response = self.transport.send(call, whole)
            if response.status_code != COMPUTING:
                return kind.of(json_of(response))
            pause = float(response.headers.get("Retry-After", 1))
            if monotonic() + pause > end:
                raise NotReady(f"{title} are still being computed after {wait:,.0f} s.")
            sleep(pause)

    def awaited(self, work: Work, *, wait: float, title: str) -> Work:
        """Background work as it is at its end; `wait` of 0 does not look again.

        wait : seconds to wait. Raises NotReady.
        """
        end = monotonic() + wait
        pause = FIRST_LOOK
        with Bar(title, is_shown=self.show_progress) as bar:
            while wait and not work.is_finished:
                if monotonic() + pause > end:
                    raise NotReady(f"{title} is not finished after {wait:,.0f} s.")
                sleep(pause)
                pause = min(pause * 1.5, SLOWEST_LOOK)
                work = cast(Work, type(work).of(self.transport.read(work.url)))
                bar.show(work.progress)
        return work


def rejection(error: str, report: object, *, name: str) -> Refused:
    """The error of a file that the site received and rejected, in the words of its report."""
    faults = report.get("errors", []) if isinstance(report, dict) else []
    errors: dict[str, list[str]] = {}
    for fault in faults:
        errors.setdefault(fault.get("field") or "file", []).append(fault_sentence(fault))
    sentences = [fault_sentence(fault) for fault in faults[:N_SENTENCES]] or [error]
    n_faults = report.get("n_errors", len(faults)) if isinstance(report, dict) else 0
    if n_faults > N_SENTENCES:
        sentences.append(f"There are {n_faults - N_SENTENCES:,} more.")
    sentences += unknown_ids(report)
    return Refused(f"{name} was rejected. {' '.join(sentences)}".strip(), errors=errors)


def unknown_ids(report: object) -> list[str]:
    """A sentence of the first unknown ids that a report of a run has."""
    sources = report.get("unknown_sources") if isinstance(report, dict) else None
    if not sources or not sources["n"]:
        return []
    return [f"Unknown are: {', '.join(sources['first'][:N_SENTENCES])}."]


def fault_sentence(fault: dict[str, Any]) -> str:
    """A fault of a file with its line."""
    line = fault.get("line")
    message = str(fault.get("message", ""))
    if line is None or message.startswith("Line "):
        return message
    return f"Line {line:,}: {message}"
