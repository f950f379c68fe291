// What other tabs of the same person do with what waits, and how this one follows.

const PATIENCE = 500;
const TWO_TABS =
  "You are judging in another tab too. Go on here or there: an answer counts once, and the pair is done in both tabs. You may close either one.";

export class OtherTabs {
  /** @param {Screen} screen whose deck, figures and outbox follow  @param {string} owner collection and person */
  constructor(screen, owner) {
    this.screen = screen;
    this.channel = new BroadcastChannel(`assayer.${owner}`);
    this.channel.addEventListener("message", ({ data }) => {
      if (data.isNew) this.channel.postMessage({ isOpen: true });
      else if (data.isOpen) this.screen.status.notice(TWO_TABS, { passing: true });
      else this.hear(data);
    });
    this.channel.postMessage({ isNew: true });
  }

  /** Hand on what the server said to an entry: how far one is, what comes next, or why nothing does. */
  tell({ kind, body }, { progress, empty, guidelines, order, cards, batch_end }) {
    const handOut = kind === "undo" || body.kind === "later" ? null : body.hand_out;
    this.channel.postMessage({ done: handOut, progress, empty, guidelines, order, cards, batch_end });
  }

  /** It may come before the storage tells of the entry: no card is judged a second time in between. */
  hear({ done: handOut, ...data }) {
    const { deck, outbox } = this.screen;
    if (handOut && !outbox.isUndoing(handOut)) deck.takenElsewhere(handOut);
    this.screen.take(data);
  }

  /** Something was done; a card that is at hand here may be done with by that. */
  added(entry) {
    const { deck, outbox, undo } = this.screen;
    const { hand_out } = entry.body;
    undo.heed(entry);
    outbox.show();
    const isTaken = entry.kind !== "undo" && deck.takenElsewhere(hand_out);
    if (entry.kind === "undo" || entry.body.kind === "later") deck.doneHandOuts.delete(hand_out);
    if (!isTaken) return;
    this.screen.show();
    // with nothing else to show, this tab waits for it too: should the other one be closed, this one sends it
    if (!deck.current) outbox.flush();
  }

  /** Something was taken back before it was sent. */
  takenBack(entry) {
    this.screen.undo.drop(entry);
    this.screen.deck.doneHandOuts.delete(entry.body.hand_out);
    this.follow();
  }

  /** Something is stored; the other tab tells at once what the server said to it, or is gone. */
  acknowledged(entry) {
    this.screen.echo.acknowledged(entry);
    this.screen.outbox.reached();
    this.follow();
  }

  /** Something was refused, and is set aside. */
  refused(entry) {
    this.screen.onRefused(entry);
  }

  /** What was set aside is another now: sent again, or thrown away. */
  setAside() {
    this.screen.refusedAnswers.show();
    this.screen.outbox.show();
  }

  follow() {
    const { deck, empty, outbox, status } = this.screen;
    outbox.show();
    if (deck.current || (status.isPending && empty)) this.screen.show();
    else if (status.isPending) setTimeout(() => status.isPending && this.screen.show(), PATIENCE);
  }
}
