// What was done last, once it is stored, and how it is taken back; on a card that came back, what was said of it before.

/** A level with its reasons, as a person reads them: Somewhat (colour, size). */
function levelWords(levels, { grade, reasons }) {
  const name = levels.find((level) => level.grade === grade)?.name ?? `Grade ${grade}`;
  // a reason with more to say is stored as "does not match/colour"
  return reasons.length ? `${name} (${reasons.map((reason) => reason.replace("/", ": ")).join(", ")})` : name;
}

export class Echo {
  /**
   * @param {Element} root the judge screen
   * @param {(text: string) => void} announce to screen readers. The line itself is not live: it would be read as "Saving…" too
   */
  constructor(root, levels, announce) {
    this.box = root.querySelector("#echo");
    this.text = root.querySelector("#echo-text");
    // what it recalls, if it recalls something
    this.earlierWords = "";
    Object.assign(this, { levels, announce });
  }

  /** An act of this tab is on its way. */
  begin({ body }, words) {
    this.submission = body.submission_id;
    this.isAnswer = body.grade !== undefined;
    this.words = this.isAnswer ? `Saved: ${levelWords(this.levels, body)}.` : words;
    this.isChange = body.is_change;
  }

  /** What the corner says of all that waits holds for the last act too, until it is acknowledged. */
  follow(words) {
    if (this.submission) this.show(words);
  }

  /** The server has it: only now it is called saved. */
  acknowledged({ body }) {
    if (body.submission_id !== this.submission) return;
    this.submission = null;
    this.show(this.words, "done");
    // a report and a change are announced as they are given
    if (this.isAnswer && !this.isChange) this.announce(this.words);
  }

  /** @param {{grade, reasons}} earlier what was said of the card on screen before it was taken back, if it was */
  recall(earlier) {
    if (earlier) {
      this.submission = null;
      this.earlierWords = `You had said: ${levelWords(this.levels, earlier)}.`;
      this.show(`Taken back. ${this.earlierWords}`, "earlier");
    } else if (this.box.dataset.state === "earlier") this.clear();
  }

  /** It was refused, which is told elsewhere. */
  drop({ body }) {
    if (body.submission_id === this.submission) this.clear();
  }

  /** What it told of was taken back. */
  clear() {
    this.submission = null;
    this.show("");
  }

  show(words, state = "") {
    if (state !== "earlier") this.earlierWords = "";
    this.text.textContent = words;
    this.box.dataset.state = state;
  }
}
