// Submissions not yet acknowledged, one storage entry each, so that two tabs never overwrite one another; and apart from
// them those that were refused for good, until the person says what becomes of them.
// Kept: hand-out, grade, reasons, comment, times. Never: what was judged. An entry goes when the server has it.
import { nextKey } from "./ids.js";

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
      this.memory.delete(key);
    } catch {
      // full or switched off: this tab alone holds it, and no second one waits beside it
      this.memory.set(key, entry);
    }
    return key;
  }

  /** Note something of an entry that is still there. */
  update(key, entry) {
    if (this.has(key)) this.put(key, entry);
  }

  has(key) {
    try {
      return this.memory.has(key) || localStorage.getItem(key) !== null;
    } catch {
      return false;
    }
  }

  /** Put an entry elsewhere: first there, then no more here, and once more there, for now there may be room. */
  move(from, to, entry) {
    this.put(to, entry);
    this.remove(from);
    if (this.memory.has(to)) this.put(to, entry);
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

  /** Keep an entry without sending it again. */
  setAside(key, entry, reason) {
    // an undo that is refused leaves nothing to keep: the judgment stands; nor does a pair that cannot be put off
    if (entry.kind === "undo" || entry.body.kind === "later") this.remove(key);
    else this.move(key, this.asideKey(key), { ...entry, reason });
  }

  /** Send what was set aside after all, in its old place among what waits. */
  takeUp(key, { kind, body, counts }) {
    this.move(key, this.prefix + key.slice(this.asidePrefix.length), { kind, body, counts });
  }

  under(prefix) {
    const entries = new Map();
    try {
      for (const key of Object.keys(localStorage)) {
        if (key.startsWith(prefix)) entries.set(key, JSON.parse(localStorage.getItem(key)));
      }
    } catch {
      // storage switched off; memory has everything
    }
    // what memory holds beside what is stored is newer: there was no room to store it
    for (const [key, entry] of this.memory) if (key.startsWith(prefix)) entries.set(key, entry);
    return [...entries].filter(([, entry]) => entry).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /**
   * Tell what becomes of entries in other tabs.
   * @param {OtherTabs} on what is called with each entry
   */
  onForeign(on) {
    addEventListener("storage", ({ key, oldValue, newValue }) => {
      if (key?.startsWith(this.asidePrefix)) on.setAside();
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
    return this.has(this.asideKey(key));
  }

  asideKey(key) {
    return this.asidePrefix + key.slice(this.prefix.length);
  }
}

let isPersistenceRequested = false;

/** Ask once that what waits here be kept also when the browser runs short of room; some ask the person. */
export async function requestPersistence() {
  if (isPersistenceRequested) return;
  isPersistenceRequested = true;
  try {
    if (!(await navigator.storage?.persisted())) await navigator.storage?.persist();
  } catch {
    // where nothing may be stored nothing can be kept
  }
}
