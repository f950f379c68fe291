// The outbox: what the person did, sent in order, one at a time, again and again until the server has it.
import { NO_CARDS, Refused, SignedOut, post, refreshToken } from "./api.js";
import { isFinalFailure } from "./failures.js";
import { newId } from "./ids.js";
import { withTabLock } from "./tab-lock.js";

const LONGEST_WAIT = 30_000;

export class Outbox {
  /**
   * @param {{store, urls, onState, onResult, onRefused, onSignedOut, onStopped, onCleared, cardsWanted}} parts
   *   cardsWanted(): which cards are to come with an answer, as fields of it; onState(state, nWaiting): saving | saved | waiting | signed_out; onCleared: nothing waits any more, after trouble
   */
  constructor(parts) {
    Object.assign(this, { cardsWanted: () => NO_CARDS }, parts);
    this.tries = 0;
    this.sending = null;
    this.wasKeptOut = false;
    this.timer = 0;
    this.paused = false;
  }

  get size() {
    return this.store.all().length;
  }

  /** Whether nothing more may be put in: where the browser keeps nothing, at most one answer waits. */
  get isFull() {
    return this.size > 0 && !this.store.isLasting;
  }

  /** Whether nothing is taken any more since this person may no longer judge here. */
  get isKeptOut() {
    return this.tries > 0 && this.wasKeptOut;
  }

  /** What the server's figures do not have yet: judgments of the day, places in the batch. */
  get ahead() {
    const sum = (figure) => this.store.all().reduce((n, [, { counts }]) => n + (counts?.[figure] ?? 0), 0);
    return { judged: sum("judged"), done: sum("done") };
  }

  isUndoing(handOut) {
    return this.store.all().some(([, { kind, body }]) => kind === "undo" && body.hand_out === handOut);
  }

  /** @param {{judged: number, done: number}} counts how much it adds to the server's figures */
  put(kind, body, counts) {
    const entry = { kind, body: { submission_id: newId(), ...body }, counts };
    this.store.add(entry);
    return entry;
  }

  /** Take back what was never sent. False when it was, or may have been: then the server must undo it. */
  takeBack(act) {
    const entry = this.store.all().findLast(([, { body }]) => body.hand_out === act.hand_out);
    if (!entry || entry[1].tried || entry[1].kind === "undo") return false;
    this.store.remove(entry[0]);
    this.show();
    return true;
  }

  show() {
    const nWaiting = this.size;
    if (this.paused) this.onState("signed_out", nWaiting);
    else if (!nWaiting) this.onState("saved", 0);
    else this.onState(this.isKeptOut ? "kept_out" : this.tries ? "waiting" : "saving", nWaiting);
  }

  /** Send everything that waits. Resolves when nothing is left or the next try is scheduled. */
  async flush() {
    this.show();
    if (this.sending || this.paused) return this.sending;
    clearTimeout(this.timer);
    this.sending = withTabLock(this.store.prefix, () => this.sendAll());
    try {
      await this.sending;
    } finally {
      this.sending = null;
    }
    this.show();
    // something may have been added between the last look and here
    if (this.size && !this.paused && !this.tries) return this.flush();
  }

  async sendAll() {
    for (let entries = this.store.all(); entries.length; entries = this.store.all()) {
      const [key, entry] = entries[0];
      this.store.update(key, { ...entry, tried: true });
      try {
        const data = await post(this.urls[`${entry.kind}Url`], { ...entry.body, ...this.cardsWanted() }, this.urls);
        this.store.remove(key);
        this.tries = 0;
        this.onResult(entry, data);
      } catch (error) {
        if (error instanceof Refused || (await isFinalFailure(this, key, entry, error))) {
          this.store.setAside(key, entry, error.message);
          this.tries = 0;
          this.onRefused(entry, error.message);
        } else {
          this.stop(error);
          return;
        }
      }
    }
    if (!this.tries) return;
    this.tries = 0;
    this.onCleared();
  }

  /** Another tab reached the server: what waits here is sent at once too, and nothing is said to be away. */
  reached() {
    if (this.paused || !this.tries) return;
    this.tries = 0;
    this.flush();
  }

  stop(error) {
    if (error instanceof SignedOut) return this.pause(error.signIn);
    this.tries += 1;
    this.wasKeptOut = error.isKeptOut;
    const wait = Math.min(LONGEST_WAIT, 1000 * 2 ** (this.tries - 1));
    // apart from each other, so that a server coming back is not met by everybody at once
    const spread = wait * (0.75 + Math.random() / 2);
    this.timer = setTimeout(() => this.flush(), Math.max(spread, (error.retryAfter ?? 0) * 1000));
    this.onStopped();
  }

  /** Send nothing until somebody is signed in again, and offer the sign-in at this address. */
  pause(signIn) {
    this.paused = true;
    this.signIn = signIn;
    this.show();
    this.offer();
    this.onStopped();
  }

  offer() {
    this.onSignedOut(this.signIn, this.size);
  }

  /** After signing in elsewhere: take the new session's token and go on. Throws SignedOut when it is not so. */
  async resume() {
    await refreshToken(this.urls);
    this.paused = false;
    this.tries = 0;
    await this.flush();
    if (this.paused) throw new SignedOut(this.signIn);
  }
}
