// The cards at hand, what the server and other tabs say of them, and how the parts of the screen follow.
import { Refused, SignedOut, post } from "../sending/api.js";
import { Change } from "./change.js";
import { Clock } from "./clock.js";
import { Deck } from "./deck.js";
import { NOT_HERE, obstacle } from "./obstacles.js";
import { Undo } from "./undo.js";

const RETRY_NEXT = 5_000;
const RETRY_INVITED = 30_000;
const MOST_AT_HAND = 60; // an answer must stay small whatever waits beside it

export class Screen {
  /** @param {{root, urls, levels, stage, panel, status, echo, batchEnd, comment, guidelines}} parts */
  constructor(parts) {
    Object.assign(this, parts);
    this.deck = new Deck();
    this.undo = new Undo(this);
    this.change = new Change(this);
    this.clock = new Clock(() => this.stage.plays);
    this.empty = null;
    this.handOutOnScreen = null;
  }

  /** Ask for cards; only when nothing waits to be sent, for then the server knows everything. */
  async next() {
    clearTimeout(this.retry);
    if (this.outbox.paused) return this.outbox.offer();
    if (this.asking) return;
    this.asking = true;
    if (!this.deck.current) this.status.nothing({ reason: "looking" });
    try {
      const data = await post(this.urls.nextUrl, { at_hand: this.atHand }, this.urls);
      this.outbox.reached();
      this.take(data, true);
    } catch (error) {
      if (error instanceof SignedOut) this.outbox.pause(error.signIn);
      else if (error instanceof Refused) this.status.nothing({ reason: "closed", message: error.message });
      else this.wait(error);
    } finally {
      this.asking = false;
    }
  }

  /** The hand-outs whose cards the server need not send: they are here, or done with and on their way to it. */
  get atHand() {
    const unsentHandOuts = this.outbox.store.all().map(([, { body }]) => body.hand_out);
    return [...new Set([...this.deck.atHand, ...unsentHandOuts])].slice(0, MOST_AT_HAND);
  }

  wait({ isKeptOut }) {
    if (isKeptOut) this.status.nothing({ reason: "kept_out", message: NOT_HERE });
    else this.status.nothing({ reason: "waiting", message: "The server cannot be reached; trying again every few seconds." });
    this.retry = setTimeout(() => this.next(), isKeptOut ? RETRY_INVITED : RETRY_NEXT);
  }

  /** The server's answer to anything: cards, progress, or why there is none. */
  take(data, isFullList = false) {
    this.figures = data.progress;
    this.empty = data.empty;
    this.guidelines.hear(data.guidelines);
    this.batchEnd.show(data.batch_end);
    // with nothing on its way the server's list is the truth, whatever this tab remembers
    if (isFullList && !this.outbox.size) this.deck.doneHandOuts.clear();
    this.deck.merge(data);
    this.show();
  }

  show() {
    const { deck, outbox } = this;
    if (this.figures) this.status.progress(this.figures, outbox.ahead);
    if (deck.current && this.handOutOnScreen && outbox.isKeptOut) deck.current.draft = this.comment.value;
    if (!deck.current || outbox.isKeptOut) return this.showNothing();
    this.status.cards();
    if (this.handOutOnScreen !== deck.current.hand_out) this.bring(deck.current);
    // after the one on screen was taken from those that were prepared before
    this.stage.prepare(deck.upcoming);
  }

  /** Put a card on screen, everything about it fresh. */
  bring(card) {
    this.handOutOnScreen = card.hand_out;
    this.panel.reset(card.word, card.earlier);
    this.echo.recall(card.earlier);
    this.panel.asksReasons = card.ask_reasons;
    this.comment.value = card.draft ?? card.word?.comment ?? card.earlier?.comment ?? "";
    this.change.show(card.word);
    const { newQuery } = this.stage.show(card);
    this.clock.start();
    this.stage.focus();
    this.status.announce(newQuery ? "New query." : "");
  }

  /** Bring a card back on top, and keep what was typed beside the one that waits behind it. */
  putBack(card) {
    if (this.deck.current) this.deck.current.draft = this.comment.value;
    this.deck.putBack(card);
  }

  showNothing() {
    this.handOutOnScreen = null;
    this.stage.clear();
    this.change.show(null);
    const why = obstacle(this);
    if (why) this.status.nothing(why);
    else this.next();
  }

  /** The current card is done with: the next one. */
  finish() {
    this.deck.finish();
    this.status.pass();
    this.batchEnd.hide();
    this.empty = null;
    this.show();
  }

  /** @param {{kind, body}} entry what was acknowledged */
  onResult(entry, data) {
    // put off, not done: it comes back
    if (entry.body.kind === "later") this.deck.doneHandOuts.delete(entry.body.hand_out);
    this.echo.acknowledged(entry);
    const { undone } = data;
    const isSo = undone && this.undo.onUndone(entry, undone);
    this.take(data);
    if (isSo) this.undo.announce(entry.body.kind, undone.word);
  }

  /** @param {string} message why; of what another tab was told it stands there */
  onRefused(entry, message = "") {
    if (entry.kind === "undo") return this.undo.onRefused(entry, message);
    this.undo.drop(entry);
    this.echo.drop(entry);
    if (entry.body.kind === "later" && message) this.status.notice(message);
    this.refusedAnswers.show();
    this.deck.markDone(entry.body.hand_out);
    if (!this.outbox.size) this.next();
  }

  async resume() {
    await this.outbox.resume();
    if (!this.deck.current && !this.outbox.size) await this.next();
  }
}
