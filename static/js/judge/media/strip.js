// A few frames of a clip side by side, drawn by the browser from a second, silent copy of it. Where it cannot, there is
// no strip: nothing waits for it.

const MOST = 8;
const SECONDS_A_FRAME = 0.25;
const HEIGHT = 96;
const PATIENCE = 8_000;
const PATIENCE_WITH_A_FRAME = 500; // once what was sought is there

function once(target, name) {
  return new Promise((resolve, reject) => {
    target.addEventListener(name, resolve, { once: true });
    target.addEventListener("error", reject, { once: true });
    setTimeout(reject, PATIENCE, new Error(`no ${name}`));
  });
}

/* eslint-disable assayer/floor -- Firefox draws what is there */
// The next frame that a clip puts up. A seek may be over a moment before its frame is there, and then nothing is drawn.
function nextFrame(video) {
  return new Promise((resolve) => {
    if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(resolve);
    else video.addEventListener("seeked", () => requestAnimationFrame(() => requestAnimationFrame(resolve)), { once: true });
  });
}

/** Wait for a frame, though not for long: some browsers put up none where nothing changes. */
function awaited(frame) {
  return Promise.race([frame, new Promise((resolve) => setTimeout(resolve, PATIENCE_WITH_A_FRAME))]);
}
/* eslint-enable assayer/floor */

/** When the page can be seen: until then no frame is put up. */
function inSight() {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
}

function draw(video) {
  const canvas = document.createElement("canvas");
  canvas.height = HEIGHT;
  canvas.width = Math.round((HEIGHT * video.videoWidth) / video.videoHeight);
  canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
  return canvas;
}

export class Strip {
  /** @param {(seconds: number) => void} onSeek a frame was clicked */
  constructor(box, onSeek) {
    this.box = box;
    this.copy = null;
    this.isBegun = false;
    box.addEventListener("click", (event) => {
      const at = event.target.closest("canvas")?.dataset.at;
      if (at) onSeek(Number(at));
    });
  }

  /** Draw the frames of a stretch, once the machine has nothing better to do. */
  begin(url, start, length) {
    const n = Math.min(MOST, Math.floor(length / SECONDS_A_FRAME));
    if (this.isBegun || n < 2) return;
    this.isBegun = true;
    // eslint-disable-next-line assayer/floor, compat/compat -- Safari draws them a moment later
    const idle = window.requestIdleCallback ?? setTimeout;
    this.copy = Object.assign(document.createElement("video"), { muted: true, playsInline: true, preload: "auto" });
    idle(() => this.fill(url, start, length, n));
  }

  async fill(url, start, length, n) {
    const { copy } = this;
    if (!copy) return;
    try {
      const first = nextFrame(copy);
      copy.src = url;
      // phones load nothing of a clip before it plays; one that may not play has no strip there
      copy.play().catch(() => {});
      await once(copy, "loadeddata");
      await awaited(first);
      copy.pause();
      for (let index = 0; index < n && this.copy && copy.seekable.length; index += 1) {
        const at = start + (length * (index + 0.5)) / n;
        await inSight();
        const frame = nextFrame(copy);
        copy.currentTime = at;
        await once(copy, "seeked");
        await awaited(frame);
        const canvas = draw(copy);
        canvas.dataset.at = String(start + (length * index) / n);
        this.box.append(canvas);
      }
    } catch {
      // a clip that cannot be sought has no strip
    }
    this.stop();
  }

  /** Mark the frame that plays. */
  mark(at) {
    const frames = [...this.box.children];
    const now = frames.findLast((frame) => Number(frame.dataset.at) <= at + 0.001);
    for (const frame of frames) frame.classList.toggle("is-now", frame === now);
  }

  /** Let go of the copy, and of what it still loads. */
  stop() {
    this.copy?.removeAttribute("src");
    this.copy?.load();
    this.copy = null;
  }
}
