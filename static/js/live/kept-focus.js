// What has the focus keeps it when the live part around it is drawn anew: without this a keyboard begins again at the top of the page.
let position = null;

/** Elements of a part that only their order tells apart: htmx finds those with an id again by itself. */
const twinsOf = (part, { tagName, className, href }) =>
  [...part.querySelectorAll(tagName)].filter((element) => element.className === className && element.getAttribute("href") === href);

function note() {
  const element = document.activeElement;
  const part = element?.closest("[data-poll]");
  position = null;
  if (!part || element === part || element.id) return;
  const twin = { tagName: element.tagName, className: element.className, href: element.getAttribute("href") };
  position = { part: part.id, twin, index: twinsOf(part, twin).indexOf(element) };
}

function giveBack() {
  const part = position && document.getElementById(position.part);
  if (!part || document.activeElement !== document.body) return;
  twinsOf(part, position.twin)[position.index]?.focus({ preventScroll: true });
}

export function initKeptFocus() {
  document.addEventListener("htmx:before:swap", note);
  document.addEventListener("htmx:after:swap", giveBack);
}
