"""The form of a diff: with what a release is compared, and under which label source."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms

from annotate.forms.fields import set_choices

NOW = "now"  # a version begins with a digit, or with v and a digit


class DiffForm(forms.Form):
    """The choices of a diff; the bare address works, as absent parameters have defaults.

    versions : of the other releases; sources : the words of label sources by their keys
    """

    to = forms.ChoiceField(label="Compared with")
    label_source = forms.ChoiceField(label="Label source")

    def __init__(
        self,
        data: Mapping[str, Any],
        *,
        versions: Iterable[str],
        sources: Mapping[str, str],
        default_source: str,
    ) -> None:
        defaults = {"to": NOW, "label_source": default_source}
        super().__init__({name: data.get(name) or default for name, default in defaults.items()})
        for name, alternatives in (("to", [NOW, *versions]), ("label_source", list(sources))):
            self.fields[name].error_messages["invalid_choice"] = (
                f'There is no "%(value)s" to choose; there are: {", ".join(alternatives)}.'
            )
        choices = [(NOW, "The labels now"), *((version, version) for version in versions)]
        set_choices(self, "to", choices)
        set_choices(self, "label_source", sources.items())
