// Tabs that are wider than the page.
/** On a phone the tab of this page may lie off to the right. */
export function showCurrentTabs() {
  for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
    const tabs = tab.closest(".tabs");
    tabs.scrollLeft = Math.max(tabs.scrollLeft, tab.offsetLeft + tab.offsetWidth - tabs.clientWidth);
  }
}
