"""What is true of every page, however it is looked at: axe finds nothing, one h1, nothing scrolls that should not."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

LOOKS = {
    "light on a desk": ("light", 1280),
    "dark on a phone": ("dark", 390),
    "dark on a desk": ("dark", 1280),
    "light on a phone": ("light", 390),
}
FIRST = next(iter(LOOKS))
# All that axe does by itself, and the one rule of WCAG 2.2 AA that it leaves off.
OPTIONS = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
AXE = Axe().axe_script
FIND = """async (options) => (await axe.run(document, options)).violations
    .flatMap((fault) => fault.nodes.map((node) => [fault.id, node.html]))"""


def violations(page: Page) -> list[list[str]]:
    """What axe finds on an open page as it is now: each rule that is broken, with each element that breaks it."""
    if not page.evaluate("'axe' in window"):
        give_axe(page)
    return page.evaluate(FIND, OPTIONS)


def give_axe(page: Page) -> None:
    """Load axe into a page. It is half a megabyte, which Chromium's own protocol takes in a third of the time."""
    if page.context.browser.browser_type.name != "chromium":
        page.evaluate(AXE)
        return
    session = page.context.new_cdp_session(page)
    session.send("Runtime.evaluate", {"expression": AXE, "returnByValue": False})
    session.detach()


# What a finger presses; of what is ticked the label is pressed too.
TARGETS = """() => [...document.querySelectorAll(
    'button, .button, summary, select, textarea, input:not([type=hidden]), :is(nav, .tabs, .menu-sheet) a',
)].map((one) => one.matches('[type=checkbox], [type=radio]') && one.labels[0] || one)
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.offsetWidth > 1)
  .map((one) => [one.outerHTML.slice(0, 160), one.getBoundingClientRect().height])"""
FINGER = 48  # pixels
# What is typed into, with letters under 16 pixels: an iPhone magnifies the page for it, and the page stays so.
SMALL_FIELDS = """() => [...document.querySelectorAll("input, select, textarea")]
  .filter((one) => !one.matches("[type=hidden], [type=checkbox], [type=radio], [type=range], [type=file]"))
  .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 16)
  .map((one) => one.outerHTML.slice(0, 160))"""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def too_low(page: Page) -> list[tuple[str, float]]:
    """Whatever on an open page is pressed and lower than a finger needs; sheets that open are opened first."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    return [(html, height) for html, height in page.evaluate(TARGETS) if round(height, 1) < FINGER]


# What may scroll where its content is larger: tables, charts and strips aside, texts and lists down. All else is made
# to fit; and even these never scroll down by a few pixels, which are a slip of the sheet and no content. How wide a
# table is hangs on fonts, too: tests/browsers/test_layout.py looks at that.
MAY_SCROLL = {
    "aside": ".table-scroll, .tabs, .nav, .chart-view, .explorer-runs, .explorer-picker, pre",
    "down": "textarea, dialog, .run-choice-list, .table-tall, .chart-foot .table-scroll, .panel, .document",
}
SLIPS = {"aside": 0, "down": 8}  # pixels
SCROLLS = """([mayScroll, slips]) => [document.documentElement, ...document.querySelectorAll("body, body *")]
  .filter((one) => one.getClientRects().length)
  .flatMap((one) => {
    const style = getComputedStyle(one), isPage = one === document.documentElement;
    const found = [];
    const look = (way, by, overflow) => {
      const scrolls = by > 0 && (/auto|scroll/.test(overflow) || (isPage && way === "aside"));
      if (scrolls && (by <= slips[way] || !one.matches(mayScroll[way]))) {
        found.push([`scrolls ${way} by ${by} pixels`, one.cloneNode().outerHTML.slice(0, 160)]);
      }
    };
    look("aside", one.scrollWidth - one.clientWidth, style.overflowX);
    if (!isPage) look("down", one.scrollHeight - one.clientHeight, style.overflowY);
    return found;
  })"""


TWICE = """[...document.querySelectorAll("[id]")].map((one) => one.id)
    .filter((id, at, ids) => ids.indexOf(id) !== at)"""


def scrolls(page: Page) -> list[list[str]]:
    """What scrolls on an open page and should not, in which direction and by how much."""
    return list(page.evaluate(SCROLLS, [MAY_SCROLL, SLIPS]))


def small_fields(page: Page) -> list[str]:
    """The fields of an open page, in dialogs too, into which an iPhone would zoom."""
    return list(page.evaluate(SMALL_FIELDS))


def take(page: Page, look: str) -> None:
    """Let a page be seen in one of the looks."""
    scheme, width = LOOKS[look]
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")


def look_at(page: Page, *, full: bool = False) -> None:
    """Look at an open page with axe in the first look, and at its width there and on a phone; at both in all if `full`.

    It is left in the first look.
    """
    headings = "[...document.querySelectorAll('h1')].map((one) => one.textContent)"
    title, headings = page.evaluate(f"[document.title, {headings}]")
    assert title.strip() and len(headings) == 1, headings
    broken = {}
    for look in reversed(LOOKS if full else [FIRST, "light on a phone"]):
        take(page, look)
        found = (violations(page) if full or look == FIRST else []) + scrolls(page)
        found += [["an id stands twice", name] for name in page.evaluate(TWICE)]
        if found:
            broken[look] = found
    assert broken == {}, broken
