// On every page: what was given on the judge screen and is kept on this device alone. What waits is sent from here too; of
// what does not go, or was refused, it is said whose it is and what can be done.
import { piles } from "./piles.js";

const PATIENCE = 5_000; // for so many milliseconds what was just given is on its way

function answers(keys, one, many) {
  return keys.length === 1 ? `1 answer ${one}` : `${keys.length} answers ${many}`;
}

/** What is said of what waits, by who is signed in and how the sending goes. */
function ofWaiting({ slug, owner, outbox }, person, sender) {
  const what = answers(outbox, `in ${slug} waits on this device, not stored yet`, `in ${slug} wait on this device, not stored yet`);
  const them = outbox.length === 1 ? "it" : "them";
  if (!person || sender?.paused) return `${what}. Sign in to send ${them}.`;
  if (owner !== person) return `${what}: of another account, sent once it is signed in.`;
  if (sender?.isKeptOut) return `${what}: you cannot judge there any more.`;
  if (sender?.sending) return `${what}: being sent.`;
  return `${what}. The server cannot be reached; sent as soon as it can be.`;
}

function button(text, act) {
  const element = Object.assign(document.createElement("button"), { type: "button", className: "button button-small", textContent: text });
  element.addEventListener("click", act);
  return element;
}

function link(text, href) {
  return Object.assign(document.createElement("a"), { className: "button button-small", textContent: text, href });
}

function line(words, ...actions) {
  const box = Object.assign(document.createElement("div"), { className: "notice notice-warn" });
  box.append(Object.assign(document.createElement("div"), { textContent: words }), ...actions);
  return box;
}

class Waiting {
  constructor(place) {
    this.place = place;
    this.person = document.body.dataset.person ?? "";
    // the judge screen says it of its own collection and person, and sends
    this.here = document.querySelector("[data-undo-url]")?.dataset.collection;
    this.box = Object.assign(document.createElement("div"), { className: "stack-tight" });
    this.senders = new Map();
    this.closed = new Set();
  }

  get elsewhere() {
    return piles().filter(({ slug, owner }) => (slug !== this.here || owner !== this.person) && !this.closed.has(owner));
  }

  /** Whether what waits is to be told of: not while it may just be on its way. */
  isDue({ slug, owner, outbox, age }) {
    if (!outbox.length || age < PATIENCE) return false;
    const sender = this.senders.get(slug);
    return owner !== this.person || sender?.tries || sender?.paused || performance.now() >= PATIENCE;
  }

  /** Say it, where it is not said already. */
  show() {
    const lines = this.elsewhere.flatMap((pile) => this.lines(pile));
    const words = ({ textContent }) => textContent;
    if (lines.map(words).join() !== [...this.box.children].map(words).join()) this.box.replaceChildren(...lines);
    if (!lines.length) this.box.remove();
    else if (!this.box.isConnected) this.place.append(this.box);
  }

  lines(pile) {
    const { slug, owner, aside } = pile;
    const isOwn = owner === this.person;
    const screen = `/c/${slug}/judge/`;
    const found = [];
    if (this.isDue(pile)) {
      const sender = this.senders.get(slug);
      const actions = this.person ? [this.close(owner)] : [];
      const own = sender?.isKeptOut ? this.throwAway(pile, "outbox") : link("Go there", screen);
      found.push(line(ofWaiting(pile, this.person, sender), ...(isOwn ? [own] : actions)));
    }
    if (aside.length && isOwn) {
      const words = answers(aside, `in ${slug} was refused, and is kept on this device alone.`, `in ${slug} were refused, and are kept on this device alone.`);
      found.push(line(words, link("Look", screen), this.throwAway(pile, "aside")));
    }
    return found;
  }

  close(owner) {
    return button("Close", () => this.show(this.closed.add(owner)));
  }

  throwAway({ slug, owner }, kind) {
    return button("Throw away…", () => {
      const keys = piles().find((pile) => pile.slug === slug && pile.owner === owner)?.[kind] ?? [];
      if (!confirm(`${answers(keys, "is", "are")} thrown away for good: nothing of this is stored on the server. Do it?`)) return;
      for (const key of keys) localStorage.removeItem(key);
      this.show();
    });
  }

  /** Send what waits of whoever is signed in, but for what is young and so on its way; look again while anything waits. */
  follow({ isFirst = false } = {}) {
    const waiting = this.elsewhere.filter(({ outbox }) => outbox.length);
    for (const pile of waiting) if (pile.owner === this.person && (isFirst || pile.age >= PATIENCE)) this.send(pile);
    this.show();
    clearTimeout(this.timer);
    if (waiting.length) this.timer = setTimeout(() => this.follow(), PATIENCE);
  }

  /** Begin to send a collection's, or go on where that has come to its end. */
  async send(pile) {
    const sender = this.senders.get(pile.slug);
    if (sender && !sender.tries && !sender.paused) sender.flush();
    if (this.senders.has(pile.slug)) return;
    this.senders.set(pile.slug, null);
    try {
      const { send } = await this.script();
      this.senders.set(pile.slug, send(pile, () => this.show()));
    } catch {
      this.senders.delete(pile.slug);
    }
  }

  /** What sends. It is loaded with the page: once it failed, browsers before 2026 do not ask for a script again. */
  script() {
    this.loading ??= import("./sending.js").catch((error) => {
      this.loading = null;
      throw error;
    });
    return this.loading;
  }
}

/** Say so now, and anew whenever another tab gives, sends or takes back an answer. */
export function initWaiting() {
  const place = document.querySelector(".messages");
  if (!place) return;
  const waiting = new Waiting(place);
  if (waiting.person) waiting.script().catch(() => {});
  waiting.follow({ isFirst: true });
  addEventListener("storage", () => waiting.follow());
}
