// Submissions not yet acknowledged, one storage entry each, so that two tabs never overwrite one another; and apart from
// them those that were refused for good, until the person says what becomes of them.
// Kept: hand-out, grade, reasons, comment, times. Never: what was judged. An entry goes when the server has it.

let last = 0;

/** Rising even when two answers fall into one millisecond, and in step across tabs closely enough. */
function nextKey() {
  last = Math.max(last + 1, Date.now() * 1000);
  return String(last).padStart(17, "0");
}

export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // randomUUID is missing on plain http; getRandomValues is not
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Whether the browser keeps what it is given. */
function keeps(key) {
  try {
    localStorage.setItem(key, "1");
    localStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}

export class Store {
  /** @param {string} owner collection and person: what one person left unsent is never sent as another's */
  constructor(owner) {
    this.prefix = `assayer.outbox.${owner}.`;
    this.asidePrefix = `assayer.aside.${owner}.`;
    this.memory = new Map();
    this.isAllowed = keeps(`assayer.probe.${owner}`);
  }

  /** Whether what is added outlasts this page. */
  get isLasting() {
    return this.isAllowed && !this.memory.size;
  }

  add(entry) {
    return this.put(this.prefix + nextKey(), entry);
  }

  put(key, entry) {
    try {
      localStorage.setItem(key, JSON.stringify(entry));
    } catch {
      // full or switched off: this tab alone holds it, and no second one waits beside it
      this.memory.set(key, entry);
    }
    return key;
  }

  update(key, entry) {
    if (this.memory.has(key)) this.memory.set(key, entry);
    else if (localStorage.getItem(key) !== null) localStorage.setItem(key, JSON.stringify(entry));
  }

  remove(key) {
    this.memory.delete(key);
    try {
      localStorage.removeItem(key);
    } catch {
      // nothing was stored
    }
  }

  /** All waiting entries, oldest first, as [key, entry]. */
  all() {
    return this.under(this.prefix);
  }

  /** What was set aside, oldest first, as [key, entry]. */
  aside() {
    return this.under(this.asidePrefix);
  }

  /** Keep an entry without sending it again; first there, then no more here. */
  setAside(key, entry, reason) {
    // an undo that is refused leaves nothing to keep: the judgment stands; nor does a pair that cannot be put off
    if (entry.kind !== "undo" && entry.body.kind !== "later") this.put(this.asidePrefix + key.slice(this.prefix.length), { ...entry, reason });
    this.remove(key);
  }

  /** Send what was set aside after all, in its old place among what waits. */
  takeUp(key, { kind, body, counts }) {
    this.put(this.prefix + key.slice(this.asidePrefix.length), { kind, body, counts });
    this.remove(key);
  }

  under(prefix) {
    const found = [...this.memory].filter(([key]) => key.startsWith(prefix));
    try {
      for (const key of Object.keys(localStorage)) {
        if (key.startsWith(prefix)) found.push([key, JSON.parse(localStorage.getItem(key))]);
      }
    } catch {
      // storage switched off; memory has everything
    }
    return found.filter(([, entry]) => entry).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /**
   * Tell what becomes of entries in other tabs.
   * @param {OtherTabs} on what is called with each entry
   */
  onForeign(on) {
    addEventListener("storage", ({ key, oldValue, newValue }) => {
      if (!key?.startsWith(this.prefix)) return;
      const before = JSON.parse(oldValue);
      if (newValue && !before) on.added(JSON.parse(newValue));
      if (newValue || !before) return;
      if (!before.tried) on.takenBack(before);
      else if (this.isAside(key)) on.refused(before);
      else on.acknowledged(before);
    });
  }

  isAside(key) {
    return localStorage.getItem(this.asidePrefix + key.slice(this.prefix.length)) !== null;
  }
}
