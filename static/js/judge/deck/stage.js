// The query that stays and the document that changes; what comes next is built, and so loading, behind the scenes.
import { adopt } from "../prefs.js";
import { AnswerGuard } from "./answer-guard.js";
import { PreparedViews, queryKey } from "./prepared.js";

export class Stage {
  constructor(root) {
    this.root = root;
    this.queryBox = root.querySelector("#query");
    this.documentBox = root.querySelector("#document");
    this.region = root.querySelector("#card");
    this.prepared = new PreparedViews();
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
    this.document = this.prepared.document(card);
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
    this.query = this.prepared.query(card);
    this.queryBox.replaceChildren(this.query.element);
    this.root.classList.toggle("query-is-media", this.query.hasMedia);
    this.root.classList.toggle("query-is-long", item.parts.some((part) => (part.text ?? part.html ?? "").length > 180));
    if (!this.query.hasMedia) this.query.onShown();
    else if (this.query.player) adopt(this.query.player);
  }

  /** @param {object[]} cards those that come next */
  prepare(cards) {
    this.prepared.prepare(cards, this.queryKey);
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
    for (const view of [this.query, this.document, ...this.prepared.all]) view?.tryAgain();
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
