// The explorer's keys, and media that begin to load when they come near the window.

const TYPING = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
// these use the arrows themselves, or scroll by them
const OWN_ARROWS = "video, audio, [role=region]";
const NEAR = "400px";

const dialog = document.getElementById("keys");
const search = document.getElementById("search");

function follow(selector) {
  const link = document.querySelector(selector);
  if (!link) return false;
  link.click();
  return true;
}

function find() {
  if (!search) return false;
  search.focus();
  search.select();
  return true;
}

function help() {
  dialog.showModal();
  return true;
}

const ACTIONS = {
  j: () => follow("a[rel=next]"),
  ArrowRight: () => follow("a[rel=next]"),
  k: () => follow("a[rel=prev]"),
  ArrowLeft: () => follow("a[rel=prev]"),
  r: () => follow("#random"),
  "/": find,
  "?": help,
};

function scrollsSideways(element) {
  return element.scrollWidth > element.clientWidth;
}

function press(event) {
  const { key, target } = event;
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (target.closest(TYPING)) {
    if (key === "Escape") target.blur();
    return;
  }
  if (dialog.open || !Object.hasOwn(ACTIONS, key)) return;
  const owner = key.startsWith("Arrow") && target.closest(OWN_ARROWS);
  if (owner && (owner.matches("video, audio") || scrollsSideways(owner))) return;
  if (ACTIONS[key]()) event.preventDefault();
}

function load(entries, observer) {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    target.preload = "metadata";
    observer.unobserve(target);
  }
}

const near = new IntersectionObserver(load, { rootMargin: NEAR });
for (const media of document.querySelectorAll(".explorer-item :is(video, audio)")) near.observe(media);

const keys = document.getElementById("show-keys");
keys.hidden = false;
keys.addEventListener("click", help);
document.addEventListener("keydown", press);
