// When what waits is sent beside its turn: as the page is left, for a phone may end it without a word, and what Safari
// keeps of a site may be erased after seven days without a visit; and as soon as somebody or the network is back.
import { postLeaving } from "./api.js";

const MOST_BYTES = 60_000; // of the 64 KiB that a browser still sends for a page that is gone

/** The first entries that fit, up to one that hangs on another of them: they travel side by side. */
function together(entries) {
  const pairs = new Set();
  let bytes = 0;
  const last = entries.findIndex(([, { body }]) => {
    bytes += new Blob([JSON.stringify(body)]).size;
    const isFit = bytes <= MOST_BYTES && !pairs.has(body.hand_out);
    pairs.add(body.hand_out);
    return !isFit;
  });
  return last < 0 ? entries : entries.slice(0, last);
}

/** Send without waiting for an answer; what arrived is known when it is sent in its turn, which changes nothing then. */
function sendAll({ store, urls, paused }) {
  if (paused) return;
  for (const [key, entry] of together(store.all())) {
    store.update(key, { ...entry, tried: true });
    postLeaving(urls[`${entry.kind}Url`], entry.body);
  }
}

/** @param {Outbox} outbox what waits */
export function watchLeaving(outbox) {
  addEventListener("beforeunload", (event) => {
    if (!outbox.size) return;
    event.preventDefault();
    event.returnValue = true; // Chromium before 119 asks for this alone
  });
  addEventListener("pagehide", () => sendAll(outbox));
  document.addEventListener("visibilitychange", () => (document.hidden ? sendAll(outbox) : outbox.flush()));
  addEventListener("pageshow", ({ persisted }) => persisted && outbox.flush());
  addEventListener("online", () => outbox.flush());
}

let isAsked = false;

/** Ask once that what waits here be kept also when the browser runs short of room; some ask the person. */
export async function askToKeep() {
  if (isAsked) return;
  isAsked = true;
  try {
    if (!(await navigator.storage?.persisted())) await navigator.storage?.persist();
  } catch {
    // where nothing may be stored nothing can be kept
  }
}
