// When what waits is sent beside its turn: as the page is left, for a phone may end it without a word, and what Safari
// keeps of a site may be erased after seven days without a visit; and as soon as somebody or the network is back.
import { NO_CARDS, postOnExit } from "./api.js";

const MOST_BYTES = 60_000; // of the 64 KiB that a browser still sends for a page that is gone

/** The first entries that fit, up to one that hangs on another of them: they travel side by side. */
function firstBatch(entries) {
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
  for (const [key, entry] of firstBatch(store.all())) {
    store.update(key, { ...entry, tried: true });
    postOnExit(urls[`${entry.kind}Url`], { ...entry.body, ...NO_CARDS });
  }
}

/** @param {Outbox} outbox what waits */
export function watchPageEvents(outbox) {
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
