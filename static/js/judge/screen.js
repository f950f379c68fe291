// What one person can do with the card in front of her, and how the parts of the screen follow.
import { Refused, SignedOut, post } from "./api.js";
import { Clock } from "./clock.js";
import { Deck } from "./deck.js";
import { newest, openRecent } from "./recent.js";

const RETRY_NEXT = 5_000;

export class Screen {
  constructor({ urls, levels, stage, panel, status, comment }) {
    Object.assign(this, { urls, levels, stage, panel, status, comment });
    this.deck = new Deck();
    this.clock = new Clock(() => stage.plays);
    this.empty = null;
    this.shown = null;
  }

  /** Ask for cards; only when nothing waits to be sent, for then the server knows everything. */
  async next() {
    clearTimeout(this.retry);
    if (this.asking) return;
    this.asking = true;
    if (!this.deck.current) this.status.nothing({ reason: "looking" });
    try {
      this.take(await post(this.urls.nextUrl, {}, this.urls), true);
    } catch (error) {
      if (error instanceof SignedOut) this.onSignedOut(error.signIn, this.outbox.size);
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
    this.stage.prepare(deck.upcoming.slice(0, 2));
    if (this.shown === deck.current.hand_out) return;
    this.shown = deck.current.hand_out;
    this.panel.reset();
    this.comment.value = "";
    const { newQuery } = this.stage.show(deck.current);
    this.clock.start();
    this.stage.focus();
    this.status.announce(newQuery ? "New query." : "");
  }

  showNothing() {
    this.shown = null;
    this.stage.clear();
    if (this.outbox.tries) {
      const kept = this.outbox.size === 1 ? "1 answer is" : `${this.outbox.size} answers are`;
      this.status.nothing({ reason: "waiting", message: `${kept} kept in this browser and sent as soon as the server can be reached.` });
    } else if (this.outbox.size) this.status.nothing({ reason: "saving" });
    else if (this.empty) this.status.nothing(this.empty);
    else this.next();
  }

  answer({ grade, reasons }) {
    const card = this.deck.current;
    if (!card) return;
    const body = { hand_out: card.hand_out, grade, reasons, comment: this.comment.value.trim(), active_ms: this.clock.read() };
    this.leave("answer", body, true);
    this.panel.glow(grade);
  }

  report(kind, { reason = "", note = "" } = {}) {
    const card = this.deck.current;
    if (card) this.leave("report", { hand_out: card.hand_out, kind, reason, note }, false);
  }

  /** Stored first, then the next card, then the network: in this order nothing can be lost and nobody waits. */
  leave(kind, body, judged) {
    this.outbox.put(kind, body);
    this.deck.finish({ judged });
    this.empty = null;
    this.show();
    this.outbox.flush();
  }

  async undo() {
    const last = this.deck.lastJudged();
    if (last) return this.takeBack(last.hand_out);
    try {
      const handOut = await newest(this.urls.recentUrl);
      if (handOut) this.takeBack(handOut);
      else this.status.notice("There is nothing to undo: you have not judged yet, or your batches are settled.");
    } catch {
      this.status.notice("Undo needs the server, which cannot be reached right now.");
    }
  }

  /** Bring a judged pair back; at once when this tab still has its card, else with the server's answer. */
  takeBack(handOut) {
    const card = this.deck.history.find((other) => other.hand_out === handOut);
    const unsent = this.outbox.takeBack(handOut);
    this.deck.done.delete(handOut);
    this.undone = card ? null : handOut;
    if (card) this.deck.putBack(card);
    if (!unsent) this.outbox.add("undo", { hand_out: handOut });
    this.show();
    this.status.announce("The last judgment is undone.");
  }

  /** @param {{kind, body}} entry what was acknowledged */
  onResult(entry, data) {
    // put off, not done: it comes back
    if (entry.body.kind === "later") this.deck.done.delete(entry.body.hand_out);
    if (entry.kind === "undo" && this.undone === entry.body.hand_out) {
      this.undone = null;
      const card = data.cards.find((other) => other.hand_out === entry.body.hand_out);
      if (card) this.deck.putBack(card);
    }
    this.take(data);
  }

  onRefused(entry, message) {
    this.status.notice(`One ${entry.kind} was not accepted: ${message}`);
    this.deck.markDone(entry.body.hand_out);
    if (!this.outbox.size) this.next();
  }

  recent() {
    openRecent(this.urls.recentUrl, this.levels, (handOut) => this.takeBack(handOut));
  }

  async resume() {
    await this.outbox.resume();
    if (!this.deck.current && !this.outbox.size) await this.next();
  }
}
