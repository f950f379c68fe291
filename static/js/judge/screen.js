// What one person can do with the card in front of her, and how the parts of the screen follow.
import { Refused, SignedOut, post } from "./api.js";
import { Clock } from "./clock.js";
import { Deck } from "./deck.js";
import { Undo } from "./undo.js";

const RETRY_NEXT = 5_000;

export class Screen {
  constructor({ urls, levels, stage, panel, status, comment, guidelines }) {
    Object.assign(this, { urls, levels, stage, panel, status, comment, guidelines });
    this.undo = new Undo(this);
    this.deck = new Deck();
    this.clock = new Clock(() => stage.plays);
    this.empty = null;
    this.shown = null;
  }

  /** Ask for cards; only when nothing waits to be sent, for then the server knows everything. */
  async next() {
    clearTimeout(this.retry);
    if (this.outbox.paused) return this.outbox.offer();
    if (this.asking) return;
    this.asking = true;
    if (!this.deck.current) this.status.nothing({ reason: "looking" });
    try {
      this.take(await post(this.urls.nextUrl, {}, this.urls), true);
    } catch (error) {
      if (error instanceof SignedOut) this.outbox.pause(error.signIn);
      else if (error instanceof Refused) this.status.nothing({ reason: "closed", message: error.message });
      else this.wait();
    } finally {
      this.asking = false;
    }
  }

  wait() {
    this.status.nothing({ reason: "waiting", message: "The server cannot be reached; trying again every few seconds." });
    this.retry = setTimeout(() => this.next(), RETRY_NEXT);
  }

  /** The server's answer to anything: cards, progress, or why there is none. */
  take(data, asked = false) {
    this.figures = data.progress;
    this.empty = data.empty;
    this.guidelines.hear(data.guidelines);
    // with nothing on its way the server's list is the truth, whatever this tab remembers
    if (asked && !this.outbox.size) this.deck.done.clear();
    this.deck.merge(data.cards);
    this.show();
  }

  show() {
    const { deck, outbox } = this;
    if (this.figures) this.status.progress(this.figures, { answers: outbox.answers, steps: outbox.steps });
    if (!deck.current) return this.showNothing();
    this.status.cards();
    if (this.shown !== deck.current.hand_out) this.bring(deck.current);
    // after the one on screen was taken from those that were prepared before
    this.stage.prepare(deck.upcoming.slice(0, 2));
  }

  /** Put a card on screen, everything about it fresh. */
  bring(card) {
    this.shown = card.hand_out;
    this.panel.reset();
    this.panel.asksReasons = card.ask_reasons;
    this.comment.value = "";
    const { newQuery } = this.stage.show(card);
    this.clock.start();
    this.stage.focus();
    this.status.announce(newQuery ? "New query." : "");
  }

  showNothing() {
    this.shown = null;
    this.stage.clear();
    if (this.outbox.paused) this.status.nothing({ reason: "signed_out", message: this.kept("once you are signed in again") });
    else if (this.outbox.tries) this.status.nothing({ reason: "waiting", message: this.kept("as soon as the server can be reached") });
    else if (this.outbox.size) this.status.nothing({ reason: "saving" });
    else if (this.empty) this.status.nothing(this.empty);
    else this.next();
  }

  /** What waits here, and until when; nothing where nothing waits. */
  kept(until) {
    const { size } = this.outbox;
    if (!size) return "";
    return `${size === 1 ? "1 answer is" : `${size} answers are`} kept in this browser and sent ${until}.`;
  }

  answer({ grade, reasons, changes }) {
    const card = this.deck.current;
    if (!card) return;
    const said = { grade, reasons, comment: this.comment.value.trim() };
    const heed = { active_ms: this.clock.read(), n_changes: changes, ...this.stage.heed };
    this.leave("answer", { hand_out: card.hand_out, ...said, ...heed, guidelines: this.guidelines.version }, true);
    this.panel.glow(grade);
  }

  report(kind, { reason = "", note = "" } = {}) {
    const card = this.deck.current;
    if (card) this.leave("report", { hand_out: card.hand_out, kind, reason, note }, false);
  }

  /** Media that did not load, with one key. False when everything loaded. */
  reportBroken() {
    if (!this.deck.current || !this.stage.isBroken) return false;
    this.report("cannot_judge", { reason: "does_not_play" });
    this.status.announce("Reported: it does not load.");
    return true;
  }

  /** Stored first, then the next card, then the network: in this order nothing can be lost and nobody waits. */
  leave(kind, body, judged) {
    this.outbox.put(kind, body);
    this.deck.finish({ judged });
    this.empty = null;
    this.show();
    this.outbox.flush();
  }

  /** @param {{kind, body}} entry what was acknowledged */
  onResult(entry, data) {
    // put off, not done: it comes back
    if (entry.body.kind === "later") this.deck.done.delete(entry.body.hand_out);
    const isUndo = entry.kind === "undo";
    if (isUndo) this.undo.onUndone(entry.body.hand_out, data.cards);
    this.take(data);
    if (isUndo) this.undo.announce();
  }

  onRefused(entry, message) {
    if (entry.kind === "undo") return this.undo.onRefused(entry.body.hand_out, message);
    this.aside.show();
    this.deck.markDone(entry.body.hand_out);
    if (!this.outbox.size) this.next();
  }

  async resume() {
    await this.outbox.resume();
    if (!this.deck.current && !this.outbox.size) await this.next();
  }
}
