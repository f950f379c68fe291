// One stack of what was done last: answers, changes, reports, cards put off. First what this browser's tabs know of, then
// what the server does.
import { ONE_AT_A_TIME } from "./card-actions.js";
import { SignedOut, get } from "../sending/api.js";

const NOTHING = "There is nothing to undo: all is taken back already, or your batches are settled.";
const NO_SERVER = "Undo needs the server, which cannot be reached right now.";
const REMEMBERED = 20;
const TAKEN_BACK = { answer: "The last judgment is undone.", report: "The report is taken back.", later: "What you put off is back." };
const NOT_TAKEN_BACK = { answer: "The judgment was not undone", report: "The report was not taken back", later: "It stays put off" };

/** What an entry of the outbox did, as the server names it when it is taken back. */
function actOf({ kind, body, counts }) {
  const actKind = kind === "answer" ? "answer" : body.kind === "later" ? "later" : "report";
  const { submission_id, hand_out, grade, reasons, comment } = body;
  const earlier = kind === "answer" ? { grade, reasons, comment } : null;
  return { submission_id, hand_out, kind: actKind, isChange: Boolean(body.is_change), counts: counts ?? {}, earlier };
}

export class Undo {
  /** @param {Screen} screen whose deck and outbox are used */
  constructor(screen) {
    this.screen = screen;
    this.acts = [];
    this.awaitedHandOut = null;
    this.turn = Promise.resolve();
  }

  /** Keep what an entry of this tab or another one did. */
  heed(entry) {
    if (entry.kind === "undo") return this.forget(entry.body.hand_out);
    const act = actOf(entry);
    // put off and then answered is one thing to take back
    const otherActs = this.acts.filter((other) => other.kind !== "later" || other.hand_out !== act.hand_out);
    this.acts = [...otherActs, act].slice(-REMEMBERED);
  }

  /** The last thing done with this hand-out is no more. */
  forget(handOut) {
    const at = this.acts.findLastIndex((act) => act.hand_out === handOut);
    if (at >= 0) this.acts.splice(at, 1);
  }

  /** What an entry did was refused, or taken back before it was sent. */
  drop({ body }) {
    this.acts = this.acts.filter((act) => act.submission_id !== body.submission_id);
  }

  /** One step back; the next one waits until it is known what this one was. */
  last() {
    this.turn = this.turn.then(() => this.step());
    return this.turn;
  }

  async step() {
    const { change, panel } = this.screen;
    // what is half said is taken back first
    if (panel.key("Escape") || change.leave()) return;
    const act = this.acts.at(-1) ?? (await this.newest());
    if (act) this.takeBack(act);
  }

  /** What the server says was done last; only once it knows everything. */
  async newest() {
    const { outbox, urls, status } = this.screen;
    await outbox.flush();
    if (outbox.size) return void status.notice(NO_SERVER, { passing: true });
    try {
      const { last } = await get(urls.recentUrl);
      if (!last) status.notice(NOTHING, { passing: true });
      return last;
    } catch (error) {
      if (error instanceof SignedOut) outbox.pause(error.signIn);
      else status.notice(NO_SERVER, { passing: true });
    }
  }

  /** Take an act back; its card is there at once when this tab still has it, else with the server's answer. */
  takeBack(act) {
    const { deck, outbox, status } = this.screen;
    const { hand_out, kind, isChange, counts, earlier } = act;
    status.pass();
    const card = isChange ? null : deck.remembered(hand_out);
    const unsent = outbox.takeBack(act);
    if (!unsent && outbox.isFull) return status.notice(ONE_AT_A_TIME, { passing: true, untilSaved: true });
    this.screen.echo.clear();
    this.screen.batchEnd.hide();
    this.forget(hand_out);
    this.awaitedHandOut = card || isChange ? null : hand_out;
    if (!isChange) deck.doneHandOuts.delete(hand_out);
    if (card) this.screen.putBack({ ...card, earlier });
    if (!unsent) outbox.put("undo", { hand_out, kind }, { judged: -(counts?.judged ?? 0), done: -(counts?.done ?? 0) });
    outbox.flush();
    this.screen.show();
    if (unsent) this.announce(kind, isChange ? {} : null);
    else if (isChange) status.notice("Taking the change back…", { passing: true });
  }

  /** Only once it is so: the server may still refuse what it was asked to undo. */
  announce(kind, word) {
    const { levels, status } = this.screen;
    status.pass();
    if (!word) return status.announce(`${TAKEN_BACK[kind] ?? TAKEN_BACK.answer} ${this.screen.echo.earlierWords}`.trim());
    // nothing on screen shows that an earlier answer stands again, so it is said
    const level = levels.find((other) => other.grade === word.grade)?.name;
    const label = level ?? word.report;
    status.notice(label ? `The change is taken back: “${label}” stands again.` : "The change is taken back.", { passing: true });
  }

  /** The server took it back: its card, if this tab did not have it any more, comes first. True when it stays so. */
  onUndone({ body }, { card, word, earlier }) {
    const { deck, outbox } = this.screen;
    // another step back on this pair is on its way: what stands now is not what will
    if (outbox.isUndoing(body.hand_out)) return false;
    if (word) deck.takenElsewhere(body.hand_out);
    else {
      deck.doneHandOuts.delete(body.hand_out);
      if (this.awaitedHandOut === body.hand_out) this.screen.putBack({ ...card, earlier });
    }
    if (this.awaitedHandOut === body.hand_out) this.awaitedHandOut = null;
    return true;
  }

  /** What was done stands, so its card goes away again. */
  onRefused({ body }, message) {
    const { deck, status } = this.screen;
    if (this.awaitedHandOut === body.hand_out) this.awaitedHandOut = null;
    deck.takenElsewhere(body.hand_out);
    this.screen.show();
    status.notice(`${NOT_TAKEN_BACK[body.kind] ?? NOT_TAKEN_BACK.answer}: ${message}`);
  }
}
