// Media that do not load, or that this browser cannot play: what stands in their place, and when they are tried again.
import { piece } from "./pieces.js";

const NOUNS = { image: "image", video: "video", audio: "recording" };
const WAITS = [2, 5, 10, 20, 40, 60]; // seconds from each failure to the next try

/** Whether something of what is shown did not load, after a second try. */
export function isBroken(element) {
  return element.querySelector(".broken:not(.is-trying)") !== null;
}

/** What it is that this browser cannot play of what is on screen; nothing where it can. */
export function unplayed(root) {
  return root.querySelector("[data-unplayable]")?.dataset.unplayable;
}

/** Watches one medium, and puts a box in its place while it cannot be seen or heard. */
export class Faults {
  /**
   * @param {HTMLElement} medium  @param {HTMLElement} figure what shows it
   * @param {{kind: string, again: () => void, sources?: Sources}} parts again makes it load anew
   */
  constructor(medium, figure, { kind, again, sources = null }) {
    Object.assign(this, { medium, figure, again, sources });
    this.words = `This ${NOUNS[kind]} did not load.`;
    this.shown = figure;
    this.nFailures = 0;
    this.box = piece("broken");
    this.box.querySelector("[data-retry]").addEventListener("click", () => this.retry(true));
    if (sources) sources.isOnScreen = () => this.shown.isConnected;
    medium.addEventListener("error", () => this.fail());
    // a card that is being prepared is on no page yet, but the box stands in it all the same
    for (const name of ["load", "loadeddata"]) medium.addEventListener(name, () => this.mend());
  }

  show(element) {
    if (element === this.shown) return;
    this.shown.replaceWith(element);
    this.shown = element;
  }

  say(isTrying) {
    this.box.querySelector("[data-what]").textContent = isTrying ? `${this.words} Trying again…` : this.words;
  }

  async fail() {
    this.nFailures += 1;
    this.isLoading = false;
    if (this.sources?.isDenied) return this.cannotPlay();
    this.show(this.box);
    // it is reported only once it failed again
    this.box.classList.toggle("is-trying", this.nFailures === 1);
    this.say(this.nFailures === 1);
    clearTimeout(this.timer);
    const wait = WAITS[this.nFailures - 1];
    if (wait) this.timer = setTimeout(() => this.retry(), 1000 * wait);
    const isUnplayable = this.nFailures > 1 && (await this.sources?.isGivenInVain());
    if (isUnplayable && this.shown === this.box) this.cannotPlay();
  }

  /** Another try of what failed, by itself or because somebody asked. */
  retry(isAsked = false) {
    if (this.shown !== this.box || (this.isLoading && !isAsked)) return;
    clearTimeout(this.timer);
    this.isLoading = true;
    if (isAsked) this.say(true);
    this.again();
  }

  /** It is there. */
  mend() {
    clearTimeout(this.timer);
    this.nFailures = 0;
    this.isLoading = false;
    this.show(this.figure);
  }

  /** No source of it plays here: that is said, and it can be tried all the same. */
  cannotPlay() {
    clearTimeout(this.timer);
    const box = piece("unplayable");
    const { what, noun } = this.sources;
    box.dataset.unplayable = what || "unknown";
    box.querySelector("[data-what]").textContent = `This browser cannot play this ${noun}${what && ` (${what})`}.`;
    box.querySelector("[data-anyway]").addEventListener("click", () => this.sources.tryAll());
    this.show(box);
  }

  /** Its card is gone. */
  stop() {
    clearTimeout(this.timer);
  }
}
