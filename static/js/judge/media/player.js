// A video or sound with our own controls, played within the part's start and end.
import { paintPlayer } from "./controls.js";
import { adopt, recall, remember, stillness } from "../prefs.js";
import { Sources } from "./sources.js";
import { Strip } from "./strip.js";
import { Playback } from "./playback.js";
import { drawWave } from "./wave.js";

const SPEEDS = [1, 1.5, 2, 0.5];
const FRAME = 1 / 25;

export class Player {
  constructor(figure, part) {
    this.figure = figure;
    this.part = part;
    this.media = figure.querySelector("video, audio");
    this.playback = new Playback();
    this.strip = part.kind === "video" ? new Strip(figure.querySelector(".strip"), (at) => this.seekTo(at)) : null;
    this.start = part.start ?? 0;
    this.end = part.end ?? null;
    this.range = figure.querySelector("input[type=range]");
    for (const name of ["timeupdate", "play", "playing", "pause", "ended", "loadedmetadata", "seeked", "canplaythrough"]) {
      this.media.addEventListener(name, () => this.tick(name));
    }
    this.range.addEventListener("input", () => this.seekTo(this.start + (this.range.value / 1000) * this.length));
    figure.addEventListener("click", (event) => {
      const act = event.target.closest("[data-act]")?.dataset.act;
      if (act) this[act]();
      else if (event.target === this.media) this.play();
      else if (event.target.closest(".wave")) this.seekInto(event);
    });
    this.sources = new Sources(figure, this.media, part);
    if (this.sources.isPlayable) this.sources.load();
    adopt(this);
  }

  get last() {
    return Math.min(this.end ?? Infinity, this.media.duration || Infinity);
  }

  get length() {
    return Number.isFinite(this.last) ? Math.max(0.001, this.last - this.start) : 0.001;
  }

  tick(name) {
    // what failed says that it ended, though nobody saw or heard the rest
    if (this.media.error) return this.paint();
    if (name === "loadedmetadata") {
      this.media.playbackRate = recall("speed", 1);
      if (this.start) this.media.currentTime = this.start;
    }
    if (name === "canplaythrough") this.prepareStrip();
    this.playback.tick(name, this.media, this.last);
    // near the end of the part counts as its end: timeupdate comes a few times a second only
    const over = name === "ended" || (!this.media.paused && this.media.currentTime >= this.last - 0.01);
    if (over) this.atEnd();
    this.paint();
  }

  atEnd() {
    this.playback.see(this.last);
    if (this.loop) {
      this.playback.replay();
      this.media.currentTime = this.start;
      this.media.play().catch(() => {});
    } else this.media.pause();
  }

  /** Called when the card is shown. Sound does not start by itself, nor anything for people who asked for stillness. */
  onShown() {
    this.isShown = true;
    adopt(this);
    if (this.part.kind === "audio") drawWave(this.figure, { ...this.part, url: this.sources.url });
    if (this.media.readyState === HTMLMediaElement.HAVE_ENOUGH_DATA) this.prepareStrip();
    if (this.media.tagName !== "VIDEO" || stillness.matches) return;
    this.media.play().catch(() => {
      // browsers refuse sound before the first key or click; silent is better than still
      this.media.muted = true;
      this.media.play().catch(() => {});
    });
  }

  onHidden() {
    this.isShown = false;
    this.media.pause();
    this.strip?.stop();
  }

  /** Only for the clip on screen, and only once it has all it needs itself. */
  prepareStrip() {
    if (this.isShown && Number.isFinite(this.last)) this.strip?.begin(this.sources.url, this.start, this.length);
  }

  play() {
    if (!this.media.paused) return this.media.pause();
    this.sources.mend();
    if (this.media.currentTime >= this.last - FRAME) {
      this.playback.replay();
      this.media.currentTime = this.start;
    }
    this.media.play().catch(() => {});
  }

  seekTo(seconds) {
    this.media.currentTime = Math.min(Math.max(this.start, seconds), Number.isFinite(this.last) ? this.last : seconds);
    this.paint();
  }

  /** To where the picture of the sound was clicked, which may be there before the player knows how long the sound is. */
  seekInto(event) {
    const { left: x, width } = event.target.closest(".wave").getBoundingClientRect();
    if (this.media.readyState) this.seekTo(this.start + ((event.clientX - x) / width) * this.length);
    else this.media.addEventListener("loadedmetadata", () => this.seekInto(event), { once: true });
  }

  seek(seconds) {
    this.seekTo(this.media.currentTime + seconds);
  }

  step(frames) {
    this.media.pause();
    this.seek(frames * FRAME);
  }

  speed() {
    const next = SPEEDS[(SPEEDS.indexOf(this.media.playbackRate) + 1) % SPEEDS.length];
    this.media.playbackRate = next;
    remember("speed", next);
    this.paint();
  }

  loopToggle() {
    this.loop = !this.loop;
    remember("loop", this.loop);
    this.paint();
  }

  mute() {
    this.media.muted = !this.media.muted;
    remember("muted", this.media.muted);
    this.paint();
  }

  paint() {
    const at = this.media.currentTime - this.start;
    this.strip?.mark(this.media.currentTime);
    paintPlayer(this.figure, { media: this.media, loop: this.loop, at, length: this.length });
  }
}
