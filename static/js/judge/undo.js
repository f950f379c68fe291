// Taking an answer back: the last one by key, or any of the last twenty from their list.
import { SignedOut } from "./api.js";
import { newest, openRecent } from "./recent.js";

const NOTHING = "There is nothing to undo: you have not judged yet, or your batches are settled.";

export class Undo {
  /** @param {Screen} screen whose deck and outbox are used */
  constructor(screen) {
    this.screen = screen;
    this.wanted = null;
  }

  async last() {
    const { deck, outbox, urls, status } = this.screen;
    const judged = deck.lastJudged();
    if (judged) return this.takeBack(judged.hand_out);
    try {
      const handOut = await newest(urls.recentUrl);
      if (handOut) this.takeBack(handOut);
      else status.notice(NOTHING);
    } catch (error) {
      if (error instanceof SignedOut) outbox.pause(error.signIn);
      else status.notice("Undo needs the server, which cannot be reached right now.");
    }
  }

  /** Bring a judged pair back; at once when this tab still has its card, else with the server's answer. */
  takeBack(handOut) {
    const { deck, outbox } = this.screen;
    const card = deck.history.find((other) => other.hand_out === handOut);
    const unsent = outbox.takeBack(handOut);
    deck.done.delete(handOut);
    this.wanted = card ? null : handOut;
    if (card) deck.putBack(card);
    if (!unsent) outbox.add("undo", { hand_out: handOut });
    this.screen.show();
    if (unsent) this.announce();
  }

  /** Only once it is so: the server may still refuse what it was asked to undo. */
  announce() {
    this.screen.status.announce("The last judgment is undone.");
  }

  /** The server took an answer back: its card, if this tab did not have it any more, comes first. */
  onUndone(handOut, cards) {
    if (this.wanted !== handOut) return;
    this.wanted = null;
    const card = cards.find((other) => other.hand_out === handOut);
    if (card) this.screen.deck.putBack(card);
  }

  /** The judgment stands, so its card goes away again. */
  onRefused(handOut, message) {
    const { deck, status } = this.screen;
    if (this.wanted === handOut) this.wanted = null;
    deck.takenElsewhere(handOut);
    this.screen.show();
    status.notice(`The judgment was not undone: ${message}`);
  }

  list() {
    const { urls, levels } = this.screen;
    openRecent(urls.recentUrl, levels, (handOut) => this.takeBack(handOut));
  }
}
