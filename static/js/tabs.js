// Tabs that are wider than the page.
/** On a phone the tab of this page may lie off to the right. */
export function showCurrentTabs() {
  for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
    const tabs = tab.closest(".tabs");
    tabs.scrollLeft = Math.max(tabs.scrollLeft, tab.offsetLeft + tab.offsetWidth - tabs.clientWidth);
  }
}

/** Browsers scroll no tab into view of which a finger's breadth is to be seen, or its padding; under a pointer nothing moves. */
document.addEventListener("focusin", ({ target }) => {
  const tabs = target.closest(".tabs");
  if (tabs && target.matches(":focus-visible")) {
    const offset = Math.max(tabs.scrollLeft, target.offsetLeft + target.offsetWidth - tabs.clientWidth);
    tabs.scrollLeft = Math.min(offset, target.offsetLeft);
  }
});
