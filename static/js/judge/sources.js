// A clip's or recording's sources: those that this browser may play, one after the other, and what is said where it plays none.
import { piece } from "./pieces.js";

const NOUNS = { video: "clip", audio: "recording" };

/** A browser says "" of a type that it does not play; what nobody knows the type of is tried. */
function playable({ kind, sources }) {
  const media = document.createElement(kind);
  return sources.filter(({ type }) => !type || media.canPlayType(type) !== "");
}

/** The box that stands in place of a medium of which no source plays here; nothing where one may. */
export function unplayable(part) {
  if (playable(part).length) return null;
  const element = piece("unplayable");
  const { what } = part.sources[0];
  element.dataset.unplayable = what || "unknown";
  element.querySelector("[data-what]").textContent = `This browser cannot play this ${NOUNS[part.kind]}${what && ` (${what})`}.`;
  // what cannot be seen is never shown, so that the levels sleep
  return { element, shown: new Promise(() => {}) };
}

/** What it is that this browser cannot play of what is on screen; nothing where it can. */
export function unplayed(root) {
  return root.querySelector("[data-unplayable]")?.dataset.unplayable;
}

export class Sources {
  constructor(figure, media, part) {
    Object.assign(this, { media, part });
    this.trouble = figure.querySelector("[data-trouble]");
    this.list = playable(part);
    // before others hear of it: what is tried next, or was loaded already, is no failed load
    media.addEventListener("error", (event) => this.isMended() && event.stopImmediatePropagation());
  }

  get url() {
    return this.list[this.at].url;
  }

  /** Begin anew with the first, or with another one. */
  load(at = 0) {
    this.at = at;
    this.media.removeAttribute("src");
    // with a moment to show, browsers paint that picture before anything plays
    this.media.src = `${this.url}#t=${this.part.start || 0.001}`;
  }

  /** Before it is played: another try, where what was here did not play. */
  mend() {
    this.trouble.hidden = true;
    if (this.media.error) this.media.load();
  }

  /** Whether a fault is no failed load. */
  isMended() {
    const { error, readyState } = this.media;
    // Firefox without a sound device: the recording is there, and ends as soon as it begins
    const wasLoaded = readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && error?.code === MediaError.MEDIA_ERR_DECODE;
    if (wasLoaded) this.trouble.hidden = false;
    else if (this.at + 1 < this.list.length) this.load(this.at + 1);
    else return false;
    return true;
  }
}
