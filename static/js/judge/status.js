// What the screen says of itself: saved or not, how far, and why there is nothing to judge.

const TITLES = {
  none_left: "Nothing is left to judge",
  others_hold: "Everything is with other people",
  share: "You have judged your share",
  closed: "Nothing is open for judging",
  paused: "Your work is paused",
  archived: "This collection is archived",
  training: "A training comes first",
  saving: "Saving…",
  waiting: "Waiting for the server",
  kept_out: "You cannot judge here any more",
  signed_out: "You are signed out",
  looking: "Looking for your next pair…",
};

const TROUBLE = ["waiting", "signed_out", "kept_out"];
const BUSY = ["saving", "looking"];
const PENDING = [...BUSY, "waiting", "kept_out"];
const AGAIN = { training: "Go to the training", signed_out: "Sign in" };

function minutes(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export class Status {
  /** @param {() => void} onAgain asked for more, by the person or by the countdown */
  constructor(root, onAgain) {
    this.root = root;
    this.onAgain = onAgain;
    const find = (id) => document.getElementById(id);
    this.parts = { saved: find("saved"), signIn: find("signin-offer"), progress: find("progress"), bar: find("progress-bar"), text: find("progress-text"), lastDay: find("progress-last-day") };
    this.empty = { box: find("empty"), title: find("empty-title"), text: find("empty-text"), progress: find("empty-progress"), again: find("empty-again") };
    this.live = find("live");
    // the page itself leads to the training
    this.empty.again.addEventListener("click", () => (this.reason === "training" ? location.reload() : this.onAgain()));
  }

  announce(text) {
    this.live.textContent = text;
  }

  /** @param {number} nWaiting how many are to be sent  @param {number} refused how many were set aside  @returns {string} the words */
  saved(outboxState, nWaiting, refused) {
    const state = outboxState === "saved" && refused ? "refused" : outboxState;
    const words = {
      saved: "Saved",
      refused: `${refused} refused`,
      saving: "Saving…",
      waiting: `Not saved - will retry (${nWaiting} waiting)`,
      kept_out: `Not saved - kept here (${nWaiting} waiting)`,
      signed_out: nWaiting ? `Not saved - signed out (${nWaiting} waiting)` : "Signed out",
    };
    const isNew = this.parts.saved.dataset.state !== state;
    this.parts.saved.textContent = words[state];
    // a screen reader hears of trouble and of its end, not of every answer
    if (isNew && (TROUBLE.includes(state) || this.troubled)) this.announce(words[state]);
    this.troubled = TROUBLE.includes(state) || (this.troubled && state === "saving");
    if (outboxState === "saved") this.pass(".until-saved");
    this.parts.saved.dataset.state = state;
    this.parts.signIn.hidden = state !== "signed_out";
    return words[state];
  }

  /** @param {{judged, done}} ahead what was done here and is not yet in the server's figures */
  progress(progress, { judged: nJudged, done: nDone }) {
    this.figures = progress;
    this.parts.progress.hidden = !progress.of;
    const position = Math.min(progress.position + nDone, progress.of);
    this.parts.bar.max = progress.of || 1;
    this.parts.bar.value = Math.min(progress.done + nDone, progress.of);
    this.parts.text.textContent = `Batch ${progress.batch} · ${position} of ${progress.of}`;
    this.parts.lastDay.textContent = `${(progress.last_day + nJudged).toLocaleString("en")} in the last 24 hours`;
    const inAll = progress.total === null ? "" : `, ${(progress.total + nJudged).toLocaleString("en")} in all`;
    this.empty.progress.textContent = `${(progress.last_day + nJudged).toLocaleString("en")} judged in the last 24 hours${inAll}`;
  }

  cards() {
    clearInterval(this.countdown);
    this.reason = null;
    this.root.classList.remove("is-empty", "is-loading");
    this.empty.box.hidden = true;
  }

  /** @param {{reason, message, retry_seconds}} why */
  nothing(why) {
    clearInterval(this.countdown);
    this.root.classList.remove("is-loading");
    this.root.classList.add("is-empty");
    const { box, title, text, progress, again } = this.empty;
    const busy = BUSY.includes(why.reason);
    title.textContent = TITLES[why.reason] ?? "Nothing to judge";
    text.textContent = why.message ?? "";
    progress.hidden = busy || !(this.figures?.last_day || this.figures?.total);
    again.hidden = busy;
    const appeared = box.hidden || BUSY.includes(this.reason);
    this.reason = why.reason;
    again.textContent = AGAIN[why.reason] ?? "Look again";
    box.hidden = false;
    if (appeared && !busy) box.focus();
    this.announce(`${title.textContent}. ${text.textContent}`);
    if (why.retry_seconds) this.countDown(why.retry_seconds);
  }

  /** Whether what stands there in place of a card is about to be over. */
  get isPending() {
    return PENDING.includes(this.reason);
  }

  countDown(seconds) {
    let secondsLeft = seconds;
    const tick = () => {
      this.empty.again.textContent = secondsLeft > 0 ? `Look again (${minutes(secondsLeft)})` : "Look again";
      if (secondsLeft-- > 0) return;
      clearInterval(this.countdown);
      this.onAgain();
    };
    tick();
    this.countdown = setInterval(tick, 1000);
  }

  /** What was said for a moment is over. */
  pass(selector = ".is-passing") {
    for (const box of this.root.querySelectorAll(selector)) box.remove();
  }

  /**
   * Something the person must know and that no dialog fits.
   * @param {{passing: boolean, untilSaved: boolean}} lasting until the next thing is done, or until all is saved
   */
  notice(text, { passing = false, untilSaved = false } = {}) {
    this.pass(untilSaved ? ".until-saved" : undefined);
    const box = document.createElement("div");
    box.className = passing ? "notice is-passing" : "notice notice-warn";
    box.classList.toggle("until-saved", untilSaved);
    const words = Object.assign(document.createElement("div"), { textContent: text });
    const close = Object.assign(document.createElement("button"), { type: "button", className: "button button-small", textContent: "Close" });
    close.addEventListener("click", () => box.remove());
    box.append(words, close);
    this.root.querySelector(".messages").append(box);
  }
}
