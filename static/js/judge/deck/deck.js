// The few cards at hand: the one shown, the ten that come next, and the last ones that were done with.

const REMEMBERED = 20;

export class Deck {
  constructor() {
    this.current = null;
    this.upcoming = [];
    this.doneHandOuts = new Set();
    this.history = [];
  }

  /**
   * Take the server's idea of what comes next; what was answered here meanwhile is not shown again. A card that is named
   * and not here (another tab got it) holds back those behind it until it is sent: nothing is shown out of its turn.
   * @param {{order: string[], cards: object[]}} next hand-outs in their order, and the cards of those that were not at hand
   */
  merge({ order, cards }) {
    const byHandOut = new Map([...this.history, ...this.upcoming].map((card) => [card.hand_out, card]));
    for (const card of cards) byHandOut.set(card.hand_out, { ...byHandOut.get(card.hand_out), ...card });
    const openHandOuts = order.filter((handOut) => !this.doneHandOuts.has(handOut) && handOut !== this.current?.hand_out);
    const gap = openHandOuts.findIndex((handOut) => !byHandOut.has(handOut));
    const fresh = openHandOuts.slice(0, gap < 0 ? undefined : gap).map((handOut) => ({ ...byHandOut.get(handOut), isKept: false }));
    // cards put back by an undo the server has not heard of yet stay at hand
    const undoCards = this.upcoming.filter((card) => card.isKept && !order.includes(card.hand_out));
    this.upcoming = [...undoCards, ...fresh];
    if (!this.current) this.advance();
  }

  /** The hand-outs whose cards need not be sent. */
  get atHand() {
    return [this.current, ...this.upcoming].filter(Boolean).map((card) => card.hand_out);
  }

  advance() {
    this.current = this.upcoming.shift() ?? null;
    return this.current;
  }

  /** The current card was answered, put off or reported. */
  finish() {
    const { word, draft, earlier, ...card } = this.current;
    this.markDone(card.hand_out);
    this.history = [...this.history.filter((other) => other.hand_out !== card.hand_out), card].slice(-REMEMBERED);
    this.advance();
  }

  markDone(handOut) {
    this.doneHandOuts.add(handOut);
    this.upcoming = this.upcoming.filter((card) => card.hand_out !== handOut);
  }

  /** Another tab of the same person answered it. True when it was the one on screen here. */
  takenElsewhere(handOut) {
    this.markDone(handOut);
    if (this.current?.hand_out !== handOut) return false;
    this.advance();
    return true;
  }

  /** Bring a card back on top; the one on screen waits behind it. */
  putBack(card) {
    this.doneHandOuts.delete(card.hand_out);
    this.history = this.history.filter((other) => other.hand_out !== card.hand_out);
    this.upcoming = this.upcoming.filter((other) => other.hand_out !== card.hand_out);
    if (this.current && this.current.hand_out !== card.hand_out) this.upcoming.unshift({ ...this.current, isKept: true });
    this.current = card;
  }

  /** A card that was on screen here not long ago. */
  remembered(handOut) {
    return this.history.find((other) => other.hand_out === handOut) ?? null;
  }
}
