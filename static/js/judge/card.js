// An item of a card as elements: <template> pieces filled with textContent only, never markup from data.
import { isBroken, watchForFaults } from "./broken.js";
import { fillFrame } from "./html.js";
import { piece } from "./pieces.js";
import { Player } from "./player.js";
import { unplayable } from "./sources.js";
import { markWords } from "./words.js";
import { Zoom } from "./zoom.js";


/** When an event comes, be it after many tries. */
function heard(target, name) {
  return new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));
}

function textPart(part) {
  const element = piece("text");
  element.textContent = part.text;
  return { element, words: part.text, mark: (words) => markWords(element, words) };
}

function htmlPart(part) {
  const element = piece("html");
  const frame = element.querySelector("iframe");
  const shown = heard(frame, "load");
  fillFrame(frame, part.html);
  return { element, shown, mark: (words) => fillFrame(frame, part.html, words && ((body) => markWords(body, words))) };
}

function imagePart(part) {
  const element = piece("image");
  const image = element.querySelector("img");
  watchForFaults(image, element, part.kind, () => {
    // Safari asks for nothing when an address is set that is there already
    image.removeAttribute("src");
    image.src = part.url;
  });
  // a picture that came is not there before it is decoded
  const shown = heard(image, "load").then(() => image.decode().catch(() => {}));
  image.src = part.url;
  return { element, shown, zoom: new Zoom(element) };
}

function mediaPart(part) {
  const instead = unplayable(part);
  if (instead) return instead;
  const element = piece(part.kind);
  const player = new Player(element, part);
  const shown = heard(player.media, part.kind === "video" ? "loadeddata" : "loadedmetadata");
  watchForFaults(player.media, element, part.kind, () => player.sources.load());
  return { element, shown, player };
}

const BUILDERS = { text: textPart, html: htmlPart, image: imagePart, video: mediaPart, audio: mediaPart };

function veil(item, element) {
  const cover = piece("veil");
  const body = element.querySelector(".item-body");
  cover.querySelector("[data-warning]").textContent = item.warning;
  element.classList.add("is-veiled");
  body.inert = true;
  element.append(cover);
  return () => {
    cover.remove();
    body.inert = false;
    element.classList.remove("is-veiled");
  };
}

/** One item, ready to be put on the page; its media begin to load now, which is how the next card is preloaded. */
export class ItemView {
  constructor(item) {
    this.item = item;
    this.element = piece("item");
    const body = this.element.querySelector(".item-body");
    this.parts = item.parts.filter((part) => BUILDERS[part.kind]).map((part) => BUILDERS[part.kind](part));
    body.append(...this.parts.map((part) => part.element));
    if (!this.parts.length) {
      const label = piece("label");
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
    return this.uncovered.find((part) => part.player)?.player ?? null;
  }

  get zoom() {
    return this.uncovered.find((part) => part.zoom)?.zoom ?? null;
  }

  get uncovered() {
    return this.lift ? [] : this.parts;
  }

  /** When its media are there to be seen and heard; of what a warning covers the warning is seen. */
  get ready() {
    return Promise.all(this.uncovered.map((part) => part.shown));
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
    this.shown();
    this.element.dispatchEvent(new CustomEvent("revealed", { bubbles: true }));
    return true;
  }

  shown() {
    this.player?.shown();
  }

  hidden() {
    for (const { player } of this.parts) player?.hidden();
  }
}
