"""What is true of every page, however it is looked at: axe finds nothing, one h1, nothing wider than a phone."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

LOOKS = {"light on a desk": ("light", 1280), "dark on a phone": ("dark", 390)}
MORE_LOOKS = {"dark on a desk": ("dark", 1280), "light on a phone": ("light", 390)}


def look_at(page: Page, *, heavy: bool = False) -> None:
    """Look at an open page in two looks, in all four if `heavy`; it is left in the last one."""
    assert page.title().strip()
    assert page.locator("h1").all_text_contents() == [page.locator("h1").first.text_content()]
    axe, found = Axe(), {}
    for look, (scheme, width) in {**LOOKS, **(MORE_LOOKS if heavy else {})}.items():
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found[look] = [(each["id"], each["nodes"][0]["html"]) for each in axe.run(page).response["violations"]]
        axe = Axe("true")  # the page has it by now
        too_wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if too_wide > 0:
            found[look].append(("wider than the window", f"by {too_wide} pixels"))
    assert {look: what for look, what in found.items() if what} == {}
