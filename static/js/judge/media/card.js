// An item of a card as elements: <template> pieces filled with textContent only, never markup from data.
import { Faults, isBroken } from "./faults.js";
import { fillFrame } from "../html.js";
import { fromTemplate } from "../templates.js";
import { Player } from "./player.js";
import { veil } from "./veil.js";
import { markWords } from "./words.js";
import { Zoom } from "./zoom.js";

/** When an event comes, be it after many tries. */
function heard(target, name) {
  return new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));
}

function textPart(part) {
  const element = fromTemplate("text");
  element.textContent = part.text;
  return { element, words: part.text, mark: (words) => markWords(element, words) };
}

function htmlPart(part) {
  const element = fromTemplate("html");
  const frame = element.querySelector("iframe");
  const ready = heard(frame, "load");
  fillFrame(frame, part.html);
  return { element, ready, mark: (words) => fillFrame(frame, part.html, words && ((body) => markWords(body, words))) };
}

function imagePart(part, isAhead) {
  const element = fromTemplate("image");
  const image = element.querySelector("img");
  const again = () => {
    // Safari asks for nothing when an address is set that is there already
    image.removeAttribute("src");
    image.src = part.url;
  };
  const faults = new Faults(image, element, { kind: part.kind, url: part.url, again });
  // a picture that came is not there before it is decoded
  const ready = heard(image, "load").then(() => image.decode().catch(() => {}));
  // there is no beginning of a picture to load alone
  if (!isAhead || typeof part.n_bytes === "number") image.src = part.url;
  return { element, ready, faults, load: () => image.hasAttribute("src") || again(), zoom: new Zoom(element) };
}

/** What cannot be seen or heard is never shown, so that the levels sleep. Ahead of its card, one of unknown size loads its beginning alone. */
function mediaPart(part, isAhead) {
  const figure = fromTemplate(part.kind);
  if (isAhead && typeof part.n_bytes !== "number") figure.querySelector("video, audio").preload = "metadata";
  const player = new Player(figure, part);
  const { media, sources } = player;
  const ready = heard(media, part.kind === "video" ? "loadeddata" : "loadedmetadata");
  const faults = new Faults(media, figure, { kind: part.kind, url: part.url, again: () => sources.load(), sources });
  if (!sources.isPlayable) faults.cannotPlay();
  // shown as something else before
  media.addEventListener("loadeddata", () => sources.isForced && !player.isShown && player.onShown());
  return { element: faults.view, ready, faults, load: () => (media.preload = "auto"), player };
}

const BUILDERS = { text: textPart, html: htmlPart, image: imagePart, video: mediaPart, audio: mediaPart };

/** One item, ready to be put on the page; its media begin to load now, which is how the next card is preloaded. */
export class ItemView {
  constructor(item, { isAhead = false } = {}) {
    this.item = item;
    this.element = fromTemplate("item");
    const body = this.element.querySelector(".item-body");
    this.parts = item.parts.filter((part) => BUILDERS[part.kind]).map((part) => BUILDERS[part.kind](part, isAhead));
    body.append(...this.parts.map((part) => part.element));
    if (!this.parts.length) {
      const label = fromTemplate("label");
      label.querySelector("[data-label]").textContent = item.label;
      body.append(label);
    }
    this.lift = item.warning ? veil(item, this.element) : null;
    this.element.querySelector("[data-reveal]")?.addEventListener("click", () => this.reveal());
  }

  get hasMedia() {
    return this.item.parts.some((part) => part.kind === "image" || part.kind === "video");
  }

  /** What keys play; nothing while a warning covers it. */
  get player() {
    return this.uncovered.find((part) => part.player?.sources.isPlayable)?.player ?? null;
  }

  get zoom() {
    return this.uncovered.find((part) => part.zoom)?.zoom ?? null;
  }

  get uncovered() {
    return this.lift ? [] : this.parts;
  }

  /** When its media are there to be seen and heard; of what a warning covers the warning is seen. */
  get ready() {
    return Promise.all(this.uncovered.map((part) => part.ready));
  }

  get isBroken() {
    return isBroken(this.element);
  }

  /** The words of its texts, in one line. */
  get words() {
    return this.parts.map((part) => part.words ?? "").join(" ");
  }

  mark(words) {
    for (const part of this.parts) part.mark?.(words);
  }

  /** Show what the warning covers; true when there was something to show. */
  reveal() {
    if (!this.lift) return false;
    this.lift();
    this.lift = null;
    this.onShown();
    this.element.dispatchEvent(new CustomEvent("revealed", { bubbles: true }));
    return true;
  }

  /** It is shown now, whatever it held back before. */
  loadWhole() {
    for (const { load } of this.parts) load?.();
  }

  onShown() {
    this.player?.onShown();
  }

  onHidden() {
    for (const { player } of this.parts) player?.onHidden();
  }

  /** It is not shown again. */
  drop() {
    this.onHidden();
    for (const { faults } of this.parts) faults?.stop();
  }

  /** Load anew what did not load, and wait for what is on its way. */
  tryAgain() {
    for (const { faults, player } of this.parts) {
      faults?.retry();
      player?.sources.hasPicture();
      player?.sources.wait();
    }
  }
}
