"""The choices of a diff: what a release can be compared with, and under which label sources."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from metrics.core.labels.label_sources import LabelSource, usual_source
from metrics.forms.release_diffs import DiffForm
from metrics.models import Release
from metrics.services.releases.diffs.computation import DiffRequest
from metrics.services.releases.label_files import released_sources
from metrics.services.scores import labels


class DiffChoices(NamedTuple):
    """The choices of a diff of a release.

    other_releases : the releases by version, those of the latest labels first
    sources : of labels, which both sides have: their words by their keys
    default_source : the key of the usual one where both have it; "" where they share none
    """

    release: Release
    other_releases: dict[str, Release]
    sources: dict[str, str]
    default_source: str

    def form(self, parameters: Mapping[str, Any]) -> DiffForm:
        """The form of these choices, filled in with the parameters of an address."""
        return DiffForm(
            parameters,
            versions=self.other_releases,
            sources=self.sources,
            default_source=self.default_source,
        )

    def diff_request(self, *, to: str, label_source: str) -> DiffRequest:
        """The diff with another version, or with the present: the earlier labels come first."""
        source, other = LabelSource.parse(label_source), self.other_releases.get(to)
        if other is None:
            return DiffRequest(self.release, None, source)
        before, after = sorted((self.release, other), key=lambda row: (row.as_of, row.pk))
        return DiffRequest(before, after, source)


def diff_choices(*, release: Release, to: str) -> DiffChoices:
    """The choices for a release that is available, and what it is to be compared with.

    Manifests, which are long, are left where they are.
    """
    collection = release.collection
    releases = Release.objects.available().filter(collection=collection).exclude(pk=release.pk)
    other_releases = {
        row.version: row for row in releases.defer("manifest").order_by("-as_of", "-pk")
    }
    sources = _sources_of(release)
    if to in other_releases:
        keys = set(_sources_of(other_releases[to]))
    else:
        keys = {source.key for source in released_sources(collection=collection)}
    shared_sources = {key: label for key, label in sources.items() if key in keys}
    usual = usual_source(labels.set_names(collection=collection)).key
    default = usual if usual in shared_sources else next(iter(shared_sources), "")
    return DiffChoices(release, other_releases, shared_sources, default)


def _sources_of(release: Release) -> dict[str, str]:
    rows = Release.objects.filter(pk=release.pk).values_list("manifest__label_sources", flat=True)
    return {row["key"]: row["label"] for row in rows.get()}
