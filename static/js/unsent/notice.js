// On every page: what was given on the judge screen and is kept on this device alone. What waits is sent from here too; of
// what does not go, or was refused, it is said whose it is and what can be done.
import { backlogs } from "./backlogs.js";

const PATIENCE = 5_000; // for so many milliseconds what was just given is on its way

function answers(keys, singular, plural) {
  return keys.length === 1 ? `1 answer ${singular}` : `${keys.length} answers ${plural}`;
}

/** What is said of what waits, by who is signed in and how the sending goes. */
function ofWaiting({ slug, owner, outbox }, person, sender) {
  const words = answers(outbox, `in ${slug} waits on this device, not stored yet`, `in ${slug} wait on this device, not stored yet`);
  const pronoun = outbox.length === 1 ? "it" : "them";
  if (!person || sender?.paused) return `${words}. Sign in to send ${pronoun}.`;
  if (owner !== person) return `${words}: of another account, sent once it is signed in.`;
  if (sender?.isKeptOut) return `${words}: you cannot judge there any more.`;
  if (sender?.sending) return `${words}: being sent.`;
  return `${words}. The server cannot be reached; sent as soon as it can be.`;
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
  constructor(noticeArea) {
    this.noticeArea = noticeArea;
    this.person = document.body.dataset.person ?? "";
    // the judge screen says it of its own collection and person, and sends
    this.here = document.querySelector("[data-undo-url]")?.dataset.collection;
    this.box = Object.assign(document.createElement("div"), { className: "stack-tight" });
    this.senders = new Map();
    this.closed = new Set();
  }

  get elsewhere() {
    return backlogs().filter(({ slug, owner }) => (slug !== this.here || owner !== this.person) && !this.closed.has(owner));
  }

  /** Whether what waits is to be told of: not while it may just be on its way. */
  isDue({ slug, owner, outbox, age }) {
    if (!outbox.length || age < PATIENCE) return false;
    const sender = this.senders.get(slug);
    return owner !== this.person || sender?.tries || sender?.paused || performance.now() >= PATIENCE;
  }

  /** Say it, where it is not said already. */
  show() {
    const lines = this.elsewhere.flatMap((backlog) => this.lines(backlog));
    const words = ({ textContent }) => textContent;
    if (lines.map(words).join() !== [...this.box.children].map(words).join()) this.box.replaceChildren(...lines);
    if (!lines.length) this.box.remove();
    else if (!this.box.isConnected) this.noticeArea.append(this.box);
  }

  lines(backlog) {
    const { slug, owner, aside } = backlog;
    const isOwn = owner === this.person;
    const screen = `/c/${slug}/judge/`;
    const lines = [];
    if (this.isDue(backlog)) {
      const sender = this.senders.get(slug);
      const actions = this.person ? [this.close(owner)] : [];
      const own = sender?.isKeptOut ? this.throwAway(backlog, "outbox") : link("Go there", screen);
      lines.push(line(ofWaiting(backlog, this.person, sender), ...(isOwn ? [own] : actions)));
    }
    if (aside.length && isOwn) {
      const words = answers(aside, `in ${slug} was refused, and is kept on this device alone.`, `in ${slug} were refused, and are kept on this device alone.`);
      lines.push(line(words, link("Show what was refused", screen), this.throwAway(backlog, "aside")));
    }
    return lines;
  }

  close(owner) {
    return button("Close", () => this.show(this.closed.add(owner)));
  }

  throwAway({ slug, owner }, kind) {
    return button("Throw away…", () => {
      const keys = backlogs().find((backlog) => backlog.slug === slug && backlog.owner === owner)?.[kind] ?? [];
      if (!confirm(`${answers(keys, "is", "are")} thrown away for good: nothing of this is stored on the server. Do it?`)) return;
      for (const key of keys) localStorage.removeItem(key);
      this.show();
    });
  }

  /** Send what waits of whoever is signed in, but for what is young and so on its way; look again while anything waits. */
  follow({ isFirst = false } = {}) {
    const backlogs = this.elsewhere.filter(({ outbox }) => outbox.length);
    for (const backlog of backlogs) if (backlog.owner === this.person && (isFirst || backlog.age >= PATIENCE)) this.send(backlog);
    this.show();
    clearTimeout(this.timer);
    if (backlogs.length) this.timer = setTimeout(() => this.follow(), PATIENCE);
  }

  /** Begin to send a collection's, or go on where that has come to its end. */
  async send(backlog) {
    const sender = this.senders.get(backlog.slug);
    if (sender && !sender.tries && !sender.paused) sender.flush();
    if (this.senders.has(backlog.slug)) return;
    this.senders.set(backlog.slug, null);
    try {
      const { send } = await this.script();
      this.senders.set(backlog.slug, send(backlog, () => this.show()));
    } catch {
      this.senders.delete(backlog.slug);
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
  const noticeArea = document.querySelector(".messages");
  if (!noticeArea) return;
  const notice = new Waiting(noticeArea);
  if (notice.person) notice.script().catch(() => {});
  notice.follow({ isFirst: true });
  addEventListener("storage", () => notice.follow());
}
