"""The tables of means of a release: scores.parquet, scores.tsv and manifest.json say the same."""

from dataclasses import asdict
from typing import Any

from annotate.core.files.archives.sources import Source
from annotate.core.files.formats import FormatError
from annotate.core.phrases import count_of
from metrics.core.releases import tables
from metrics.core.releases.manifest import Manifest, ScoreEntry
from metrics.core.releases.verification.findings import Findings
from metrics.core.releases.verification.query_values import ScoreKey
from metrics.core.releases.verification.release_folder import (
    blocks_of,
    open_table,
    rows_of,
)

TABLE, TEXT = "scores/scores.parquet", "scores/scores.tsv"
COLUMNS = tuple(tables.SCORES.names)
MAY_BE_EMPTY = ("mean", "low", "high", "best")


def check_score_tables(
    source: Source, manifest: Manifest, findings: Findings
) -> dict[ScoreKey, ScoreEntry]:
    """Compare the tables; return the scores of scores.parquet by their keys."""
    scores: dict[ScoreKey, ScoreEntry] = {}
    with findings.reading(TABLE):
        entries = score_entries(source)
        for row, entry in enumerate(entries, start=1):
            key = key_of(entry)
            if key in scores:
                findings.add(TABLE, f"Row {row:,}: {key} stands there twice.")
            scores[key] = entry
        _compare(TABLE, "manifest.json", entries, list(manifest.scores), findings)
        with findings.reading(TEXT):
            check_score_text(source, entries, findings)
        findings.results.append(
            f"{count_of(len(entries), 'scores')} alike in {TABLE}, {TEXT} and manifest.json."
            if not findings.n_faults
            else f"{count_of(len(entries), 'scores')} of {TABLE} compared with {TEXT} and "
            "manifest.json."
        )
    return scores


def key_of(entry: ScoreEntry) -> ScoreKey:
    """The key of a score."""
    return ScoreKey(*(getattr(entry, name) for name in ScoreKey._fields))


def score_entries(source: Source) -> list[ScoreEntry]:
    """The rows of the table. Raises FormatError and ArrowException."""
    entries: list[ScoreEntry] = []
    with open_table(source, TABLE, tables.SCORES) as table:
        for block in blocks_of(table, list(COLUMNS)):
            for row in block.to_pylist():
                empty = [name for name in COLUMNS if row[name] is None and name not in MAY_BE_EMPTY]
                if empty:
                    message = f'Row {len(entries) + 1:,}: the cell of "{empty[0]}" is empty.'
                    raise FormatError(TABLE, None, "", message)
                entries.append(ScoreEntry(**row))
    return entries


def _compare(
    file: str,
    other_file: str,
    entries: list[ScoreEntry],
    other_entries: list[ScoreEntry],
    findings: Findings,
) -> None:
    """Compare the scores of two files, in their order."""
    if len(entries) != len(other_entries):
        words = (
            f"It has {count_of(len(entries), 'scores')}, and {other_file} {len(other_entries):,}."
        )
        findings.add(file, words)
    for row, (entry, other) in enumerate(zip(entries, other_entries, strict=False), start=1):
        if name := next((name for name in COLUMNS if _differ(entry, other, name)), None):
            findings.add(
                file,
                f"Row {row:,} ({key_of(entry)}): {name} is {getattr(entry, name)}, and "
                f"{other_file} has {getattr(other, name)}.",
            )


def _differ(entry: ScoreEntry, other: ScoreEntry, name: str) -> bool:
    return repr(getattr(entry, name)) != repr(getattr(other, name))  # NaN is as NaN here


def check_score_text(source: Source, entries: list[ScoreEntry], findings: Findings) -> None:
    rows = list(rows_of(source, TEXT, COLUMNS))
    if len(rows) != len(entries):
        findings.add(TEXT, f"It has {count_of(len(rows), 'rows')}, and {TABLE} {len(entries):,}.")
    for (number, row), entry in zip(rows, entries, strict=False):
        cells = {name: _text(value) for name, value in asdict(entry).items()}
        if name := next((name for name in COLUMNS if row[name] != cells[name]), None):
            findings.add(
                TEXT,
                f"{name} of {key_of(entry)} is {row[name] or 'empty'}, and {TABLE} has "
                f"{cells[name] or 'none'}.",
                line=number,
            )


def _text(value: Any) -> str:
    return "" if value is None else " ".join(str(value).split())
