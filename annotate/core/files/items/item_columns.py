"""The columns of a file of items in any shape: what each is taken for, as chosen or as guessed.

A mapping goes from fields to the file's own columns (of JSON its keys; of a table without a header
the numbers from 1): {"document_id": "clip", "document_text": "caption"}.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from annotate.core.files.formats import finite_number, quoted, whole_number
from annotate.core.files.media_types import media_type
from annotate.core.files.records import Record

ItemColumns = Mapping[str, str]

CONTENT = ("title", "text", "html", "image", "video", "audio")
SIDE_FIELDS = ("id", *CONTENT, "start", "end", "group", "warning")
MEDIA = ("image", "video", "audio")
QUERY_FIELDS = {f"query_{field}": f"the query's {field}" for field in SIDE_FIELDS}
DOCUMENT_FIELDS = {f"document_{field}": f"the document's {field}" for field in SIDE_FIELDS}
PAIR_FIELDS = {"split": "the split", "grade": "the grade of the pair"}
FIELDS = {**DOCUMENT_FIELDS, **QUERY_FIELDS, **PAIR_FIELDS}
MAX_COLUMNS = 100
DOCUMENT, QUERY, PAIR, CAPTION = "document", "query", "pair", "caption"
ROW_KINDS = {
    DOCUMENT: "a document",
    QUERY: "a query",
    PAIR: "a query and a document",
    CAPTION: "a caption, the query, and what it describes",
}

# names in use, as `plain_name` writes them
IDS = {
    QUERY: "query_id qid queryid topic topic_id question_id caption_id sen_id sentence_id",
    DOCUMENT: "document_id doc_id docid docno doc_no corpus_id passage_id pid video_id videoid "
    "image_id imageid clip_id item_id product_id article_id media_id track_id",
}
_CAPTION_IDS = {"caption_id", "sen_id", "sentence_id"}  # some of the queries' ids
_TEXTS = {
    QUERY: "query query_text question topic_text search search_term keyword keywords",
    DOCUMENT: "document document_text doc text passage body content abstract transcript "
    "description caption sentence comment answer",
}
_DOCUMENT_TEXTS = {"abstract", "body", "transcript", "html"}  # such as no query has
_QUERY_TEXTS = "text description content caption sentence"  # also of documents
_OTHERS = {
    "title": "title name headline",
    "html": "html page",
    "group": "group group_id",
    "warning": "warning content_warning",
}
_SPLITS = "split fold subset partition"
GRADES = "grade score relevance label rel rating judgment judgement"
# words in the names of files, by the side that they speak of
_FILE_WORDS = {
    QUERY: "query queries topic topics",
    DOCUMENT: "doc docs document documents corpus passage passages",
}
_CAPTIONS = "caption raw_caption captions sentence comment raw"


def columns_of(choices: Iterable[tuple[str, str]]) -> tuple[dict[str, str], str]:
    """Return the columns by their fields, and the sentence on one that stands twice, or ""."""
    columns: dict[str, str] = {}
    for column, field_name in choices:
        if field_name in columns:
            meaning = FIELDS.get(field_name, field_name)
            return columns, (
                f"{quoted(columns[field_name])} and {quoted(column)} are both taken for {meaning}: "
                "choose one of them."
            )
        if field_name:
            columns[field_name] = column
    return columns, ""


def mapping_fault(columns: ItemColumns) -> str:
    """Return why these columns make no items, as a sentence; "" if they do."""
    if unknown_fields := [field for field in columns if field not in FIELDS]:
        known_names = ", ".join(FIELDS)
        return f"There is no field {quoted(unknown_fields[0])}; the fields are {known_names}."
    sides = [side for side in (QUERY, DOCUMENT) if of_side(columns, side)]
    if not sides:
        return "Choose the column of an id: every item needs one, without white space."
    for side in sides:
        is_caption = side == QUERY and are_captions(columns)
        if not (is_caption or has_id(columns, side) or is_numbered(columns, side)):
            column = next(iter(of_side(columns, side).values()))
            return f"Choose the column of the {side}'s id too, or leave out {quoted(column)}."
    if "grade" in columns and len(sides) < 2:
        return "A grade is of a query and a document: choose the ids of both, or leave it out."
    return ""


def of_side(columns: ItemColumns, side: str) -> dict[str, str]:
    """Return the columns of one side, by fields without the side's name."""
    fields = {field: f"{side}_{field}" for field in SIDE_FIELDS}
    return {field: columns[name] for field, name in fields.items() if name in columns}


def has_id(columns: ItemColumns, side: str) -> bool:
    """True if items of the side have an id: a column, or the name of their own file."""
    return f"{side}_id" in columns or any(f"{side}_{kind}" in columns for kind in MEDIA)


def are_captions(columns: ItemColumns) -> bool:
    """True if the queries are captions of the documents: without ids, or with ids of captions."""
    has_caption_id = plain_name(columns.get("query_id", "")) in _CAPTION_IDS
    return (
        "query_text" in columns
        and "grade" not in columns
        and (has_caption_id or not has_id(columns, QUERY))
        and has_id(columns, DOCUMENT)
    )


def is_numbered(columns: ItemColumns, side: str) -> bool:
    """True if items of the side are numbered by their texts: those of pairs without ids."""
    has_both = all(of_side(columns, own_side) for own_side in (QUERY, DOCUMENT))
    has_text_alone = f"{side}_text" in columns and not has_id(columns, side)
    return has_both and has_text_alone and not (side == QUERY and are_captions(columns))


def names_columns(cells: Sequence[str]) -> bool:
    """True if the first line of a table looks like a header: no cell of it is a value."""
    return len({*cells}) == len(cells) and not any(
        finite_number(cell) is not None or media_type(cell) or not cell for cell in cells
    )


def row_kind(columns: ItemColumns) -> str:
    """Return what a row holds under these columns: a key of ROW_KINDS."""
    if are_captions(columns):
        return CAPTION
    has_query, has_document = bool(of_side(columns, QUERY)), bool(of_side(columns, DOCUMENT))
    return PAIR if has_query and has_document else QUERY if has_query else DOCUMENT


def field_groups(kind: str) -> list[tuple[str, dict[str, str]]]:
    """Return the fields that a row of this kind may have, by fields, in groups with a title."""
    groups = [
        ("Document", DOCUMENT_FIELDS if kind != QUERY else {}),
        ("Query", QUERY_FIELDS if kind != DOCUMENT else {}),
        ("Both", PAIR_FIELDS if kind == PAIR else {"split": PAIR_FIELDS["split"]}),
    ]
    return [(title, fields) for title, fields in groups if fields]


def side_of_name(name: str) -> str:
    """Return the side that a file's name speaks of: query, document or ""."""
    name_words = re.findall("[a-z]+", name.lower())
    sides = [
        side for side, words in _FILE_WORDS.items() if not {*words.split()}.isdisjoint(name_words)
    ]
    return sides[0] if len(sides) == 1 else ""


def guess_columns(
    records: Sequence[Record], kind: str = "", *, likely_side: str = DOCUMENT
) -> dict[str, str]:
    """Guess what the columns are taken for, by their names and first values.

    kind : what a row holds, a key of ROW_KINDS; "" where this is guessed too
    likely_side : query or document, of rows whose columns do not tell
    """
    columns = list(dict.fromkeys(column for record in records for column in record))[:MAX_COLUMNS]
    kind = kind or _guess_kind(records, columns, likely_side)
    fields: dict[str, str] = {}
    for column in columns:
        field = _guess_field(column, records, kind)
        if field:
            fields.setdefault(field, column)
    for side in (DOCUMENT, QUERY) if kind == PAIR else (QUERY,) if kind == QUERY else (DOCUMENT,):
        _add_id(fields, side, columns, records)
    if kind in (DOCUMENT, QUERY) and not {f"{kind}_title", f"{kind}_html"} & {*fields}:
        _add_text(fields, f"{kind}_text", columns, records)
    if kind == CAPTION:
        _add_text(fields, "query_text", columns, records)
    return fields


def _guess_kind(records: Sequence[Record], columns: Sequence[str], likely_side: str) -> str:
    names = {plain_name(column) for column in columns}
    has_query = bool(names & {*IDS[QUERY].split(), *_TEXTS[QUERY].split()} - _CAPTION_IDS)
    has_document = bool(names & {*IDS[DOCUMENT].split(), "document", "doc", "passage", "answer"})
    if has_query:
        return PAIR if has_document else QUERY
    ids = [
        column
        for column in columns
        if are_ids(records, column) and plain_name(column) not in _CAPTION_IDS
    ]
    texts = [column for column in columns if _are_texts(records, column)]
    captions = [column for column in texts if plain_name(column) in _CAPTIONS.split()]
    has_own_ids = any(_are_unique(records, column) for column in ids)
    has_caption_ids = not names.isdisjoint(_CAPTION_IDS)
    if ids and captions and (has_caption_ids or not has_own_ids):
        return CAPTION
    return DOCUMENT if has_document or not names.isdisjoint(_DOCUMENT_TEXTS) else likely_side


def _guess_field(column: str, records: Sequence[Record], kind: str) -> str:
    field = _fields_by_name(kind).get(plain_name(column), "")
    if kind == PAIR and field.endswith("_text") and are_ids(records, column):
        return field.removesuffix("text") + "id"
    if field == "grade" and not are_grades(records, column):
        return ""
    side = QUERY if kind == QUERY else DOCUMENT
    media = (f"{side}_{medium}" for medium in MEDIA if _are_media(records, column, medium))
    return next(media, field)


def _fields_by_name(kind: str) -> dict[str, str]:
    """Fields by names in use, as `plain_name` writes them, where a row holds this."""
    side = QUERY if kind == QUERY else DOCUMENT
    fields = {name: f"{side}_{field}" for field, names in _OTHERS.items() for name in names.split()}
    for own_side in (DOCUMENT, QUERY) if kind == PAIR else (side,):
        fields |= dict.fromkeys(_TEXTS[own_side].split(), f"{own_side}_text")
        fields |= dict.fromkeys(IDS[own_side].split(), f"{own_side}_id")
    if kind == CAPTION:
        fields |= dict.fromkeys(IDS[QUERY].split(), "query_id")
        fields |= dict.fromkeys(_CAPTIONS.split(), "query_text")
    if kind == PAIR:
        fields |= dict.fromkeys(GRADES.split(), "grade")
    else:
        fields["id"] = f"{side}_id"
    if kind == QUERY:
        fields = dict.fromkeys(_QUERY_TEXTS.split(), "query_text") | fields
    return fields | dict.fromkeys(_SPLITS.split(), "split")


def _add_id(
    fields: dict[str, str], side: str, columns: Sequence[str], records: Sequence[Record]
) -> None:
    """Add a column of ids to fields without one, unless a file's name is the id."""
    if has_id(fields, side):
        return
    candidates = [
        column for column in columns if column not in fields.values() and are_ids(records, column)
    ]
    candidates.sort(
        key=lambda column: (
            "id" not in plain_name(column).split("_"),
            not _are_unique(records, column),
        )
    )
    if candidates:
        fields[f"{side}_id"] = candidates[0]


def _add_text(
    fields: dict[str, str], field: str, columns: Sequence[str], records: Sequence[Record]
) -> None:
    """Add the first column of texts to fields without one; beside media one called a text."""
    has_media = any(name.endswith(MEDIA) for name in fields)
    words = {*_TEXTS[DOCUMENT].split(), *_TEXTS[QUERY].split()}
    texts = [
        column
        for column in columns
        if column not in fields.values()
        and _are_texts(records, column)
        and (field == "query_text" or not has_media or words & {*plain_name(column).split("_")})
    ]
    if field not in fields and texts:
        fields[field] = texts[0]


def plain_name(column: str) -> str:
    """Return a column's name in lower case, with one _ between words."""
    return re.sub(r"[^a-z0-9]+", "_", column.strip().lower()).strip("_")


def _values(records: Sequence[Record], column: str) -> list[str]:
    values = [record.get(column) for record in records]
    return [str(value) for value in values if value not in (None, "")]


def are_ids(records: Sequence[Record], column: str) -> bool:
    """True if a column has values, and each of them can be an id."""
    values = _values(records, column)
    return bool(values) and not any(re.search(r"\s", value) or len(value) > 100 for value in values)


def _are_unique(records: Sequence[Record], column: str) -> bool:
    values = _values(records, column)
    return len({*values}) == len(values)


def _are_texts(records: Sequence[Record], column: str) -> bool:
    return any(re.search(r"\s", value.strip()) for value in _values(records, column))


def are_grades(records: Sequence[Record], column: str) -> bool:
    """True if each value of a column that is not blank is a whole number."""
    return all(whole_number(value) is not None for value in _values(records, column))


def _are_media(records: Sequence[Record], column: str, medium: str) -> bool:
    values = _values(records, column)
    types = [media_type(value.partition("?")[0]) for value in values]
    return bool(types) and all(known_type and known_type.kind == medium for known_type in types)
