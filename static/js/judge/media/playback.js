// How much of a clip was played while a card was on screen, and how often it was begun anew.

const SLOT = 0.1;
// timeupdate comes about four times a second, of a clip at most twice as fast; a longer stride is a jump
const STRIDE = 2;

export class Playback {
  constructor() {
    this.begin();
  }

  begin() {
    this.slots = new Set();
    this.replays = 0;
    this.last = null;
  }

  /** Follow the player's events; what a busy machine plays after the part's end is not of the part. */
  tick(name, media, end) {
    if (name === "playing" || name === "seeked") this.last = media.currentTime;
    else if (name === "timeupdate" && !media.paused && !media.seeking) this.see(Math.min(media.currentTime, end));
  }

  /** The clip is at this second now, playing on from where it was seen last. */
  see(at) {
    const stride = this.last === null ? -1 : at - this.last;
    if (stride >= 0 && stride <= STRIDE) {
      for (let slot = Math.floor(this.last / SLOT); slot < Math.floor(at / SLOT); slot += 1) this.slots.add(slot);
    }
    this.last = at;
  }

  replay() {
    this.replays += 1;
    this.last = null;
  }

  /** Milliseconds of the clip that were played at least once. */
  get played() {
    return Math.round(this.slots.size * SLOT * 1000);
  }
}
