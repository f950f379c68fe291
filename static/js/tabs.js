// Tabs and tables that are wider than the page.
const RING = 4; // pixels around what has the focus

/** On a phone the tab of this page may lie off to the right. */
export function showCurrentTabs() {
  for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
    const tabs = tab.closest(".tabs");
    tabs.scrollLeft = Math.max(tabs.scrollLeft, tab.offsetLeft + tab.offsetWidth - tabs.clientWidth);
  }
}

/** What lies over the left of a table as it scrolls: its first column, where that stays, but not for what is in it. */
function widthOfStay(target) {
  const cell = target.closest("tr")?.firstElementChild;
  return cell?.closest(".table-first-stays") && !cell.contains(target) ? cell.offsetWidth : 0;
}

/** Browsers scroll nothing into view of which a finger's breadth is to be seen, or its padding; under a pointer nothing moves. */
document.addEventListener("focusin", ({ target }) => {
  const box = target.parentElement?.closest(".tabs, .table-scroll");
  if (!box || !target.matches(":focus-visible")) return;
  const [view, part] = [box.getBoundingClientRect(), target.getBoundingClientRect()];
  const before = view.left + widthOfStay(target) - part.left + RING;
  const after = part.right + RING - view.right;
  if (before > 0) box.scrollLeft -= before;
  else if (after > 0) box.scrollLeft += Math.min(after, -before);
});
