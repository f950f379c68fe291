"""Metadata of a release, or of a run in it, in the form of ir_metadata.

Source: https://www.ir-metadata.org (irgroup/ir_metadata, docs/metadata; schema 0.1), after PRIMAD:
platform, research goal, implementation, method, actor, data. Breuer et al. 2022,
doi:10.1145/3477495.3531738. The marks of the first and last line are comments, as repro_eval
writes and reads them (MetadataHandler): so the file is YAML, which TIRA's checker demands.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from metrics.core.releases.manifest import Creator, Manifest, RunEntry
from metrics.core.releases.plain_text import one_line
from metrics.core.releases.yaml_text import Value, yaml_text

_ARXIV = re.compile(r"https?://(?:www\.)?arxiv\.org/\S+", re.IGNORECASE)
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,}/\S+)", re.IGNORECASE)
_DBLP = re.compile(r"https?://dblp\.\S+", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
SCORE_TIES = {
    "float32": "document id, descending, of scores that are equal in single precision",
    "float64": "document id, descending, of scores that are equal in double precision",
    "rank": "none: the ranks of its file count",
}


def ir_metadata(manifest: Manifest, run: RunEntry | None = None) -> str:
    """Return the metadata of a run, or without one those of the release's own data, as YAML.

    Only what is known: of a run its system, team, paper and order, and which measures this release
    tells; nothing of the platform and implementation that made it. Of the release the programs
    that wrote its files (platform) and its creators (actor). A run under an alias has no system,
    team and paper.
    """
    fields: dict[str, Value] = {"schema-version": 0.1}
    if run is None:
        fields |= _release(manifest)
        directions = ["forward", "reverse"]
    else:
        fields |= _run(manifest, run if run.is_named else anonymous(run))
        directions = [run.direction]
    fields["data"] = _data(manifest, directions)
    return f"# ir_metadata.start\n{yaml_text(fields)}# ir_metadata.end\n"


def anonymous(run: RunEntry) -> RunEntry:
    """Return a run without what would tell whose it is."""
    return replace(run, system="", team="", paper="", description="")


def _release(manifest: Manifest) -> dict[str, Value]:
    fields: dict[str, Value] = {}
    if manifest.made_with:
        libraries = [f"{name}=={version}" for name, version in manifest.made_with.items()]
        fields["platform"] = {"software": {"libraries": libraries}}
    if measures := _measures(score.measure for score in manifest.scores):
        fields["research goal"] = {"evaluation": {"reported measures": measures}}
    creators = [_actor(creator) for creator in manifest.creators if one_line(creator.name)]
    if creators:
        fields["actor"] = creators[0] if len(creators) == 1 else creators
    return fields


def _run(manifest: Manifest, run: RunEntry) -> dict[str, Value]:
    fields: dict[str, Value] = {"tag": run.alias}
    goal: dict[str, Value] = {}
    if publication := _publication(one_line(run.paper)):
        goal["publication"] = publication
    scores = (
        score.measure
        for score in manifest.scores
        if (score.run, score.direction) == (run.alias, run.direction)
    )
    if measures := _measures(scores):
        goal["evaluation"] = {"reported measures": measures}
    if goal:
        fields["research goal"] = goal
    if method := _method(run):
        fields["method"] = method
    if team := one_line(run.team):
        fields["actor"] = {"team": team}
    return fields


def _method(run: RunEntry) -> dict[str, Value]:
    method: dict[str, Value] = {}
    if run.score_type in SCORE_TIES:
        method["score ties"] = SCORE_TIES[run.score_type]
    if system := one_line(run.system):
        method["retrieval"] = [{"name": system}]
    if description := one_line(run.description):
        method["description"] = description  # not of the schema; TIRA and LongEval ask for it
    return method


def _publication(paper: str) -> dict[str, Value]:
    """The paper under the key that its address or DOI belongs to; nothing for other words."""
    if _ARXIV.fullmatch(paper):
        return {"arxiv": paper}
    if doi := _DOI.fullmatch(paper):
        return {"doi": f"https://doi.org/{doi[1]}"}
    if _DBLP.fullmatch(paper):
        return {"dblp": paper}
    return {"url": paper} if _ADDRESS.fullmatch(paper) else {}


def _measures(measures: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(measures))


def _actor(creator: Creator) -> dict[str, Value]:
    fields = {"name": creator.name, "orcid": creator.orcid, "team": creator.affiliation}
    return {key: text for key, value in fields.items() if (text := one_line(value))}


def _data(manifest: Manifest, directions: list[str]) -> dict[str, Value]:
    """The release as the test collection; its qrels of these directions, by paths in it."""
    name = one_line(manifest.title) or one_line(manifest.collection.name)
    collection: dict[str, Value] = {"name": f"{name}, version {one_line(manifest.version)}"}
    qrels = [
        entry.path
        for source in manifest.label_sources
        for entry in source.qrels
        if entry.direction in directions
    ]
    if qrels:
        collection["qrels"] = qrels[0] if len(qrels) == 1 else qrels
    data: dict[str, Value] = {"test collection": collection}
    if manifest.reference_sets:
        data["other"] = [{"name": entry.name} for entry in manifest.reference_sets]
    return data
