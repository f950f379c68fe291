"""croissant.json: a release as programs for data sets read it, in the format Croissant 1.1.

https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1; mlcroissant validates it and loads the
tables by it. Without a licence, and with a version that is not MAJOR.MINOR.PATCH, it warns.
"""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from annotate.core.phrases import enumeration
from metrics.core.releases.licences import licence_address
from metrics.core.releases.manifest import Creator, FileEntry, Manifest
from metrics.core.releases.release_tables import ReleaseTable, TableColumn, released_tables
from metrics.core.releases.responsible_ai import rai_properties

SPECIFICATIONS = ("http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0")
KEYWORDS = ("information retrieval", "test collection", "relevance judgments", "evaluation")
# Readers of Croissant know Parquet by this type, not yet by its registered one.
CROISSANT_PARQUET = "application/x-parquet"
_TERMS = (
    "annotation",
    "arrayShape",
    "citeAs",
    "column",
    "containedIn",
    "equivalentProperty",
    "excludes",
    "extract",
    "field",
    "fileObject",
    "fileProperty",
    "fileSet",
    "format",
    "includes",
    "isArray",
    "isLiveDataset",
    "jsonPath",
    "key",
    "md5",
    "parentField",
    "path",
    "readLines",
    "recordSet",
    "references",
    "regex",
    "repeated",
    "replace",
    "samplingRate",
    "sdVersion",
    "separator",
    "source",
    "subField",
    "transform",
    "unArchive",
    "value",
)
# the context of the specification's appendix 1, and the terms that mlcroissant misses in it
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "name": {"@container": "@language"},
    "description": {"@container": "@language"},
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS},
}


def croissant_json(manifest: Manifest, files: Sequence[FileEntry]) -> str:
    """The text of croissant.json; the same manifest and files give the same text.

    files : all of the release but croissant.json itself, which cannot hold its own checksum
    A table has a record set if its Parquet file is among the files.
    """
    dataset: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": list(SPECIFICATIONS),
        "name": manifest.title or manifest.collection.name,
        "description": _description(manifest),
        "version": manifest.version,
        "datePublished": manifest.released_on.isoformat(),
        "citeAs": manifest.cite_as or _citation(manifest),
        "keywords": list(KEYWORDS),
        "isLiveDataset": False,
    }
    if manifest.licence:
        dataset["license"] = licence_address(manifest.licence) or manifest.licence
    if manifest.creators:
        dataset["creator"] = [_person(creator) for creator in manifest.creators]
    dataset |= rai_properties(manifest)
    dataset["distribution"] = [_file_object(file) for file in files]
    dataset["recordSet"] = [_record_set(table) for table in released_tables(files)]
    return json.dumps(dataset, ensure_ascii=False, indent=1) + "\n"


def _description(manifest: Manifest) -> str:
    """The lead's texts on the collection and on this release; without both, a sentence."""
    texts = [text for text in (manifest.collection.description, manifest.notes) if text.strip()]
    name = manifest.collection.name or manifest.title
    return "\n\n".join(texts) or f"Relevance judgments of the test collection {name}."


def _citation(manifest: Manifest) -> str:
    title = f"{manifest.title or manifest.collection.name}, version {manifest.version}"
    year = manifest.released_on.year
    if not manifest.creators:
        return f"{title} ({year})."
    return f"{enumeration([creator.name for creator in manifest.creators])} ({year}): {title}."


def _person(creator: Creator) -> dict[str, Any]:
    person: dict[str, Any] = {"@type": "sc:Person", "name": creator.name}
    if creator.orcid:
        person["url"] = f"https://orcid.org/{creator.orcid}"
    if creator.affiliation:
        person["affiliation"] = {"@type": "sc:Organization", "name": creator.affiliation}
    return person


def _file_id(path: str) -> str:
    """The path as an IRI: no character of it, such as a colon, has a meaning there."""
    return quote(path)


def _file_object(file: FileEntry) -> dict[str, Any]:
    formats = [file.media_type]
    if file.path.endswith(".parquet") and CROISSANT_PARQUET not in formats:
        formats.append(CROISSANT_PARQUET)
    return {
        "@type": "cr:FileObject",
        "@id": _file_id(file.path),
        "name": file.path.rpartition("/")[2],
        "description": file.about,
        "contentUrl": file.path,
        "contentSize": f"{file.n_bytes} B",
        "encodingFormat": formats,
        "sha256": file.sha256,
    }


def _record_set(table: ReleaseTable) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.about,
        "field": [_field(table, column) for column in table.columns],
    }


def _field(table: ReleaseTable, column: TableColumn) -> dict[str, Any]:
    list_properties = {"isArray": True, "arrayShape": "-1"} if column.is_list else {}
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{column.name}",
        "name": column.name,
        "description": column.about,
        "dataType": column.data_type,
        **list_properties,
        "source": {
            "fileObject": {"@id": _file_id(table.path)},
            "extract": {"column": column.name},
        },
    }
