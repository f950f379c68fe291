// One tab of a browser at a time.

const LONGEST = 60_000;

/**
 * Tabs of one browser take turns where the browser can arrange it; a tab that was put to sleep in its turn holds the
 * others up no longer than that. Without turns, resends are harmless by their id.
 */
export async function withTabLock(name, work) {
  if (!navigator.locks) return work();
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), LONGEST);
  try {
    await navigator.locks.request(name, { signal: patience.signal }, () => {
      clearTimeout(timer);
      return work();
    });
  } catch (error) {
    if (!patience.signal.aborted) throw error;
    await work();
  }
}
