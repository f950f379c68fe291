// Saying something anew: a pair that was done with, and what was said of it, until something else is or it is left alone.
import { Refused, SignedOut, get } from "../sending/api.js";
import { openRecent } from "./recent.js";

const LONGEST = 80;

function shortened(text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST).trimEnd()}…` : text;
}

export class Change {
  /** @param {Screen} screen whose deck and outbox are used */
  constructor(screen) {
    this.screen = screen;
    this.box = document.getElementById("changing");
    this.box.querySelector("button").addEventListener("click", () => this.leave());
  }

  /** The list of what can be changed. */
  list() {
    openRecent(this.screen.urls.recentUrl, this.screen.levels, (handOut) => this.begin(handOut));
  }

  get isOn() {
    return Boolean(this.screen.deck.current?.word);
  }

  /** Show a pair and what stands of it; nothing is changed by that. */
  async begin(handOut) {
    const { urls, status, outbox } = this.screen;
    status.pass();
    await outbox.flush();
    try {
      const { card, word } = await get(`${urls.wordUrl}?hand_out=${handOut}`);
      this.leave();
      this.screen.putBack({ ...card, word });
      this.screen.handOutOnScreen = null;
      this.screen.show();
    } catch (error) {
      if (error instanceof SignedOut) outbox.pause(error.signIn);
      else status.notice(error instanceof Refused ? error.message : "Changing an answer needs the server, which cannot be reached right now.", { passing: true });
    }
  }

  /** Leave all as it was. False when nothing is being changed. */
  leave() {
    if (!this.isOn) return false;
    this.screen.deck.takenElsewhere(this.screen.deck.current.hand_out);
    this.screen.show();
    this.screen.status.announce("Left as it was.");
    return true;
  }

  /** Say what is being changed. */
  show(word) {
    this.screen.root.classList.toggle("is-changing", Boolean(word));
    this.box.hidden = !word;
    if (!word) return;
    const level = this.screen.levels.find((other) => other.grade === word.grade);
    const comment = word.comment || word.note;
    const words = [...(word.reasons ?? [word.reason]), comment && `“${shortened(comment)}”`].filter(Boolean);
    this.box.querySelector("[data-lead]").textContent = word.report ? "You reported it:" : "You said";
    this.box.querySelector("[data-what]").textContent = level?.name ?? word.report;
    this.box.querySelector("[data-words]").textContent = words.length ? ` (${words.join(", ")})` : "";
  }
}
