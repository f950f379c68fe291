// A video or sound with our own controls, played within the part's start and end.
import { recall, remember, stillness } from "./prefs.js";

const SPEEDS = [1, 1.5, 2, 0.5];
const FRAME = 1 / 25;

function clockTime(seconds) {
  const whole = Math.max(0, Math.floor(seconds || 0));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export class Player {
  constructor(figure, part) {
    this.figure = figure;
    this.media = figure.querySelector("video, audio");
    this.start = part.start ?? 0;
    this.end = part.end ?? null;
    this.range = figure.querySelector("input[type=range]");
    this.loop = recall("loop", true);
    this.media.muted = recall("muted", part.kind === "video");
    for (const name of ["timeupdate", "play", "pause", "ended", "loadedmetadata", "seeked"]) {
      this.media.addEventListener(name, () => this.tick(name));
    }
    this.range.addEventListener("input", () => this.seekTo(this.start + (this.range.value / 1000) * this.length));
    figure.addEventListener("click", (event) => {
      const act = event.target.closest("[data-act]")?.dataset.act;
      if (act) this[act]();
      else if (event.target === this.media) this.play();
    });
    this.media.src = part.url;
    this.paint();
  }

  get last() {
    return Math.min(this.end ?? Infinity, this.media.duration || Infinity);
  }

  get length() {
    return Number.isFinite(this.last) ? Math.max(0.001, this.last - this.start) : 0.001;
  }

  tick(name) {
    if (name === "loadedmetadata") {
      this.media.playbackRate = recall("speed", 1);
      if (this.start) this.media.currentTime = this.start;
    }
    // near the end of the part counts as its end: timeupdate comes a few times a second only
    const over = name === "ended" || (!this.media.paused && this.media.currentTime >= this.last - 0.01);
    if (over) this.atEnd();
    this.paint();
  }

  atEnd() {
    if (this.loop) {
      this.media.currentTime = this.start;
      this.media.play().catch(() => {});
    } else this.media.pause();
  }

  /** Called when the card is shown. Sound does not start by itself, nor anything for people who asked for stillness. */
  shown() {
    if (this.media.tagName !== "VIDEO" || stillness.matches) return;
    this.media.play().catch(() => {
      // browsers refuse sound before the first key or click; silent is better than still
      this.media.muted = true;
      this.media.play().catch(() => {});
    });
  }

  play() {
    if (!this.media.paused) this.media.pause();
    else {
      if (this.media.currentTime >= this.last - FRAME) this.media.currentTime = this.start;
      this.media.play().catch(() => {});
    }
  }

  seekTo(seconds) {
    this.media.currentTime = Math.min(Math.max(this.start, seconds), Number.isFinite(this.last) ? this.last : seconds);
    this.paint();
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
    this.range.value = String(Math.round((at / this.length) * 1000));
    this.range.setAttribute("aria-valuetext", `${clockTime(at)} of ${clockTime(this.length)}`);
    this.figure.querySelector("[data-time]").textContent = `${clockTime(at)} / ${clockTime(this.length)}`;
    this.figure.querySelector("[data-speed]").textContent = `${this.media.playbackRate}×`;
    this.figure.classList.toggle("is-playing", !this.media.paused);
    this.figure.querySelector("[data-act=play]").setAttribute("aria-label", this.media.paused ? "Play" : "Pause");
    this.figure.querySelector("[data-act=loopToggle]").setAttribute("aria-pressed", String(this.loop));
    this.figure.querySelector("[data-act=mute]").setAttribute("aria-pressed", String(this.media.muted));
  }
}
