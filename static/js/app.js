// What every page needs: the CSRF header for htmx, polite polling, menus, appearance, and the small widgets.
import { initTheme } from "./appearance.js";
import { initCopies } from "./copy.js";
import { initShortNames } from "./fields/short-name.js";
import { initTextAreas } from "./fields/text-areas.js";
import { initFileDrops } from "./files/drop.js";
import { initFilePreviews } from "./files/preview.js";
import { initFind } from "./find/dialog.js";
import { initItemFields } from "./find/item-fields.js";
import { showFrames } from "./items/pictures.js";
import { initAgo } from "./live/ago.js";
import { initKeptFocus } from "./live/kept-focus.js";
import { showLocalTimes, tellFieldTimes } from "./moments.js";
import { showRefusal } from "./refusals.js";
import { initRunChoices } from "./run-choice.js";
import { initSortableTables } from "./sort-table.js";
import { showCurrentTabs } from "./tabs.js";
import { initTerms } from "./terms.js";
import { initUploads } from "./files/upload.js";
import { initWaiting } from "./unsent/notice.js";

const entityTags = new Map();

/** Say something to screen readers without moving the focus. */
export function announce(text) {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}

function notice(text) {
  const box = document.createElement("div");
  box.className = "notice notice-bad";
  box.append(Object.assign(document.createElement("div"), { textContent: text }));
  document.querySelector(".messages")?.append(box);
}

/** The field of an element's form in which something stands that its browser cannot read, and would send as nothing. */
function unreadable(element) {
  return [...(element.closest("form")?.elements ?? [])].find((field) => field.validity?.badInput);
}

/** Say at a field that it cannot be read, without interrupting who still types, and grey the draft: it is of other figures. */
function tellUnread(element, field) {
  document.getElementById(`${field.id}_error`)?.replaceChildren(field.validationMessage);
  document.querySelector(element.getAttribute("hx-target"))?.classList.add("is-old");
}

function onRequest(event) {
  const { ctx } = event.detail;
  const polls = ctx.sourceElement.hasAttribute("data-poll");
  const field = polls ? null : unreadable(ctx.sourceElement);
  if (field || (polls && document.hidden)) {
    event.preventDefault();
    if (ctx.sourceElement.hasAttribute("data-draft")) {
      tellUnread(ctx.sourceElement, field);
      return;
    }
    field?.closest("details")?.setAttribute("open", "");
    field?.reportValidity();
    return;
  }
  const token = document.querySelector("meta[name=csrf-token]")?.content;
  if (token && ctx.request.method !== "GET") ctx.request.headers["X-CSRFToken"] = token;
  const tag = entityTags.get(ctx.sourceElement.getAttribute("hx-get"));
  if (polls && tag) ctx.request.headers["If-None-Match"] = tag;
}

function onResponse(event) {
  const { ctx } = event.detail;
  const tag = ctx.response.headers.get("ETag");
  if (tag && ctx.sourceElement.hasAttribute("data-poll")) entityTags.set(ctx.sourceElement.getAttribute("hx-get"), tag);
}

function onError(event) {
  const { ctx } = event.detail;
  // a missed poll comes again by itself, a draft with the next key; a missed action must be told
  if (ctx?.sourceElement?.matches("[data-poll], [data-draft]")) return;
  const status = ctx?.response?.status;
  if (status === 401 || status === 403) notice("You are signed out, or this is not yours to do. Sign in again and repeat it.");
  else if (status === 422) return;
  else notice(status ? `The server answered ${status}; nothing was changed.` : "The server could not be reached; nothing was changed.");
}

function initMenus() {
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

function initWidgets(root) {
  initSortableTables(root);
  initShortNames(root);
  initRunChoices(root);
  initFileDrops(root);
  initFilePreviews(root);
  initCopies(root, announce);
  showFrames(root);
  initItemFields(root);
  showLocalTimes(root);
  tellFieldTimes(root);
  initUploads(root, initWidgets);
}

document.addEventListener("htmx:config:request", onRequest);
document.addEventListener("htmx:before:response", onResponse);
document.addEventListener("htmx:response:error", onError);
document.addEventListener("htmx:error", onError);
document.addEventListener("htmx:after:swap", () => initWidgets(document));
initAgo();
initKeptFocus();
initMenus();
initFind();
initTextAreas();
initTerms();
initTheme();
initWaiting();
showCurrentTabs();
initWidgets(document);
const answer = document.querySelector("main[data-answers-post]");
if (answer) showRefusal(answer);
