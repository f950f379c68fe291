"""The forms by which leads mark duplicates, and take marks back."""

from typing import Any, cast

from django import forms

from annotate.models import Collection, Item


class MarkForm(forms.Form):
    """The items of one group: the original, and those that repeat it."""

    original = forms.ModelChoiceField(
        Item.objects.none(),
        error_messages={
            "required": "Say which item is the original.",
            "invalid_choice": "The original is no item of this collection.",
        },
    )
    item = forms.ModelMultipleChoiceField(
        Item.objects.none(),
        error_messages={
            "required": "Choose an item that repeats the original.",
            "invalid_choice": "%(value)s is no item of this collection.",
            "invalid_pk_value": "%(pk)s is no item of this collection.",
        },
    )

    is_undo = forms.BooleanField(required=False)

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("original", "item"):
            _of_items(self.fields[name], collection)

    def clean(self) -> dict[str, Any]:
        """The original is one of the items, unless an Undo names them, and repeats nothing."""
        values: dict[str, Any] = super().clean() or {}
        original, items = values.get("original"), values.get("item")
        if original and items is not None:
            if original not in items and not values.get("is_undo"):
                raise forms.ValidationError(
                    "The original must be ticked: choose another original, or tick it."
                )
            values["item"] = [item for item in items if item != original]
            if not values["item"]:
                raise forms.ValidationError("Choose an item that repeats the original.")
        return values


class UnmarkForm(forms.Form):
    """A duplicate whose mark is taken back."""

    item = forms.ModelChoiceField(
        Item.objects.none(),
        error_messages={
            "required": "Say which item.",
            "invalid_choice": "This is no item of this collection.",
        },
    )

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _of_items(self.fields["item"], collection)


def _of_items(field: forms.Field, collection: Collection) -> None:
    """Let a field of items accept those of one collection."""
    cast(forms.ModelChoiceField, field).queryset = Item.objects.filter(collection=collection)
