"""The form to set an alarm."""

from metrics.forms.alarms import AlarmForm


def test_the_number_is_chosen_among_numbers_alone():
    names = [name for _, name in AlarmForm()["kind"].field.choices]
    assert names == ["Alpha", "Golds right", "Active time a label"]
