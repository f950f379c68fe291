// An item of a card as elements: <template> pieces filled with textContent only, never markup from data.
import { Player } from "./player.js";
import { Zoom } from "./zoom.js";

function piece(name) {
  return document.getElementById(`tpl-${name}`).content.firstElementChild.cloneNode(true);
}

const BROKEN = { image: "This image did not load.", video: "This video did not load.", audio: "This recording did not load." };

/** Put a plain word in the place of media that failed, with a second try and a way to report it. */
function onBroken(element, built, part, again) {
  const box = piece("broken");
  box.querySelector("[data-what]").textContent = BROKEN[part.kind];
  box.querySelector("[data-retry]").addEventListener("click", () => {
    box.replaceWith(element);
    again();
  });
  built.element.replaceWith(box);
}

function textPart(part) {
  const element = piece("text");
  element.textContent = part.text;
  return { element };
}

function imagePart(part) {
  const element = piece("image");
  const image = element.querySelector("img");
  const built = { element, zoom: new Zoom(element) };
  image.addEventListener("error", () => onBroken(element, built, part, () => (image.src = part.url)));
  image.src = part.url;
  return built;
}

function mediaPart(part) {
  const element = piece(part.kind);
  const player = new Player(element, part);
  const built = { element, player };
  player.media.addEventListener("error", () => onBroken(element, built, part, () => player.media.load()));
  return built;
}

const BUILDERS = { text: textPart, image: imagePart, video: mediaPart, audio: mediaPart };

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

  get player() {
    return this.parts.find((part) => part.player)?.player ?? null;
  }

  get zoom() {
    return this.parts.find((part) => part.zoom)?.zoom ?? null;
  }

  /** Show what the warning covers; true when there was something to show. */
  reveal() {
    if (!this.lift) return false;
    this.lift();
    this.lift = null;
    this.shown();
    return true;
  }

  shown() {
    if (!this.lift) this.player?.shown();
  }

  hidden() {
    for (const { player } of this.parts) player?.media.pause();
  }
}
