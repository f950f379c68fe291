"""The labels of a release: qrels, judgments, the states of pairs, the pairs of pools, BEIR."""

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import chain, islice
from typing import Any

from django.db.models.functions import Collate

from annotate.core.files.judgments import judgment_exports
from annotate.models import Collection, Direction, Judgment, QuerySet
from annotate.services.collection import judgment_export
from metrics.core.labels.label_sources import LabelSource, People, kept_sources, usual_source
from metrics.core.releases import tables
from metrics.core.releases.file_names import file_stems
from metrics.core.releases.manifest import LabelSourceEntry, QrelsEntry
from metrics.http import QrelsRequest, source_in_name
from metrics.services.downloads import lines as label_lines
from metrics.services.downloads.bundles import ItemContents, beir_members
from metrics.services.downloads.grades import grades_of
from metrics.services.downloads.items import ExternalIds
from metrics.services.downloads.qrels import qrels_lines
from metrics.services.downloads.strata import StrataUndetermined, drawn_pools, pool_lines
from metrics.services.releases.writer import ReleaseWriter
from metrics.services.scores import labels
from pooling.models import Pool, PoolPair

ROWS_PER_BLOCK = 50_000
PROVENANCE = ("best_rank", "stratum", "inclusion_probability")
BEIR_ABOUT = {
    "corpus.jsonl": "The targets",
    "queries.jsonl": "The sources",
    "qrels/test.tsv": "The grades",
}


def released_sources(*, collection: Collection) -> list[LabelSource]:
    """The label sources whose qrels are in a release: those of stored scores, and people alone."""
    sources = kept_sources(labels.set_names(collection=collection))
    return list(dict.fromkeys([*sources, LabelSource.of(People.ONLY)]))


def write_qrels(
    writer: ReleaseWriter, *, collection: Collection, query_sets: dict[str, QuerySet]
) -> list[LabelSourceEntry]:
    """Write the qrels of each query set and label source, and a table of them all.

    query_sets : by the names that their files begin with
    """
    sources = released_sources(collection=collection)
    paths = {
        (source, stem): f"qrels/{stem}.{source_in_name(source)}.qrels.gz"
        for source in sources
        for stem in query_sets
    }
    writer.add_waiting_table(
        "qrels/qrels.parquet",
        "The same grades in one table.",
        tables.QRELS,
        _written_qrels(writer, collection, query_sets, paths),
    )
    return [
        LabelSourceEntry(
            source.key,
            source.label,
            tuple(
                QrelsEntry(query_set.name, query_set.direction, paths[source, stem])
                for stem, query_set in query_sets.items()
            ),
        )
        for source in sources
    ]


def _written_qrels(
    writer: ReleaseWriter,
    collection: Collection,
    query_sets: dict[str, QuerySet],
    paths: dict[tuple[LabelSource, str], str],
) -> Iterator[dict[str, Any]]:
    """Write the qrels file by file, and yield the same grades as blocks of the table."""
    external_ids = ExternalIds(collection)
    scopes = {stem: labels.scope_of(query_set=row) for stem, row in query_sets.items()}
    for (source, stem), path in paths.items():
        query_set, scope = query_sets[stem], scopes[stem]
        request = QrelsRequest(scope.direction, source, query_set)
        grades = grades_of(collection=collection, qrels_request=request, scope=scope)
        grades = grades.rows(external_ids.order(grades.source, grades.target))
        about = f"Grades of the pairs of query set {query_set}, {source.label}, as TREC qrels."
        writer.add_lines(path, about, qrels_lines(grades, external_ids))
        n, ends = len(grades.grade), labels.ends(scope.direction)
        yield {
            "query_set": tables.one_word(query_set.name, n),
            "direction": tables.one_word(str(scope.direction), n),
            "label_source": tables.one_word(source.key, n),
            ends[0]: tables.words(external_ids.ranks(grades.source), external_ids.in_order),
            ends[1]: tables.words(external_ids.ranks(grades.target), external_ids.in_order),
            "grade": grades.grade,
            "is_propagated": grades.is_propagated,
        }


def write_strata(writer: ReleaseWriter, *, collection: Collection) -> list[str]:
    """Write the stratified qrels of sampled pools; returns sentences on those that are left out."""
    pools = drawn_pools(collection=collection)
    sentences = []
    for pool, stem in zip(pools, file_stems([pool.name for pool in pools]), strict=True):
        if pool.runs.filter(is_hidden=True).exists():
            sentences.append(
                f"The strata of pool {pool} are not in the release, as they would tell the ranks "
                "of a run that its owner has not shown."
            )
            continue
        pieces = pool_lines(pool=pool)
        try:
            first = next(pieces, "")  # before the file is begun
        except StrataUndetermined as error:
            sentences.append(str(error))
            continue
        writer.add_lines(
            f"qrels/pool-{stem}.strata.qrels.gz",
            f"What pool {pool} drew and what it did not (grade -1), in five columns.",
            chain([first], pieces),
        )
    return sentences


def write_labels(writer: ReleaseWriter, *, collection: Collection) -> str:
    """Write the raw judgments, and the states of pairs that they led to.

    Returns the MD5 of the judgments as JSON lines, which the JSON of FIRE names as its source.
    """
    digest = _write_judgments(writer, collection)
    for name, about, pieces in (
        (
            "pairs",
            "Every pair of every pool: its state, its grade, all grades it was given.",
            label_lines.pair_states(collection=collection),
        ),
        (
            "disputed",
            "Disputed and escalated pairs, with all their grades.",
            label_lines.disputed(collection=collection),
        ),
        (
            "conflicts",
            "Pairs on which people and a reference set differ, with both grades, set by set.",
            label_lines.conflicts(collection=collection),
        ),
        (
            "refused-positives",
            "The conflicts in which people refused a positive of the reference.",
            label_lines.refused_positives(collection=collection),
        ),
        (
            "cannot-judge",
            "Every report of a pair that somebody could not judge or escalated, taken back or not.",
            label_lines.cannot_judge(collection=collection),
        ),
    ):
        writer.add_lines(f"labels/{name}.tsv.gz", about, pieces, n_header=1)
    return digest


def _write_judgments(writer: ReleaseWriter, collection: Collection) -> str:
    """Read the judgments once, into both files; the table waits for the end of the other file."""
    md5 = hashlib.md5(usedforsecurity=False)
    n_judgments = Judgment.objects.filter(collection=collection).count()
    about = "Every judgment under pseudonyms, with its level, reasons, times, and whether it counts"

    def lines() -> Iterator[bytes]:
        for piece in pieces:
            md5.update(piece)
            table.write_table(judgment_exports.table_of(piece))
            yield piece

    # A COPY left open would hold the connection.
    with (
        tempfile.TemporaryFile() as stream,
        closing(judgment_export.judgment_pieces(collection=collection)) as pieces,
    ):
        with judgment_exports.parquet_writer(stream) as table:
            path = "judgments/judgments.jsonl.gz"
            writer.add_blocks(path, f"{about}, as JSON lines.", lines(), n_rows=n_judgments)
        path = "judgments/judgments.parquet"
        writer.add_stream(path, f"{about}.", stream, n_rows=n_judgments)
    return md5.hexdigest()


def write_pool_pairs(writer: ReleaseWriter, *, collection: Collection) -> None:
    """Write the pairs of opened pools, without ranks and strata where a pooled run is hidden."""
    writer.add_table(
        "pools/pairs.parquet",
        "The pairs of each pool, with the best rank that a pooled run gives them, their stratum "
        "and their chance of being drawn; without these where a pooled run is not shown.",
        tables.POOL_PAIRS,
        _pool_blocks(collection),
    )


def _pool_blocks(collection: Collection) -> Iterator[dict[str, Any]]:
    pools = Pool.objects.filter(collection=collection, opened_at__isnull=False)
    hidden = set(pools.filter(runs__is_hidden=True).values_list("pk", flat=True))
    ends = [f"pair__{end}__external_id" for end in label_lines.ENDS]
    rows = (
        PoolPair.objects.filter(pool__in=pools)
        .order_by(Collate("pool__name", "C"), *(Collate(end, "C") for end in ends))
        .values_list("pool_id", "pool__name", *ends, *PROVENANCE)
        .iterator(chunk_size=5_000)
    )
    while block := list(islice(rows, ROWS_PER_BLOCK)):
        columns = zip(
            *(
                (*names, None, None, None) if pk in hidden else (*names, *provenance)
                for pk, *names, provenance in ((*row[:4], row[4:]) for row in block)
            ),
            strict=True,
        )
        yield dict(zip(tables.POOL_PAIRS.names, map(list, columns), strict=True))


def write_beir(
    writer: ReleaseWriter,
    *,
    collection: Collection,
    query_set: QuerySet,
    contents: ItemContents,
) -> None:
    """Write the BEIR folder of a query set under the default label source."""
    source = usual_source(labels.set_names(collection=collection))
    request = QrelsRequest(Direction(query_set.direction), source, query_set)
    members = beir_members(
        collection=collection,
        qrels_request=request,
        count=lambda n: None,
        contents=contents,
    )
    for path, pieces in members:
        about = f"{BEIR_ABOUT[path]} of a BEIR folder: query set {query_set}, {source.label}."
        writer.add_lines(f"beir/{path}", about, pieces, n_header=path.endswith(".tsv"))
