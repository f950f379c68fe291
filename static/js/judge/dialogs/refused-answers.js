// What the server refused for good: kept in this browser and shown, until the person says what becomes of it.
import { fromTemplate } from "../templates.js";

export class RefusedAnswers {
  /** @param {{store, outbox, levels, root, announce: (text: string) => void, onSentAgain: (entry) => void}} parts */
  constructor(parts) {
    Object.assign(this, parts);
    this.box = null;
  }

  /** Show what is kept; nothing where nothing is. */
  show() {
    this.box?.remove();
    const entries = this.store.aside();
    if (!entries.length) return;
    this.box = fromTemplate("aside");
    this.box.querySelector("[data-n]").textContent = entries.length === 1 ? "1 answer was" : `${entries.length} answers were`;
    this.box.querySelector("ul").replaceChildren(...entries.map(([, entry]) => this.line(entry)));
    this.box.querySelector("[data-again]").addEventListener("click", () => this.sendAgain());
    this.box.querySelector("[data-away]").addEventListener("click", () => this.throwAway());
    this.root.querySelector(".messages").append(this.box);
    this.announce(this.box.textContent);
  }

  line({ kind, body, reason }) {
    const level = this.levels.find((other) => other.grade === body.grade)?.name ?? `Grade ${body.grade}`;
    const label = kind === "answer" ? level : "A report";
    const words = body.comment || body.note;
    return Object.assign(document.createElement("li"), { textContent: `${label}${words ? ` (“${words}”)` : ""}: ${reason}` });
  }

  sendAgain() {
    for (const [key, entry] of this.store.aside()) {
      this.store.takeUp(key, entry);
      this.onSentAgain(entry);
    }
    this.box.remove();
    this.outbox.flush();
  }

  throwAway() {
    for (const [key] of this.store.aside()) this.store.remove(key);
    this.box.remove();
    this.outbox.show();
  }
}
