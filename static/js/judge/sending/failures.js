// When to give up on one entry that is to be sent: the server fails at it alone, several times and for a minute.
import { isAnswering } from "./api.js";

const TIMES = 3;
const FOR = 60_000;

/** Note that the server failed at an entry; whether it does so for good, while it answers to something else. */
export async function isFinalFailure({ store, urls }, key, entry, { status }) {
  if (!(status >= 500)) return false;
  const { failures = 0, failing_since = Date.now() } = entry;
  store.update(key, { ...entry, tried: true, failures: failures + 1, failing_since });
  return failures + 1 >= TIMES && Date.now() - failing_since >= FOR && isAnswering(urls);
}
