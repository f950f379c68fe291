// One try: a pair, an answer, what is right, the next pair.
import { Refused, SignedOut, post } from "../judge/sending/api.js";
import { Clock } from "../judge/deck/clock.js";
import { telemetry } from "../judge/deck/telemetry.js";
import { newId } from "../judge/sending/ids.js";

const RETRY = 3_000;

export class Lesson {
  constructor({ urls, stage, panel, feedback }) {
    Object.assign(this, { urls, stage, panel, feedback });
    this.root = stage.root;
    this.clock = new Clock(() => stage.plays);
    this.saved = document.getElementById("saved");
    this.live = document.getElementById("live");
    this.card = null;
    this.coming = null;
    this.busy = false;
  }

  begin() {
    return this.send("next", {}).then((data) => this.show(data));
  }

  /** The next card, or the page that says how the try ended. */
  show(data) {
    if (!data) return;
    this.feedback.hide();
    [this.card] = data.cards;
    if (!this.card) {
      location.assign(data.done_url);
      return;
    }
    this.root.classList.remove("is-loading");
    this.panel.asksReasons = this.card.ask_reasons;
    this.panel.reset();
    const { newQuery } = this.stage.show(this.card);
    this.stage.prepare(data.cards.slice(1));
    this.progress(this.card.position - 1);
    this.clock.start();
    this.stage.focus();
    this.live.textContent = newQuery ? "New query." : "";
  }

  progress(nDone) {
    document.getElementById("progress").hidden = false;
    const bar = document.getElementById("progress-bar");
    bar.max = this.card.of;
    bar.value = nDone;
    document.getElementById("progress-text").textContent = `${this.card.position} of ${this.card.of}`;
  }

  async answer({ grade, reasons, changes }) {
    if (!this.card || this.busy || this.feedback.isShown) return;
    const data = await this.send("answer", {
      submission_id: newId(), hand_out: this.card.hand_out, grade, reasons, ...telemetry({ ...this, changes }),
      guidelines: Number(this.urls.guidelines),
    });
    if (!data) return;
    this.coming = data;
    this.panel.reasons.close();
    this.progress(this.card.position);
    this.feedback.show(data.feedback, !data.cards.length);
  }

  async leaveOut({ reason, note }) {
    if (!this.card || this.busy || this.feedback.isShown) return;
    const kind = "cannot_judge";
    this.show(await this.send("report", { submission_id: newId(), hand_out: this.card.hand_out, kind, reason, note }));
  }

  next() {
    if (!this.feedback.isShown) return false;
    this.show(this.coming);
    return true;
  }

  /** Sent until the server has it: the same submission again changes nothing. Undefined where it said no. */
  async send(kind, body) {
    this.busy = true;
    this.root.classList.add("is-sent");
    this.say("saving", "Saving…");
    try {
      for (;;) {
        try {
          const data = await post(this.urls[`${kind}Url`], body, this.urls);
          this.say("saved", "Saved");
          return data;
        } catch (error) {
          if (error instanceof Refused) return this.refused(error.message);
          if (error instanceof SignedOut) this.say("signed_out", "Signed out: sign in in another tab");
          else this.say("waiting", "Not saved - will retry");
          await new Promise((resume) => setTimeout(resume, RETRY));
        }
      }
    } finally {
      this.busy = false;
      this.root.classList.remove("is-sent");
    }
  }

  say(state, words) {
    if (this.saved.dataset.state !== state && state !== "saving" && state !== "saved") this.live.textContent = words;
    this.saved.dataset.state = state;
    this.saved.textContent = words;
  }

  refused(message) {
    this.say("waiting", message);
    this.panel.reset();
  }
}
