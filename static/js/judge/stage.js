// The query that stays and the document that changes; what comes next is built, and so loading, behind the scenes.
import { tryAgain } from "./broken.js";
import { ItemView } from "./card.js";

export class Stage {
  constructor(root) {
    this.root = root;
    this.queryBox = root.querySelector("#query");
    this.documentBox = root.querySelector("#document");
    this.region = root.querySelector("#card");
    this.prepared = new Map();
    this.query = null;
    this.document = null;
    this.marked = false;
    addEventListener("online", () => this.tryAgain());
  }

  show(card) {
    this.document?.hidden();
    const sameQuery = JSON.stringify(card.query) === this.queryKey;
    if (!sameQuery) this.showQuery(card.query);
    this.document = this.take(card);
    this.documentBox.replaceChildren(this.document.element);
    this.root.classList.toggle("document-is-text", !this.document.hasMedia);
    this.region.setAttribute("aria-label", `Document, ${card.position} of ${card.of}`);
    this.mark();
    this.document.shown();
    this.player?.watched.begin();
    return { newQuery: !sameQuery };
  }

  showQuery(item) {
    this.query?.hidden();
    this.query = new ItemView(item);
    this.queryKey = JSON.stringify(item);
    this.queryBox.replaceChildren(this.query.element);
    this.root.classList.toggle("query-is-media", this.query.hasMedia);
    this.root.classList.toggle("query-is-long", item.parts.some((part) => (part.text ?? part.html ?? "").length > 180));
    if (!this.query.hasMedia) this.query.shown();
  }

  take(card) {
    const ready = this.prepared.get(card.hand_out) ?? new ItemView(card.document);
    this.prepared.delete(card.hand_out);
    return ready;
  }

  /** Build the cards that come next and forget those that do not. */
  prepare(cards) {
    const wanted = new Set(cards.map((card) => card.hand_out));
    for (const key of this.prepared.keys()) if (!wanted.has(key)) this.prepared.delete(key);
    for (const card of cards) if (!this.prepared.has(card.hand_out)) this.prepared.set(card.hand_out, new ItemView(card.document));
  }

  focus() {
    scrollTo(0, 0);
    this.region.scrollTop = 0;
    // a text longer than its frame is scrolled by key, so it is a stop of the Tab key
    this.region.tabIndex = this.region.scrollHeight > this.region.clientHeight ? 0 : -1;
    this.region.focus({ preventScroll: true });
  }

  clear() {
    this.document?.hidden();
    this.query?.hidden();
  }

  reveal() {
    return [this.query, this.document].some((view) => view?.reveal());
  }

  toggleMarks() {
    this.marked = !this.marked;
    this.mark();
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
    for (const view of [this.query, this.document, ...this.prepared.values()]) if (view) tryAgain(view.element);
  }

  get isBroken() {
    return Boolean(this.document?.isBroken || this.query?.isBroken);
  }

  /** How much of the clip was played for this card, and how often anew; nothing where there is no clip. */
  get heed() {
    const watched = this.player?.watched;
    return watched ? { played_ms: watched.played, n_replays: watched.replays } : {};
  }

  get plays() {
    return [...this.root.querySelectorAll("video, audio")].some((media) => !media.paused && !media.ended);
  }
}
