"""Schemes to begin a collection from."""

import pytest

from annotate.core.levels import level_reasons
from annotate.core.levels.scheme_rules import LevelSpec, check_scheme
from annotate.core.presets import schemes
from annotate.core.presets.schemes import SCHEMES, scheme_preset
from annotate.forms.levels import LevelFormSet
from annotate.models import Collection

every_preset = pytest.mark.parametrize("preset", SCHEMES, ids=lambda preset: preset.key)


@every_preset
def test_a_preset_is_a_scheme_that_a_collection_accepts(preset):
    levels = [
        LevelSpec(
            **level._asdict()
            | {"reasons": level_reasons.as_stored(level_reasons.parse_text(level.reasons))}
        )
        for level in preset.levels
    ]
    check_scheme(levels=levels, positive_from=preset.positive_from)
    assert preset.measurement in Collection.Measurement.values


@every_preset
def test_a_preset_survives_the_form_unchanged(preset):
    rows = {
        f"levels-{number}-{field}": value
        for number, row in enumerate(preset.rows())
        for field, value in row.items()
    }
    n_levels = len(preset.levels)
    counts = {"levels-TOTAL_FORMS": n_levels, "levels-INITIAL_FORMS": n_levels}
    levels = LevelFormSet(rows | counts, prefix="levels")
    assert levels.is_valid()
    assert [level.name for level in levels.levels()] == [level.name for level in preset.levels]


@every_preset
def test_levels_stand_best_first_and_the_middle_ones_alone_ask_for_reasons(preset):
    grades = [level.grade for level in preset.levels]
    assert grades == sorted(grades, reverse=True)
    assert not preset.levels[0].reasons
    assert not preset.levels[-1].reasons


def test_the_reasons_of_eccv_are_four_shortcomings_one_of_them_with_details():
    middle_levels = schemes.scheme_preset("eccv").levels[1:3]
    assert len({level.reasons for level in middle_levels}) == 1
    reasons = level_reasons.parse_text(middle_levels[0].reasons)
    assert len(reasons) == 4
    assert [bool(reason.details) for reason in reasons] == [False, False, False, True]


def test_a_name_without_a_preset_is_none():
    assert scheme_preset("nothing") is None
    assert [preset.key for preset in SCHEMES] == ["two", "graded", "eccv", "fire", "trec"]
