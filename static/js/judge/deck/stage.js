// The query that stays and the document that changes; what comes next is built, and so loading, behind the scenes.
import { ItemView } from "../media/card.js";
import { adopt } from "../prefs.js";
import { AnswerGuard } from "./answer-guard.js";

/** A view of each item, by key: the one there was before, or else a new one. Others that there were are dropped. */
function viewsOf(items, before) {
  const views = new Map();
  for (const [key, item] of items) if (!views.has(key)) views.set(key, before.get(key) ?? new ItemView(item));
  for (const [key, view] of before) if (!views.has(key)) view.drop();
  return views;
}

/** Two cards are of one query when they show the same of it. */
function queryKey(card) {
  return JSON.stringify(card.query);
}

export class Stage {
  constructor(root) {
    this.root = root;
    this.queryBox = root.querySelector("#query");
    this.documentBox = root.querySelector("#document");
    this.region = root.querySelector("#card");
    this.prepared = new Map();
    this.preparedQueries = new Map();
    this.query = null;
    this.document = null;
    this.marked = false;
    this.guard = new AnswerGuard(root);
    root.addEventListener("revealed", () => this.see());
    addEventListener("online", () => this.tryAgain());
  }

  show(card) {
    this.document?.drop();
    const sameQuery = queryKey(card) === this.queryKey;
    if (!sameQuery) this.showQuery(card);
    this.document = this.take(card);
    this.documentBox.replaceChildren(this.document.element);
    this.root.classList.toggle("document-is-text", !this.document.hasMedia);
    this.region.setAttribute("aria-label", `Document, ${card.position} of ${card.of}`);
    this.mark();
    this.document.onShown();
    for (const view of [this.query, this.document]) view.tryAgain();
    this.player?.playback.begin();
    this.see();
    return { newQuery: !sameQuery };
  }

  /** Let the levels sleep until what is on screen now was seen. */
  see() {
    this.guard.begin(Promise.all([this.query.ready, this.document.ready]));
  }

  showQuery(card) {
    const item = card.query;
    this.query?.drop();
    this.queryKey = queryKey(card);
    this.query = this.preparedQueries.get(this.queryKey) ?? new ItemView(item);
    this.preparedQueries.delete(this.queryKey);
    this.queryBox.replaceChildren(this.query.element);
    this.root.classList.toggle("query-is-media", this.query.hasMedia);
    this.root.classList.toggle("query-is-long", item.parts.some((part) => (part.text ?? part.html ?? "").length > 180));
    if (!this.query.hasMedia) this.query.onShown();
    else if (this.query.player) adopt(this.query.player);
  }

  take(card) {
    const ready = this.prepared.get(card.hand_out) ?? new ItemView(card.document);
    this.prepared.delete(card.hand_out);
    return ready;
  }

  /** Build the cards that come next, with their queries where these are others, and forget those that do not. */
  prepare(cards) {
    const newQuery = cards.filter((card) => queryKey(card) !== this.queryKey);
    this.prepared = viewsOf(cards.map((card) => [card.hand_out, card.document]), this.prepared);
    this.preparedQueries = viewsOf(newQuery.map((card) => [queryKey(card), card.query]), this.preparedQueries);
  }

  focus() {
    scrollTo(0, 0);
    this.region.scrollTop = 0;
    // a text longer than its frame is scrolled by key, so it is a stop of the Tab key
    this.region.tabIndex = this.region.scrollHeight > this.region.clientHeight ? 0 : -1;
    this.region.focus({ preventScroll: true });
  }

  clear() {
    this.document?.drop();
    this.document = null;
    this.query?.onHidden();
    this.guard.end();
  }

  reveal() {
    return [this.query, this.document].some((view) => view?.reveal());
  }

  toggleMarks() {
    this.marked = !this.marked;
    if (this.document) this.mark();
  }

  mark() {
    // a page would be loaded anew for nothing
    if (this.marked || this.document.isMarked) this.document.mark(this.marked ? this.query.words : "");
    this.document.isMarked = this.marked;
  }

  get player() {
    return this.document?.player ?? this.query?.player ?? null;
  }

  get zoom() {
    return this.document?.zoom ?? this.query?.zoom ?? null;
  }

  /** Load anew what did not load, on screen or of what comes next. */
  tryAgain() {
    const coming = [...this.prepared.values(), ...this.preparedQueries.values()];
    for (const view of [this.query, this.document, ...coming]) view?.tryAgain();
  }

  get isBroken() {
    return Boolean(this.document?.isBroken || this.query?.isBroken);
  }

  /** Whether something did not load and is tried once more before it counts. */
  get isTrying() {
    return this.root.querySelector("#query .is-trying, #document .is-trying") !== null;
  }

  /** Whether a file of what is on screen cannot be given at the moment. */
  async isAway() {
    const parts = [...this.query.parts, ...this.document.parts];
    return (await Promise.all(parts.map(({ faults }) => faults?.isAway()))).some(Boolean);
  }

  /** How much of the clip was played for this card, and how often anew; undefined where there is no clip. */
  get playback() {
    return this.player?.playback;
  }

  get plays() {
    return [...this.root.querySelectorAll("video, audio")].some((media) => !media.paused && !media.ended);
  }
}
