"""Reads files that the tests made to do harm, one after the other, and prints what each took.

It prints what each reader said, too.

Arguments: pairs of a reader's name and a path. A line of JSON each: the faults, processor seconds,
and the most memory so far. The seconds are those of a machine of our pace: others measure slower,
and busy ones too.
"""

import json
import resource
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from annotate.core.files.archives.sources import open_source
from annotate.core.files.formats import FormatError, Problems, guarded
from annotate.core.files.id_lists import read_ids
from annotate.core.files.items.item_formats import read_items
from annotate.core.files.judgments.judgment_formats import JudgmentColumns, read_judgments
from annotate.core.files.references.reference_formats import read_reference
from pooling.core.files.run_files import read_parts


def _items(stream: BinaryIO, name: str, problems: Problems) -> Any:
    return guarded(read_items(open_source(stream, name), problems), problems)


READERS: dict[str, Callable[[BinaryIO, str, Problems], Any]] = {
    "run": read_parts,
    "items": _items,
    "reference": lambda *arguments: guarded(read_reference(*arguments), arguments[2]),
    "judgments": lambda stream, name, problems: guarded(
        read_judgments(stream, name, JudgmentColumns(), problems), problems
    ),
    "ids": lambda *arguments: guarded(read_ids(*arguments), arguments[2]),
}


def seconds() -> float:
    """Processor time of this process and of those it started and saw end."""
    usage = [
        resource.getrusage(process) for process in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    return sum(usage_of_process.ru_utime + usage_of_process.ru_stime for usage_of_process in usage)


def slowness() -> float:
    """How many times as long as ours this machine takes to unpack and read a text; 1 or more."""
    packed = zlib.compress(b"q Q0 d 1 1 t\n" * 200_000, 1)
    before = seconds()
    assert sum(len(line.split()) for line in zlib.decompress(packed).splitlines()) == 1_200_000
    return max(1.0, (seconds() - before) / 0.03)


def memory() -> float:
    """MiB that this process, or one it saw end, had at most so far."""
    own = next(
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmHWM")
    )
    return max(int(own.split()[1]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024


def main() -> None:
    """Read all files."""
    slow = slowness()
    for kind, path in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
        before, problems = seconds(), Problems()
        with Path(path).open("rb") as stream:
            try:
                for _ in READERS[kind](stream, Path(path).name, problems):
                    pass
            except FormatError as error:
                problems.add(error)
        duration, slow_before, slow = seconds() - before, slow, slowness()
        duration /= max(slow_before, slow)  # the machine's pace may change in between
        print(
            json.dumps({"faults": problems.lines()[:3], "seconds": duration, "MiB": memory()}),
            flush=True,
        )


if __name__ == "__main__":
    main()
