"""Which demo collections a start makes, and what it tells of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.up import first_start
from config.up.first_start import CAMPAIGN, STUDY, DemoLoader, demo_parts
from config.up.home import Home
from config.up.processes import wait_until

PUBLIC = {"SITE_URL": "https://judge.example.org"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A folder of the product, with a folder for logs."""
    monkeypatch.delenv("DATABASE_URL", raising=False)
    folder = Home(tmp_path)
    folder.logs.mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("env", "parts"),
    [
        ({}, (STUDY, CAMPAIGN)),
        ({"SITE_URL": "http://localhost:8001", "ASSAYER_DEMO": ""}, (STUDY, CAMPAIGN)),
        (PUBLIC, (STUDY,)),
        ({**PUBLIC, "ASSAYER_DEMO": "both"}, (STUDY, CAMPAIGN)),
        ({"ASSAYER_DEMO": "study"}, (STUDY,)),
        ({"ASSAYER_DEMO": "none"}, ()),
    ],
)
def test_a_local_site_has_both_and_a_public_one_the_study_unless_asked(
    env: dict[str, str], parts: tuple[str, ...]
) -> None:
    assert demo_parts(env) == parts


def test_what_a_database_had_once_is_not_made_again(home: Home) -> None:
    first_start.note_demo(home, STUDY)
    assert DemoLoader(home, env={}, parts=(STUDY, CAMPAIGN)).parts == [CAMPAIGN]
    first_start.note_demo(home, CAMPAIGN)
    loader = DemoLoader(home, env={}, parts=(STUDY, CAMPAIGN))
    loader.go_on()
    assert (loader.parts, loader.process) == ([], None)


@pytest.fixture
def failing(home: Home) -> Iterator[DemoLoader]:
    """A loader whose command ends at once: it has no key."""
    env = {"ASSAYER_NO_BOOTSTRAP": "1", "ASSAYER_VAR": str(home.var), "SECRET_KEY": "short"}
    loader = DemoLoader(home, env=env, parts=(STUDY, CAMPAIGN))
    yield loader
    loader.stop()


def test_parts_are_made_one_after_the_other_and_what_fails_is_told(
    home: Home, failing: DemoLoader, capsys: pytest.CaptureFixture[str]
) -> None:
    failing.go_on()
    first = failing.process
    failing.go_on()
    assert failing.process is first or failing.parts == [CAMPAIGN]

    def is_over() -> bool:
        failing.go_on()
        return failing.process is None

    assert wait_until(is_over, seconds=120)
    output = capsys.readouterr().out
    assert output.index("The demo collection could not be loaded (") < output.index(
        "The demo campaign, made in the background, could not be loaded ("
    )
    assert str(home.logs / "load_demo.log") in output
    assert first_start.needs_demo(home, STUDY) and first_start.needs_demo(home, CAMPAIGN)
