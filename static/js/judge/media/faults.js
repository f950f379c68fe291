// Media that do not load, or that this browser cannot play: what stands in their place, and when they are tried again.
import { fateOf } from "./files.js";
import { fromTemplate } from "../templates.js";

export const NOUNS = { image: "image", video: "clip", audio: "recording" };
const WAITS = [2, 5, 10, 20, 40, 60]; // seconds from each failure to the next try

/** Whether something of what is shown did not load, after a second try, or plays in no browser. */
export function isBroken(element) {
  return element.querySelector(".broken:not(.is-trying), .unplayable:not([data-unplayable])") !== null;
}

/** What it is that this browser cannot play of what is on screen; nothing where it can. */
export function unplayed(root) {
  return root.querySelector("[data-unplayable]")?.dataset.unplayable;
}

/** Watches one medium, and puts a box in its place while it cannot be seen or heard. */
export class Faults {
  /**
   * @param {HTMLElement} medium  @param {HTMLElement} figure what shows it
   * @param {{kind: string, url: string, again: () => void, sources?: Sources}} parts again makes it load anew
   */
  constructor(medium, figure, { kind, url, again, sources = null }) {
    Object.assign(this, { medium, figure, url, again, sources });
    this.words = `This ${NOUNS[kind]} did not load.`;
    this.view = figure;
    this.nFailures = 0;
    this.box = fromTemplate("broken");
    this.box.querySelector("[data-retry]").addEventListener("click", () => this.retry(true));
    if (sources) {
      sources.isOnScreen = () => this.view.isConnected;
      // it may play: its figure has the button for that
      sources.onIdle = () => sources.isPlayable && this.mend();
    }
    medium.addEventListener("error", () => this.fail());
    // a card that is being prepared is on no page yet, but the box stands in it all the same
    for (const name of ["load", "loadeddata"]) medium.addEventListener(name, () => this.mend());
  }

  show(element) {
    if (element === this.view) return;
    this.view.replaceWith(element);
    this.view = element;
  }

  say(isTrying) {
    this.box.querySelector("[data-what]").textContent = isTrying ? `${this.words} Trying again…` : this.words;
  }

  async fail() {
    if (this.isGone) return;
    this.nFailures += 1;
    this.isLoading = false;
    if (this.sources?.isDenied) return this.cannotPlay();
    clearTimeout(this.timer);
    const wait = WAITS[this.nFailures - 1];
    if (wait) this.timer = setTimeout(() => this.retry(), 1000 * wait);
    if (this.isDoubted) return;
    this.show(this.box);
    // it is reported only once it failed again
    this.box.classList.toggle("is-trying", this.nFailures === 1);
    this.say(this.nFailures === 1);
    this.box.querySelector("[data-then]").hidden = !wait || this.nFailures === 1;
    if (this.nFailures > 1 && this.sources?.isRefused) await this.doubt();
  }

  /** Whether it is said that it cannot be played, though the browser did not deny it: it is tried again all the same. */
  get isDoubted() {
    return this.view !== this.figure && this.view !== this.box;
  }

  /** What the server gives before and after the browser refuses it once more cannot be played. */
  async doubt() {
    const before = this.wasGiven;
    this.wasGiven = await this.sources.areGiven();
    if (!this.wasGiven || this.isGone || this.view === this.figure) return;
    if (before) this.cannotPlay();
    else this.retry();
  }

  /** Another try of what failed, by itself or because somebody asked. */
  retry(isAsked = false) {
    if (this.isGone || this.view === this.figure || this.sources?.isDenied || (this.isLoading && !isAsked)) return;
    clearTimeout(this.timer);
    this.isLoading = true;
    if (isAsked) this.say(true);
    this.again();
  }

  /** It is there. */
  mend() {
    clearTimeout(this.timer);
    this.nFailures = 0;
    this.wasGiven = false;
    this.isLoading = false;
    this.show(this.figure);
  }

  /** No source of it plays here: that is said, and it can be tried all the same, once. */
  cannotPlay() {
    const { sources } = this;
    if (sources.isDenied) clearTimeout(this.timer);
    const box = fromTemplate("unplayable");
    box.querySelector("[data-what]").textContent = sources.words;
    if (!sources.isHopeless) box.dataset.unplayable = sources.part.sources[0].what || "unknown";
    for (const words of box.querySelectorAll("[data-others], [data-lead]")) words.hidden = "lead" in words.dataset !== sources.isHopeless;
    const anyway = box.querySelector("[data-anyway]");
    anyway.hidden = sources.isForced;
    anyway.addEventListener("click", () => sources.tryAll());
    this.show(box);
  }

  /** Whether it failed since its server cannot give it at the moment. */
  async isAway() {
    if (this.view !== this.box) return false;
    const urls = this.sources?.list.map(({ url }) => url) ?? [this.url];
    return (await Promise.all(urls.map(fateOf))).includes("away");
  }

  /** Its card is gone: nothing more of it is loaded. */
  stop() {
    this.isGone = true;
    clearTimeout(this.timer);
    this.sources?.stop();
    this.medium.removeAttribute("src");
    this.medium.load?.();
  }
}
