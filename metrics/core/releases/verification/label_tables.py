"""The tables of labels and query sets of a release, against the counts of its manifest."""

import json
from collections import Counter
from dataclasses import asdict
from typing import Any

from annotate.core.files.archives.sources import Source
from annotate.core.files.formats import FormatError, quoted
from annotate.core.labels.pair_states import PairState
from metrics.core.releases import tables
from metrics.core.releases.manifest import Manifest
from metrics.core.releases.verification.entries import read_json
from metrics.core.releases.verification.findings import Findings
from metrics.core.releases.verification.release_folder import (
    blocks_of,
    open_table,
    opened,
    rows_of,
    word_column,
)

PAIRS, DISPUTED = "labels/pairs.tsv.gz", "labels/disputed.tsv.gz"
CONFLICTS, REFUSED = "labels/conflicts.tsv.gz", "labels/refused-positives.tsv.gz"
REPORTS, POOL_PAIRS = "labels/cannot-judge.tsv.gz", "pools/pairs.parquet"
ENDS = ("query", "document")
PAIR_COLUMNS = ("pool", "pool_state", *ENDS, "state", "grade", "grades")
CONFLICT_COLUMNS = ("reference_set", *ENDS, "reference_grade", "people_grade")
REPORT_COLUMNS = (*ENDS, "annotator", "kind", "reason", "at", "state", "settled_at")
REPORT_KINDS, UNDONE = ("cannot_judge", "escalated"), "undone"
SET_COLUMNS = ("part", "item")


def check_label_tables(source: Source, manifest: Manifest, findings: Findings) -> None:
    """Compare the counts of manifest.json with the tables that they are counts of."""
    with findings.reading(PAIRS):
        check_pairs(source, manifest, findings)
    with findings.reading(DISPUTED):
        n = sum(1 for _ in rows_of(source, DISPUTED, (*ENDS, "status", "grades")))
        findings.compare("counts.n_disputed", manifest.counts.n_disputed, n, DISPUTED)
    with findings.reading(CONFLICTS):
        check_conflicts(source, manifest, findings)
    with findings.reading(REPORTS):
        n = sum(
            row["kind"] in REPORT_KINDS and row["state"] != UNDONE
            for _, row in rows_of(source, REPORTS, REPORT_COLUMNS)
        )
        findings.compare("counts.n_reports", manifest.counts.n_reports, n, REPORTS)
    with findings.reading(POOL_PAIRS):
        check_pool_pairs(source, manifest, findings)
    for query_set in manifest.query_sets:
        with findings.reading(query_set.file):
            parts = Counter(row["part"] for _, row in rows_of(source, query_set.file, SET_COLUMNS))
            name = f"query_sets, {query_set.name} ({query_set.direction})"
            findings.compare(
                f"{name}: n_sources", query_set.n_sources, parts["source"], query_set.file
            )
            findings.compare(
                f"{name}: n_gallery", query_set.n_gallery or 0, parts["gallery"], query_set.file
            )
    check_documents(source, manifest, findings)


def check_pairs(source: Source, manifest: Manifest, findings: Findings) -> None:
    """Compare the pairs of pools: those with a grade, of each grade, and those of each pool."""
    grade_of_pair: dict[str, str] = {}
    names: set[str] = set()
    shared_names: set[str] = set()
    previous_key = "", b"", b""
    n_pairs: Counter[str] = Counter()
    n_judged: Counter[str] = Counter()
    for number, row in rows_of(source, PAIRS, PAIR_COLUMNS):
        if row["state"] not in list(PairState):
            raise FormatError(PAIRS, number, "state", f"{quoted(row['state'])} is no state.")
        pair = f"{row['query']} {row['document']}"
        if grade_of_pair.setdefault(pair, row["grade"]) != row["grade"]:
            message = (
                f"{pair} has the grade {row['grade'] or 'none'}, and above "
                f"{grade_of_pair[pair] or 'none'}."
            )
            findings.add(PAIRS, message, line=number)
        names.add(row["pool"])
        pair_key = row["pool"], row["query"].encode(), row["document"].encode()
        if (
            row["pool"] == previous_key[0] and pair_key <= previous_key
        ):  # the rows of an import of the same name follow the pool's
            shared_names.add(row["pool"])
        previous_key = pair_key
        if PairState(row["state"]).is_wanted:
            n_pairs[row["pool"]] += 1
            n_judged[row["pool"]] += bool(row["grades"])
    n_of_grade = Counter(grade_of_pair.values())
    n_decided = len(grade_of_pair) - n_of_grade[""]
    findings.compare("counts.n_decided", manifest.counts.n_decided, n_decided, PAIRS)
    for level in manifest.levels:
        name = f"levels, grade {level.grade}: n_pairs"
        findings.compare(name, level.n_pairs, n_of_grade[str(level.grade)], PAIRS)
    for pool in manifest.pools:
        name = " ".join(pool.name.split())
        if name in shared_names or (name not in names and pool.n_pairs):
            findings.unchecked.append(
                f"The pairs of pool {name}: no rows of {PAIRS} are its own alone."
            )
            continue
        findings.compare(f"pools, {name}: n_pairs", pool.n_pairs, n_pairs[name], PAIRS)
        findings.compare(f"pools, {name}: n_judged", pool.n_judged, n_judged[name], PAIRS)


def check_conflicts(source: Source, manifest: Manifest, findings: Findings) -> None:
    positive_from = manifest.collection.positive_from
    pairs, refused_pairs, refused_rows = set(), set(), []
    for number, row in rows_of(source, CONFLICTS, CONFLICT_COLUMNS):
        try:
            grade, people_grade = int(row["reference_grade"]), int(row["people_grade"])
        except ValueError as error:
            raise FormatError(CONFLICTS, number, "", "its grades are no numbers.") from error
        if grade == people_grade:
            findings.add(CONFLICTS, f"both grades are {grade}: no conflict.", line=number)
        pair = f"{row['query']} {row['document']}"
        pairs.add(pair)
        if grade >= positive_from > people_grade:
            refused_pairs.add(pair)
            refused_rows.append(tuple(row.values()))
    counts = manifest.counts
    findings.compare("counts.n_conflicts", counts.n_conflicts, len(pairs), CONFLICTS)
    n_refused = counts.n_refused_positives
    findings.compare("counts.n_refused_positives", n_refused, len(refused_pairs), CONFLICTS)
    with findings.reading(REFUSED):
        rows = [tuple(row.values()) for _, row in rows_of(source, REFUSED, CONFLICT_COLUMNS)]
        if rows != refused_rows:
            findings.add(
                REFUSED,
                f"Its {len(rows):,} rows are not the {len(refused_rows):,} of {CONFLICTS} in which "
                "people refused a positive.",
            )


def check_pool_pairs(source: Source, manifest: Manifest, findings: Findings) -> None:
    """Compare the depth of each pool with the ranks of its pairs."""
    depths: dict[str, int] = {}
    with open_table(source, POOL_PAIRS, tables.POOL_PAIRS) as table:
        for block in blocks_of(table, ["pool", "best_rank"]):
            pool = word_column(block, "pool", POOL_PAIRS)
            for code, rank in zip(
                pool.codes.tolist(), block.column("best_rank").to_pylist(), strict=True
            ):
                if rank is not None:
                    name = pool.words[code]
                    depths[name] = max(rank, depths.get(name, rank))
    for entry in manifest.pools:
        name = f"pools, {entry.name}: depth"
        findings.compare(name, entry.depth, depths.get(entry.name), POOL_PAIRS)


def check_documents(source: Source, manifest: Manifest, findings: Findings) -> None:
    """Compare scheme, policies and guidelines with manifest.json, which has them too."""
    levels = [asdict(level) for level in manifest.levels]
    names = ("grade", "name", "sentence", "reasons")
    collection = manifest.collection
    scheme = {
        "measurement": collection.measurement,
        "positive_from": collection.positive_from,
        "levels": [{name: level[name] for name in names} for level in levels],
    }
    for path, value in (("scheme.json", scheme), ("policies.json", manifest.policies)):
        with findings.reading(path):
            if read_json(source, path) != json.loads(json.dumps(value)):
                findings.add(path, "It is not what manifest.json has of it.")
    for version in manifest.guidelines:
        path = f"guidelines/version-{version.get('version')}.md"
        with findings.reading(path):
            text: Any = version.get("markdown")
            with opened(source, path) as stream:
                if stream.read().decode() != text:
                    findings.add(path, "It is not what manifest.json has of it.")
