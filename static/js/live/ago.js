// Words of how long ago a moment was, kept true on a page that stands still: <time datetime="…" data-ago="moment of the page">2 min</time>.
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const SECONDS_BETWEEN_LOOKS = 10;
const seenAt = new WeakMap();

/** As annotate.core.phrases.time_since, by whose date all beyond four weeks are told; "" for those. */
export function timeSince(moment, now) {
  const minutes = Math.floor((now - moment) / MINUTE);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  const days = Math.floor(now / DAY) - Math.floor(moment / DAY); // of the calendar, as the server counts them
  if (days <= 1) return "yesterday";
  return days <= 28 ? `${days} days` : "";
}

/** A clock that is wrong does no harm: it only measures how long the words have stood. */
function tick() {
  for (const element of document.querySelectorAll("time[data-ago]")) {
    if (!seenAt.has(element)) seenAt.set(element, Date.now());
    const now = Date.parse(element.dataset.ago) + Date.now() - seenAt.get(element);
    const words = timeSince(Date.parse(element.dateTime), now);
    if (words && words !== element.textContent) element.textContent = words;
  }
}

export function initAgo() {
  tick();
  setInterval(tick, SECONDS_BETWEEN_LOOKS * 1000);
}
