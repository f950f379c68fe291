"""Policies to begin from."""

import pytest

from annotate.core.presets.policies import POLICIES, policy_preset
from annotate.forms.settings import PolicyForm
from annotate.models import Policy


@pytest.mark.django_db  # validity looks for versions of the same number
@pytest.mark.parametrize("preset", POLICIES, ids=lambda preset: preset.key)
def test_a_preset_and_the_fields_it_leaves_alone_make_a_valid_form(preset):
    blank = PolicyForm.of(Policy(), preset)
    typed = {name: blank[name].value() for name in blank.fields}
    form = PolicyForm(typed, instance=Policy())
    assert form.is_valid(), form.errors
    assert set(preset.figures) <= set(form.cleaned_data)
    assert all(form.cleaned_data[name] == value for name, value in preset.figures.items())


def test_quick_is_one_label_and_nothing_again():
    figures = policy_preset("quick").figures
    assert (figures["labels_per_pair"], figures["ceiling"]) == (1, 1)
    assert {figures["double_percent"], figures["repeat_percent"]} == {0}


def test_every_field_stands_on_the_page_once():
    names = [name for _, names in (*PolicyForm.GROUPS, *PolicyForm.FINE_PRINT) for name in names]
    assert sorted(names) == sorted(PolicyForm.base_fields)


def test_a_name_without_a_preset_is_none():
    assert policy_preset("") is None
    assert [preset.key for preset in POLICIES] == ["quick", "solid", "gold-standard"]
