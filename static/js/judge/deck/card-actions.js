// What one person does with the card in front of her.
import { SignedOut, refreshToken } from "../sending/api.js";
import { telemetry } from "./telemetry.js";
import { unplayed } from "../media/faults.js";

export const ONE_AT_A_TIME = "The last answer is not sent yet, and this browser cannot keep another one: one waits at a time.";
const MESSAGES = { later: "Put off: it comes back at the end of the batch.", cannot_judge: "Reported to the lead.", unplayable: "Passed on: it goes to other people.", escalated: "Handed to the lead." };
const NOT_REACHED = "Nothing is reported: the server cannot be reached, so all may be well with this pair. Try it again, or put it off with “Later”.";
const STILL_TRYING = "It is being tried once more; if it does not load then, report it.";
const MEDIA_AWAY = "Nothing is reported: the server cannot give this file at the moment. Try it again, or put it off with “Later”.";
const LONGEST_REASON = 60;

/** Whether an answer is the one that stands already. */
function saysTheSame(word, { grade, reasons, comment }) {
  return word.grade === grade && word.comment === comment && [...word.reasons].sort().join() === [...reasons].sort().join();
}

export class CardActions {
  /** @param {{screen, panel, stage, comment, guidelines, clock, status, echo, outbox}} parts of the judge screen */
  constructor(parts) {
    Object.assign(this, parts);
  }

  /** The card on screen. */
  get card() {
    return this.screen.handOutOnScreen === null ? null : this.screen.deck.current;
  }

  answer({ grade, reasons, changes }) {
    const { card } = this;
    if (!card) return;
    const answer = { grade, reasons, comment: this.comment.value.trim() };
    if (card.word && saysTheSame(card.word, answer)) return this.screen.change.leave();
    const body = { ...answer, ...telemetry({ ...this, changes }), guidelines: this.guidelines.version };
    if (this.leave("answer", body, card.word && !card.word.report ? 0 : 1)) this.panel.glow(grade);
  }

  report(kind, { reason = "", note = "" } = {}, message = MESSAGES[kind]) {
    const { card } = this;
    if (!card || (card.word && kind === "later")) return;
    const isTaken = this.leave("report", { kind, reason, note }, card.word && !card.word.report ? -1 : 0, message);
    if (isTaken) this.status.announce(message);
    return isTaken;
  }

  /** Media that did not load, or that this browser cannot play, with one key. False when everything is there. */
  reportBroken() {
    if (!this.card) return false;
    const format = unplayed(this.stage.root);
    if (format) return this.report("unplayable", { reason: format.slice(0, LONGEST_REASON) });
    if (this.stage.isTrying) return this.status.notice(STILL_TRYING, { passing: true });
    if (!this.stage.isBroken) return false;
    this.reportFailed(this.card);
    return true;
  }

  /** What did not load is no fault of the pair while nothing does: it is reported only where the server answers. */
  async reportFailed(card) {
    const { outbox, stage, status } = this;
    try {
      await refreshToken(outbox.urls);
    } catch (error) {
      if (error instanceof SignedOut) outbox.pause(error.signIn);
      else status.notice(NOT_REACHED, { passing: true });
      return;
    }
    const isAway = await stage.isAway();
    if (card !== this.card) return;
    if (isAway) status.notice(MEDIA_AWAY, { passing: true });
    else if (stage.isBroken) this.report("cannot_judge", { reason: "does_not_play" }, "Reported: it does not load.");
    else stage.tryAgain();
  }

  /**
   * Stored first, then the next card, then the network: in this order nothing can be lost and nobody waits.
   * False where it may not be added to what waits.
   * @param {string} message what is told of it once it is stored; of an answer its level is
   */
  leave(kind, body, nJudgments, message) {
    if (this.outbox.isFull) {
      this.status.notice(ONE_AT_A_TIME, { passing: true, untilSaved: true });
      this.status.announce(ONE_AT_A_TIME);
      return false;
    }
    const { hand_out, word } = this.card;
    const counts = { judged: nJudgments, done: word || body.kind === "later" ? 0 : 1 };
    const entry = this.outbox.put(kind, { hand_out, ...body, is_change: Boolean(word) }, counts);
    this.screen.undo.heed(entry);
    this.screen.finish();
    this.echo.begin(entry, message);
    if (word) this.status.announce("Changed.");
    this.outbox.flush();
    return true;
  }
}
