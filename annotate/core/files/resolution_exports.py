"""Files of resolutions, made of pieces of JSON lines: a line a pair, the columns as in SCHEMA."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import pyarrow as pa

from annotate.core.files.judgments.judgment_exports import MOMENT, WORD, as_parquet

# state : one of core.labels.pair_states
# status : how the grade came about, or why there is none; null, as what follows, without a label
# policy, rule : the version that decides, and its rule
SCHEMA = pa.schema(
    {
        "pair": pa.int64(),
        "query": pa.string(),
        "document": pa.string(),
        "state": WORD,
        "status": WORD,
        "grade": pa.int32(),
        "n_labels": pa.int32(),
        "is_complete": pa.bool_(),
        "policy": pa.int32(),
        "rule": WORD,
        "changed_at": MOMENT,
    }
)
# the writers of the formats, by the suffix of their files
FORMATS: dict[str, Callable[[Iterable[bytes]], Iterator[bytes]]] = {
    "ndjson": iter,
    "parquet": partial(as_parquet, schema=SCHEMA),
}
