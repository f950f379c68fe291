"""Small run files read whole: their rows in order, or what is wrong with them."""

import io

from annotate.core.files.formats import Problems
from pooling.core.files.run_files import read_parts
from pooling.core.files.run_ranking import rank
from pooling.core.files.spool import Spool


def read(data: bytes, name: str = "a.run", score_type: str = "float32"):
    problems = Problems()
    with Spool() as spool:
        for part in read_parts(io.BytesIO(data), name, problems):
            spool.add(part)
        if problems:
            return None, None, problems
        (batch,) = spool.batches()
    return batch, rank(batch, score_type=score_type, name=name, problems=problems), problems


def rows_of(data: bytes, **options) -> list[tuple[str, str, float]]:
    batch, order, problems = read(data, **options)
    assert problems.lines() == []
    run = batch.run
    return [
        (run.queries[run.query[at]].decode(), run.docs[at].decode(), run.scores[at])
        for at in order.order
    ]


def errors_of(data: bytes, **options) -> list[str]:
    return read(data, **options)[2].lines()
