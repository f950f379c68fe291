// What the controls of a clip show: where it is, how fast, whether it loops and sounds.

function clockTime(seconds) {
  const whole = Math.max(0, Math.floor(seconds || 0));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** @param {{media: HTMLMediaElement, loop: boolean, at: number, length: number}} state seconds from the part's start */
export function paintPlayer(figure, { media, loop, at, length }) {
  const find = (selector) => figure.querySelector(selector);
  const range = find("input[type=range]");
  const share = Math.min(1, Math.max(0, at / length));
  figure.style.setProperty("--played", String(share));
  figure.classList.toggle("is-playing", !media.paused);
  range.value = String(Math.round(share * 1000));
  range.setAttribute("aria-valuetext", `${clockTime(at)} of ${clockTime(length)}`);
  find("[data-time]").textContent = `${clockTime(at)} / ${clockTime(length)}`;
  find("[data-speed]").textContent = `${media.playbackRate}×`;
  find("[data-act=play]").setAttribute("aria-label", media.paused ? "Play" : "Pause");
  find("[data-act=loopToggle]").setAttribute("aria-pressed", String(loop));
  find("[data-act=mute]").setAttribute("aria-pressed", String(media.muted));
}
