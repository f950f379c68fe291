"""The page of duplicates in a browser: two images that look alike are marked by keys alone."""

import numpy as np
import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotate.models import Duplicate, Item, Part, Preview, Role
from tests import cast
from tests.addresses.page_checks import violations
from tests.metrics import studies
from tests.metrics.services.analysis.questions import compute_kept

pytestmark = pytest.mark.django_db(transaction=True)
MOST_HEIGHT = 14 * 16  # pixels of an image


@pytest.fixture
def study():
    """A study with two documents of one image each, the second a little brighter."""
    study = studies.judged_study("study")
    cells = np.random.default_rng(1).integers(40, 200, size=(32, 32, 3))
    for name, shift in (("image", 0), ("copy", 5)):
        preview = Preview.objects.create(
            collection=study,
            checksum=f"sha256:{name}",
            content=b"x",
            width=40,
            height=30,
            raster=(cells + shift).astype(np.uint8).tobytes(),
        )
        Part.objects.create(
            item=Item.objects.create(collection=study, side="document", external_id=name),
            position=0,
            kind="image",
            path=f"{name}.png",
            checksum=preview.checksum,
            preview=preview,
            previewed_at=timezone.now(),
        )
    compute_kept(study, "duplicates")
    return study


@pytest.fixture
def duplicates(live_server, page, study):
    cast.sign_in(page.context, live_server.url, cast.member(study, Role.LEAD))
    page.goto(f"{live_server.url}/c/study/results/duplicates/")
    return page


def marks(study):
    rows = Duplicate.objects.filter(collection=study)
    return dict(rows.values_list("item__external_id", "original__external_id"))


def test_a_pair_of_images_is_marked_taken_back_and_marked_again_by_keys(duplicates, study):
    group = duplicates.get_by_role("region", name="Group 1")
    group.get_by_role("radio").first.focus()
    for key in ("ArrowDown", "Tab", "Tab"):  # the copy is the original
        duplicates.keyboard.press(key)
    expect(group.locator("summary", has_text="Judge once")).to_be_focused()
    for key in ("Enter", "Tab"):
        duplicates.keyboard.press(key)
    expect(group.get_by_role("button", name="Judge 1 item as the original")).to_be_focused()
    duplicates.keyboard.press("Enter")
    expect(duplicates.get_by_role("heading", name="Judged once (1)")).to_be_visible()
    assert marks(study) == {"image": "copy"}
    duplicates.get_by_role("button", name="Take back the mark of image").focus()
    duplicates.keyboard.press("Enter")
    expect(duplicates.get_by_role("heading", name="Judged once (0)")).to_be_visible()
    assert marks(study) == {}
    duplicates.get_by_role("button", name="Undo").focus()
    duplicates.keyboard.press("Enter")
    expect(duplicates.get_by_role("heading", name="Judged once (1)")).to_be_visible()
    assert marks(study) == {"image": "copy"}


@pytest.mark.parametrize("width", [1280, 390])
def test_images_stand_beside_one_another_as_small_as_in_the_explorer(duplicates, width):
    duplicates.set_viewport_size({"width": width, "height": 844})
    for image in duplicates.locator("#found img").all():
        assert image.evaluate("image => getComputedStyle(image).maxHeight") == f"{MOST_HEIGHT}px"
    assert duplicates.locator("#found img").count() == 2
    assert duplicates.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(duplicates) == []
