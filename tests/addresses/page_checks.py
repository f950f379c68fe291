"""Checks of every page in every look: no axe violation, one h1, nothing scrolls that should not."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

LOOKS = {
    "light on a desk": ("light", 1280, 844),
    "dark on a phone": ("dark", 390, 844),
    "dark on a desk": ("dark", 1280, 844),
    "light on a phone": ("light", 390, 844),
    "light on a phone on its side": ("light", 844, 390),
    "light on a desk, magnified twofold": ("light", 640, 400),
    "light on the narrowest phone": ("light", 320, 568),
}
FIRST = next(iter(LOOKS))
SMALL_LOOKS = ("light on a phone", "light on the narrowest phone")
# axe's default rules, and the one rule of WCAG 2.2 AA that is off by default.
OPTIONS = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
AXE = Axe().axe_script
# A target that a bar at the edge of the window covers is read once more in the window's middle, to
# where people scroll it.
FIND = """async (options) => {
  const faults = (await axe.run(document, options)).violations
    .flatMap((fault) => fault.nodes.map((node) => [fault.id, node.html, node.target[0]]));
  const isStillOne = async ([rule, , selector]) => {
    if (rule !== "target-size") return true;
    document.querySelector(selector).scrollIntoView({ block: "center" });
    const only = { ...options, runOnly: [rule] };
    return (await axe.run(selector, only)).violations.length > 0;
  };
  const broken = [];
  for (const fault of faults) {
    if (await isStillOne(fault)) broken.push(fault.slice(0, 2));
  }
  scrollTo(0, 0);
  return broken;
}"""


def violations(page: Page) -> list[list[str]]:
    """axe's findings on an open page: each broken rule with each element that breaks it."""
    if not page.evaluate("'axe' in window"):
        load_axe(page)
    return page.evaluate(FIND, OPTIONS)


def load_axe(page: Page) -> None:
    """Load axe, half a megabyte, into a page; Chromium's protocol takes a third of the time."""
    if page.context.browser.browser_type.name != "chromium":
        page.evaluate(AXE)
        return
    session = page.context.new_cdp_session(page)
    session.send("Runtime.evaluate", {"expression": AXE, "returnByValue": False})
    session.detach()


# Elements that a finger presses; for checkboxes and radios, their labels. Links in the middle of a
# text are none.
TARGETS = """() => [...document.querySelectorAll(
    'button, .button, summary, select, textarea, input:not([type=hidden]), ' +
    ':is(nav, .tabs, .menu-sheet) a, :is(.page-head p, h2, h3, th, td, .list > li) > a:only-child',
)].map((one) => one.matches('[type=checkbox], [type=radio]') && one.labels[0] || one)
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.offsetWidth > 1)
  .map((one) => [one.outerHTML.slice(0, 160), one.getBoundingClientRect().height])"""
FINGER = 48  # pixels
MOST_STOPS = 120  # of the Tab key on a page
# Text fields with letters under 16 pixels: an iPhone zooms in on them, and the page stays zoomed.
SMALL_FIELDS = """() => [...document.querySelectorAll("input, select, textarea")]
  .filter((one) => !["hidden", "checkbox", "radio", "range", "file"].includes(one.type))
  .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 16)
  .map((one) => one.outerHTML.slice(0, 160))"""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def low_targets(page: Page) -> list[tuple[str, float]]:
    """Press targets of an open page that are lower than a finger needs; sheets are opened first."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    return [(html, height) for html, height in page.evaluate(TARGETS) if round(height, 1) < FINGER]


# Elements that may scroll where their content is larger: tables, charts and strips aside, texts and
# lists down. All else is made to fit; and even these never scroll down by a few pixels, which are a
# slip of the style sheet and no content. The width of a table depends on fonts, too:
# tests/browsers/test_layout.py tests that.
MAY_SCROLL = {
    "aside": ".table-scroll, .tabs, .chart-view, .explorer-runs, .explorer-picker, pre",
    "down": (
        "textarea, dialog, .run-choice-list, .table-tall, .chart-foot .table-scroll, "
        ".panel, .document"
    ),
}
SLIPS = {"aside": 0, "down": 8}  # pixels
SCROLLS = """([mayScroll, slips]) => [
    document.documentElement, ...document.querySelectorAll("body, body *"),
  ]
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


DOUBLE_IDS = """[...document.querySelectorAll("[id]")].map((one) => one.id)
    .filter((id, at, ids) => ids.indexOf(id) !== at)"""


def scrolls(page: Page) -> list[list[str]]:
    """Elements of an open page that scroll and should not, in which direction and by how much."""
    return list(page.evaluate(SCROLLS, [MAY_SCROLL, SLIPS]))


# Tables in boxes that may scroll, by their names and by how much they do.
WIDE_TABLES = """() => [...document.querySelectorAll(".table-scroll")]
  .filter((one) => !one.closest("details:not([open])"))
  .map((one) => [one.getAttribute("aria-label"), one.scrollWidth - one.clientWidth])
  .filter(([, by]) => by > 0)"""


def wide_tables(page: Page, width: int) -> list[list[object]]:
    """Tables of an open page that scroll aside in a window of this width, and by how much."""
    page.set_viewport_size({"width": width, "height": 844})
    return list(page.evaluate(WIDE_TABLES))


# What has the focus where a strip of tabs or a wide table cuts it, and by how much.
CUT_OFF = """() => {
  const one = document.activeElement, box = one.parentElement?.closest(".tabs, .table-scroll");
  if (!box) return one === document.body ? "end" : null;
  const [view, part] = [box.getBoundingClientRect(), one.getBoundingClientRect()];
  const stay = one.closest(".table-first-stays tr")?.firstElementChild;
  const left = view.left + (stay && !stay.contains(one) ? stay.offsetWidth : 0);
  const cut = Math.max(left - part.left, part.right - view.right);
  return cut > 0 ? [one.outerHTML.slice(0, 160), cut] : null;
}"""


def cut_stops(page: Page) -> list[list[object]]:
    """Stops of the Tab key on an open page that tabs or a wide table cut off, there and back."""
    faults = []
    for key in ("Tab", "Shift+Tab"):
        for _ in range(MOST_STOPS):
            page.keyboard.press(key)
            fault = page.evaluate(CUT_OFF)
            if fault == "end":
                break
            faults += [[key, *fault]] if fault else []
    return faults


def small_fields(page: Page) -> list[str]:
    """Fields of an open page, in dialogs too, into which an iPhone would zoom."""
    return list(page.evaluate(SMALL_FIELDS))


def set_look(page: Page, look: str) -> None:
    """Show a page in one of the looks."""
    scheme, width, height = LOOKS[look]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")


def check_page(page: Page, *, full: bool = False) -> None:
    """Check an open page: axe in the first look, scrolling also on phones; in all looks if `full`.

    The page is left in the first look.
    """
    headings = "[...document.querySelectorAll('h1')].map((one) => one.textContent)"
    title, headings = page.evaluate(f"[document.title, {headings}]")
    assert title.strip() and len(headings) == 1, headings
    broken = {}
    for look in reversed(LOOKS if full else [FIRST, *SMALL_LOOKS]):
        set_look(page, look)
        is_read = full or look == FIRST
        faults = (violations(page) if is_read else []) + scrolls(page)
        faults += [["an id stands twice", name] for name in page.evaluate(DOUBLE_IDS)]
        if faults:
            broken[look] = faults
    assert broken == {}, broken
