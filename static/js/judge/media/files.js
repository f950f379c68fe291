// What becomes of a file that is asked for, where a page may ask: on this site's own server.

const PATIENCE = 15_000;

/** "given", "gone", or "away" where the server cannot give it at the moment; "" where it lies elsewhere. */
export async function fateOf(url) {
  const address = new URL(url, location.href);
  if (address.origin !== location.origin) return "";
  const patience = new AbortController();
  setTimeout(() => patience.abort(), PATIENCE);
  try {
    // where the file lies in another store only a browser's own loading may follow
    const response = await fetch(address, { headers: { Range: "bytes=0-0" }, redirect: "manual", cache: "no-store", signal: patience.signal });
    await response.body?.cancel();
    if (response.type === "opaqueredirect") return "";
    if (response.ok) return "given";
    return response.status >= 500 || response.status === 429 ? "away" : "gone";
  } catch {
    return "away";
  }
}
