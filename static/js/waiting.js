// On every page: what was given on the judge screen and is kept on this device alone. What waits is sent from here too; of
// what does not go, or was refused, it is said whose it is and what can be done.

const KEY = /^assayer\.(outbox|aside)\.([\w-]+)\.(\d+)\.(\d+)$/;
const PATIENCE = 5_000; // for so many milliseconds what was just given is on its way
const RETRY = 30_000;
const KEPT_OUT = [403, 404, 410];

/** What is kept, by collection and person: the keys of what waits and of what was refused, and the age of the oldest. */
function piles() {
  const found = new Map();
  try {
    for (const key of Object.keys(localStorage).sort()) {
      const [, kind, slug, owner, moment] = KEY.exec(key) ?? [];
      if (!kind) continue;
      const pile = found.get(`${slug} ${owner}`) ?? { slug, owner, outbox: [], aside: [], age: 0 };
      if (kind === "outbox" && !pile.outbox.length) pile.age = Math.abs(Date.now() - Number(moment) / 1000); // a clock may have been set back
      pile[kind].push(key);
      found.set(`${slug} ${owner}`, pile);
    }
  } catch {
    // storage is switched off: nothing is kept there
  }
  return [...found.values()];
}

function answers(keys, one, many) {
  return keys.length === 1 ? `1 answer ${one}` : `${keys.length} answers ${many}`;
}

/** What is said of what waits, by who is signed in and how the sending goes. */
function ofWaiting({ slug, owner, outbox }, person, sender) {
  const what = answers(outbox, `in ${slug} waits on this device, not stored yet`, `in ${slug} wait on this device, not stored yet`);
  const them = outbox.length === 1 ? "it" : "them";
  if (!person || sender?.paused) return `${what}. Sign in to send ${them}.`;
  if (owner !== person) return `${what}: of another account, sent once it is signed in.`;
  if (KEPT_OUT.includes(sender?.lastStatus)) return `${what}: you cannot judge there any more.`;
  if (!sender?.tries) return `${what}: being sent.`;
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

  /** Say it, where it is not said already; and look again once what is young is no more. */
  show() {
    const isElsewhere = ({ slug, owner }) => (slug !== this.here || owner !== this.person) && !this.closed.has(owner);
    const elsewhere = piles().filter(isElsewhere);
    const lines = elsewhere.flatMap((pile) => this.lines(pile));
    const words = ({ textContent }) => textContent;
    if (lines.map(words).join() !== [...this.box.children].map(words).join()) this.box.replaceChildren(...lines);
    if (lines.length) this.place.append(this.box);
    else this.box.remove();
    clearTimeout(this.timer);
    if (elsewhere.some((pile) => pile.outbox.length && !this.isDue(pile))) this.timer = setTimeout(() => this.follow(), PATIENCE);
  }

  /** Whether what waits is to be told of: not while it may just be on its way. */
  isDue({ slug, owner, outbox, age }) {
    if (!outbox.length || age < PATIENCE) return false;
    const sender = this.senders.get(slug);
    return owner !== this.person || sender?.tries || sender?.paused || performance.now() >= PATIENCE;
  }

  lines(pile) {
    const { slug, owner, outbox, aside } = pile;
    const isOwn = owner === this.person;
    const screen = `/c/${slug}/judge/`;
    const found = [];
    if (this.isDue(pile)) {
      const sender = this.senders.get(slug);
      const isKeptOut = isOwn && KEPT_OUT.includes(sender?.lastStatus);
      const actions = isKeptOut ? [this.throwAway(slug, outbox)] : isOwn ? [link("Send", screen)] : this.person ? [this.close(owner)] : [];
      found.push(line(ofWaiting(pile, this.person, sender), ...actions));
    }
    if (aside.length && isOwn) {
      const words = answers(aside, `in ${slug} was refused, and is kept on this device alone.`, `in ${slug} were refused, and are kept on this device alone.`);
      found.push(line(words, link("Look", screen), this.throwAway(slug, aside)));
    }
    return found;
  }

  close(owner) {
    return button("Close", () => this.show(this.closed.add(owner)));
  }

  throwAway(slug, keys) {
    return button("Throw away…", () => {
      if (!confirm(`${answers(keys, "is", "are")} thrown away for good: nothing of this is stored on the server. Do it?`)) return;
      for (const key of keys) localStorage.removeItem(key);
      this.show();
    });
  }

  /** Send what waits of whoever is signed in, but for what is young and so on its way. */
  async follow({ isFirst = false } = {}) {
    const own = piles().filter(({ slug, owner, outbox }) => owner === this.person && slug !== this.here && outbox.length);
    for (const pile of own) {
      if (this.senders.has(pile.slug) || (pile.age < PATIENCE && !isFirst)) continue;
      await this.send(pile);
    }
    this.show();
  }

  async send(pile) {
    this.senders.set(pile.slug, null);
    try {
      const { send } = await import("./sending.js");
      this.senders.set(pile.slug, send(pile, () => this.show()));
    } catch {
      // not even the script could be had
      this.senders.set(pile.slug, { tries: 1 });
      setTimeout(() => this.send(pile), RETRY);
    }
  }
}

/** Say so now, and anew whenever another tab gives, sends or takes back an answer. */
export function initWaiting() {
  const place = document.querySelector(".messages");
  if (!place) return;
  const waiting = new Waiting(place);
  waiting.follow({ isFirst: true });
  addEventListener("storage", () => waiting.show());
}
