// A clip's or recording's sources: those that this browser may play, one after the other.
import { NOUNS } from "./faults.js";
import { fateOf } from "./files.js";

const PATIENCE = 20_000; // without a byte, before a source is given up
const GRACE = 3_000; // on screen with sound and no picture, before that counts as none

export class Sources {
  constructor(figure, media, part) {
    Object.assign(this, { media, part });
    this.trouble = figure.querySelector("[data-trouble]");
    this.list = part.sources.filter((source) => this.certainty(source) !== "");
    this.isForced = false;
    this.blanks = new Set();
    // before others hear of it: what is tried next, or was loaded already, is no failed load
    media.addEventListener("error", (event) => this.isMended() && event.stopImmediatePropagation());
    media.addEventListener("loadeddata", (event) => {
      this.wait();
      if (this.isBlank) event.stopImmediatePropagation();
    });
    media.addEventListener("resize", () => this.hasPicture());
    for (const name of ["progress", "loadedmetadata"]) media.addEventListener(name, () => this.isLoaded || this.wait());
  }

  get noun() {
    return NOUNS[this.part.kind];
  }

  /** Whether there is any that this browser may play. */
  get isPlayable() {
    return this.list.length > 0;
  }

  get url() {
    return this.list[this.at].url;
  }

  /** What the browser says of a type: "" where it does not play it; of a type that nobody knows, that it may. */
  certainty({ type }) {
    return type ? this.media.canPlayType(type) : "maybe";
  }

  /** Begin anew with the first, or with another one. */
  load(at = 0) {
    this.at = at;
    this.media.removeAttribute("src");
    // with a moment to show, browsers paint that picture before anything plays
    this.media.src = `${this.url}#t=${this.part.start || 0.001}`;
    this.wait();
  }

  /** Whatever the browser says of the types. */
  tryAll() {
    this.list = this.part.sources;
    this.isForced = true;
    this.load();
  }

  /** Before it is played: another try, where what was here did not play. */
  mend() {
    this.trouble.hidden = true;
    if (this.media.error) this.media.load();
  }

  get isLoaded() {
    const { HAVE_METADATA, HAVE_CURRENT_DATA } = HTMLMediaElement;
    return this.media.readyState >= (this.part.kind === "audio" ? HAVE_METADATA : HAVE_CURRENT_DATA);
  }

  /** A clip without a picture: WebKit may know of the picture a moment later, else the browser plays the sound alone. */
  get isBlank() {
    return this.part.kind === "video" && !this.media.videoWidth;
  }

  /** The picture is known: what was kept back is told now. */
  hasPicture() {
    if (this.isBlank || !this.isLoaded) return;
    this.blanks.delete(this.at);
    this.media.dispatchEvent(new Event("loadeddata"));
  }

  /** Let a source fail of which nothing comes, neither data nor an error, or no picture. */
  wait() {
    clearTimeout(this.timer);
    if (!this.isLoaded || this.isBlank) this.timer = setTimeout(() => this.giveUp(), this.isLoaded ? GRACE : PATIENCE);
  }

  stop() {
    clearTimeout(this.timer);
  }

  giveUp() {
    if (document.hidden) return this.wait();
    // a browser that loads nothing before it plays, as on phones, waits for somebody to play it; and a card that is
    // prepared may wait behind the one on screen
    const isLoading = this.media.networkState === HTMLMediaElement.NETWORK_LOADING;
    if (!this.isOnScreen() || this.media.error) return;
    if (!isLoading && !this.isLoaded) return this.onIdle();
    if (!this.isBlank && this.isLoaded) return this.hasPicture();
    if (this.isLoaded) this.blanks.add(this.at);
    this.media.dispatchEvent(new Event("error"));
  }

  /** Whether a fault is no failed load. */
  isMended() {
    clearTimeout(this.timer);
    // Firefox without a sound device: the recording is there, and ends as soon as it begins
    const { error, readyState } = this.media;
    const wasLoaded = readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && error?.code === MediaError.MEDIA_ERR_DECODE;
    if (wasLoaded) this.trouble.hidden = false;
    else if (this.at + 1 < this.list.length) this.load(this.at + 1);
    else return false;
    return true;
  }

  /** After all sources failed: whether that is this browser's doing, which denied them or shows no picture of them. */
  get isDenied() {
    return (this.isForced && this.isRefused) || this.blanks.size === this.list.length;
  }

  /** Whether no browser would do better: none of the files could be read, or is of a type that plays anywhere. */
  get isHopeless() {
    return this.part.sources.every(({ defect }) => defect);
  }

  /** Whether the browser itself refused what came last: an outage may look so, nothing that came at all does not. */
  get isRefused() {
    const { MEDIA_ERR_DECODE, MEDIA_ERR_SRC_NOT_SUPPORTED } = MediaError;
    return [MEDIA_ERR_DECODE, MEDIA_ERR_SRC_NOT_SUPPORTED].includes(this.media.error?.code);
  }

  /** Whether the server gives one that the browser was not sure of. Of other servers nobody knows what they give. */
  async areGiven() {
    const unsure = this.list.filter((source) => this.certainty(source) === "maybe");
    const fates = await Promise.all(unsure.map(({ url }) => fateOf(url)));
    return fates.includes("given");
  }

  /** Why it does not play, in a sentence. */
  get words() {
    const { what: format, defect } = this.part.sources[0];
    const kind = format && ` (${format})`;
    if (!this.isHopeless) return `${this.isForced ? "Tried: this" : "This"} browser cannot play this ${this.noun}${kind}.`;
    return defect === "unread" ? `This file could not be read as a ${this.noun}.` : `This ${this.noun} plays in no browser${kind}.`;
  }
}
