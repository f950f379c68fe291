// One POST, told apart by what the caller must do next: retry, sign in, or give up on this one.

const TIMEOUT = 15_000;

/** Sent with an answer where nobody reads what comes next. */
export const NO_CARDS = { wants_cards: false };

/** The server could not be reached or could not answer; trying again is right. */
export class Unreachable extends Error {
  /** @param {{retryAfter: number, status: number, isKeptOut: boolean}} answer isKeptOut: she may not judge here any more */
  constructor(message, { retryAfter = 0, status = 0, isKeptOut = false } = {}) {
    super(message);
    Object.assign(this, { retryAfter, status, isKeptOut });
  }
}

/** Nobody is signed in any more; nothing may be thrown away before somebody is. */
export class SignedOut extends Error {
  constructor(signIn) {
    super("signed out");
    this.signIn = sameOrigin(signIn);
  }
}

/** The server understood and said no; sending the same again changes nothing. */
export class Refused extends Error {}

function sameOrigin(address) {
  const fallback = `/accounts/login/?next=${encodeURIComponent(location.pathname)}`;
  if (!address) return fallback;
  const url = new URL(address, location.href);
  return url.origin === location.origin ? url.pathname + url.search : fallback;
}

function tokenMeta() {
  return document.querySelector("meta[name=csrf-token]");
}

async function body(response) {
  const isJson = response.headers.get("Content-Type")?.includes("json");
  return isJson ? response.json() : null;
}

async function request(url, options) {
  let response;
  let data;
  try {
    response = await fetch(url, {
      credentials: "same-origin",
      cache: "no-store",
      // eslint-disable-next-line assayer/floor -- Chromium had another name for the error, and all errors are one here
      signal: AbortSignal.timeout(TIMEOUT),
      ...options,
      headers: { Accept: "application/json", ...options.headers },
    });
    data = await body(response);
  } catch (error) {
    throw new Unreachable(error.message);
  }
  // a log-in page that a redirect led to is an ended session, whatever its status says
  if (response.status === 401 || (response.ok && data === null)) throw new SignedOut(data?.sign_in);
  if (response.status === 429 || response.status >= 500 || response.status === 408) {
    const retryAfter = Number(response.headers.get("Retry-After")) || 0;
    throw new Unreachable(`answered ${response.status}`, { retryAfter, status: response.status });
  }
  return { response, data };
}

export async function get(url) {
  const { response, data } = await request(url, {});
  if (!response.ok) throw new Refused(data?.error ?? `The server answered ${response.status}.`);
  return data;
}

/**
 * Read the CSRF token anew; a new session has another one. Throws SignedOut when there is no session, and when it is
 * somebody else's: one person's answers are never sent as another's.
 */
export async function refreshToken({ tokenUrl, owner }) {
  const { csrf, owner: now } = await get(tokenUrl).catch((error) => {
    // whoever is signed in now may not even see this page: nothing is refused by that, it waits for its owner
    throw error instanceof Refused ? new SignedOut() : error;
  });
  if (now !== undefined && String(now) !== owner) throw new SignedOut();
  tokenMeta().content = csrf;
}

/** Whether the server answers to something, for whose page this is. */
export function isAnswering(session) {
  return refreshToken(session).then(() => true, () => false);
}

function asJson(payload) {
  const headers = { "Content-Type": "application/json", "X-CSRFToken": tokenMeta().content };
  return { method: "POST", headers, body: JSON.stringify(payload) };
}

/** Send on behalf of a page that is being left; nobody will hear the answer. */
export function postOnExit(url, payload) {
  fetch(url, { ...asJson(payload), credentials: "same-origin", keepalive: true }).catch(() => {});
}

/** @param {{tokenUrl, owner}} session where a fresh token comes from, and whose page this is */
export async function post(url, payload, session) {
  const send = () => request(url, asJson(payload));
  let { response, data } = await send();
  if (response.status === 403) {
    await refreshToken(session);
    ({ response, data } = await send());
    // still forbidden with a fresh token: kept and tried again, for a label is never dropped on a 403
    if (response.status === 403) throw new Unreachable(data?.error ?? "answered 403", { retryAfter: 30 });
  }
  if (response.ok) return data;
  // only the judge screen's own words refuse an answer; any other page that says no may be a proxy or a mistake
  if (!data?.error) throw new Unreachable(`answered ${response.status}`, { retryAfter: 30, isKeptOut: Boolean(data?.kept_out) });
  throw new Refused(data.error);
}
