"""The choices of a diff: what a release is compared with, and under which label source."""

from collections.abc import Mapping
from typing import Any

from django import forms

from annotate.forms.fields import set_choices
from metrics.core.labels.label_sources import LabelSource, usual_source
from metrics.models import Release
from metrics.services.releases.diffs.computation import DiffRequest
from metrics.services.releases.label_files import released_sources
from metrics.services.scores import labels

NOW = "now"  # no version begins with a letter but "v"


class DiffForm(forms.Form):
    """A diff of a release with another one of its collection, or with the present.

    The bare address works, as absent parameters have defaults.
    release : one that is made and not withdrawn
    """

    to = forms.ChoiceField(label="Compared with")
    label_source = forms.ChoiceField(label="Label source")

    def __init__(self, data: Mapping[str, Any], *, release: Release) -> None:
        self.release = release
        releases = Release.objects.available().filter(collection=release.collection)
        self.others = {
            row.version: row for row in releases.exclude(pk=release.pk).order_by("-as_of", "-pk")
        }
        other = self.others.get(data.get("to", ""))
        self.sources = self._sources(other)
        usual = usual_source(labels.set_names(collection=release.collection)).key
        default = usual if usual in self.sources else next(iter(self.sources), "")
        super().__init__(
            {"to": data.get("to") or NOW, "label_source": data.get("label_source") or default}
        )
        set_choices(self, "to", [(NOW, "The labels now"), *((name, name) for name in self.others)])
        set_choices(self, "label_source", self.sources.items())

    def _sources(self, other: Release | None) -> dict[str, str]:
        """The label sources that both sides have, by their keys."""
        if other is None:
            keys = [source.key for source in released_sources(collection=self.release.collection)]
        else:
            keys = [row["key"] for row in other.manifest["label_sources"]]
        return {
            row["key"]: row["label"]
            for row in self.release.manifest["label_sources"]
            if row["key"] in keys
        }

    def diff_request(self) -> DiffRequest:
        """The diff that a valid form describes: the side of the earlier labels comes first."""
        source = LabelSource.parse(self.cleaned_data["label_source"])
        other = self.others.get(self.cleaned_data["to"])
        if other is not None and (other.as_of, other.pk) < (self.release.as_of, self.release.pk):
            return DiffRequest(other, self.release, source)
        return DiffRequest(self.release, other, source)
