"""The files of a release against SHA256SUMS, and against what its other documents tell of them."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from pyarrow import parquet

from annotate.core.files.archives.sources import Source
from annotate.core.files.formats import FormatError, quoted
from annotate.core.phrases import count_of, counted, first_few
from metrics.core.releases.verification.entries import read_json
from metrics.core.releases.verification.findings import Findings
from metrics.core.releases.verification.release_folder import lines_of, n_lines, opened

CHECKSUMS, CROISSANT, CARD = "SHA256SUMS", "croissant.json", "README.md"
_CHECKSUM = re.compile(r"([0-9a-f]{64})  (\S.*)")
_CARD_ROW = re.compile(r"\| (\S+) \| .* \| \S+/\S+ \| ([\d,]+) \| ([\d,]+) \|")
HEADED = (".tsv", ".tsv.gz")  # their first line is a header
# what machines leave in a folder that somebody looked into, or imported a module from
TOOL_FILES, TOOL_FOLDERS = {".ds_store", "thumbs.db", "desktop.ini"}, {"__pycache__", "__macosx"}


class ToldFile(NamedTuple):
    """A file as a document tells of it; sha256 and n_rows are None where it does not."""

    n_bytes: int
    sha256: str | None = None
    n_rows: int | None = None


def check_files(source: Source, findings: Findings) -> None:
    """Compare every file with its checksum, its size and its rows; those of tools not."""
    names = [name for name in source.names() if name != CHECKSUMS]
    checksums: dict[str, str] = {}
    with findings.reading(CHECKSUMS):
        checksums = listed_checksums(source, findings)
        tool_names = [name for name in names if name not in checksums and is_of_a_tool(name)]
        if tool_names:
            n_files = counted(len(tool_names), "file")
            words = f"{n_files} of tools that looked into the folder: {first_few(tool_names)}."
            findings.unchecked.append(words)
        names = sorted({*names} - {*tool_names})
        for name in names:
            if name not in checksums:
                findings.add(name, f"It is there, and {CHECKSUMS} does not list it.")
    digests: dict[str, str] = {}
    for name in names:
        with findings.reading(name):
            digests[name] = digest_of(source, name)
    n_right = 0
    for name, checksum in checksums.items():
        if name in digests and digests[name] != checksum:
            findings.add(name, f"Its checksum is {digests[name]}, and {CHECKSUMS} has {checksum}.")
        n_right += digests.get(name) == checksum
    of_all = f"{n_right:,} of {count_of(len(checksums), 'files')}"
    findings.results.append(f"{of_all} as {CHECKSUMS} has them.")
    check_listings(source, digests, findings)


def is_of_a_tool(name: str) -> bool:
    """True for a file that a desktop or an interpreter has left in the folder."""
    *folders, file_name = PurePosixPath(name.lower()).parts
    return file_name in TOOL_FILES or not TOOL_FOLDERS.isdisjoint(folders)


def listed_checksums(source: Source, findings: Findings) -> dict[str, str]:
    """The checksums by path. Raises FormatError."""
    checksums: dict[str, str] = {}
    for number, line in lines_of(source, CHECKSUMS):
        match = _CHECKSUM.fullmatch(line)
        if match is None:
            findings.add(CHECKSUMS, "it is no checksum, two blanks and a path.", line=number)
        elif match[2] in checksums:
            findings.add(CHECKSUMS, f"{quoted(match[2])} stands there twice.", line=number)
        else:
            checksums[match[2]] = match[1]
            if not source.holds(match[2]):
                findings.add(match[2], f"It is not there, and {CHECKSUMS} lists it.")
    if not checksums:
        raise FormatError(CHECKSUMS, None, "", "It lists no file.")
    return checksums


def digest_of(source: Source, name: str) -> str:
    with opened(source, name) as stream:
        digest = hashlib.sha256()
        for block in iter(lambda: stream.read(1 << 20), b""):
            digest.update(block)
        return digest.hexdigest()


def check_listings(source: Source, digests: Mapping[str, str], findings: Findings) -> None:
    """Compare sizes, checksums and rows as the documents tell them; those that are missing not."""
    for document, reader in ((CROISSANT, files_of_croissant), (CARD, files_of_card)):
        n = 0
        with findings.reading(document):
            for name, told_file in reader(source).items():
                n += name in digests
                if name in digests:
                    with findings.reading(name):
                        for fact in differences(source, name, digests[name], told_file):
                            findings.add(name, f"It has {fact[0]}, and {document} has {fact[1]}.")
                elif not source.holds(name):
                    findings.add(name, f"It is not there, and {document} lists it.")
        findings.results.append(f"{counted(n, 'file')} compared with {document}.")


def differences(
    source: Source, name: str, digest: str, told_file: ToldFile
) -> Iterator[tuple[str, str]]:
    """Yield what a file has, and what a document tells of it, where they differ."""
    n_bytes = source.size(name)
    if n_bytes != told_file.n_bytes:
        yield counted(n_bytes, "byte"), f"{told_file.n_bytes:,}"
    if told_file.sha256 not in (None, digest):
        yield f"the checksum {digest}", f"{told_file.sha256}"
    if told_file.n_rows is not None:
        n_rows = n_rows_of(source, name)
        if n_rows != told_file.n_rows:
            yield counted(n_rows, "row"), f"{told_file.n_rows:,}"


def n_rows_of(source: Source, name: str) -> int:
    with opened(source, name) as stream:
        if name.endswith(".parquet"):
            return int(parquet.ParquetFile(stream).metadata.num_rows)
        return max(0, n_lines(stream) - name.endswith(HEADED))


def files_of_croissant(source: Source) -> dict[str, ToldFile]:
    """The files that croissant.json lists. Raises FormatError."""
    value: Any = read_json(source, CROISSANT)
    told_files = {}
    try:
        for row in value["distribution"]:
            n_bytes = int(row["contentSize"].removesuffix(" B"))
            told_files[str(row["contentUrl"])] = ToldFile(n_bytes, str(row["sha256"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        message = "Its list of files (distribution) is not as a release has it."
        raise FormatError(CROISSANT, None, "", message) from error
    return told_files


def files_of_card(source: Source) -> dict[str, ToldFile]:
    """The files with rows in the last table of the data card. Raises FormatError."""
    matches = (_CARD_ROW.fullmatch(line) for _, line in lines_of(source, CARD))
    return {
        match[1].replace("\\", ""): ToldFile(
            int(match[3].replace(",", "")), n_rows=int(match[2].replace(",", ""))
        )
        for match in matches
        if match
    }
