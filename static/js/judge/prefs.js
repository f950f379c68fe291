// Small choices of one person on one browser: speed, loop, sound, keys.

function name(key) {
  return `assayer.judge.${key}`;
}

export function recall(key, otherwise) {
  try {
    const text = localStorage.getItem(name(key));
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

export function remember(key, value) {
  try {
    localStorage.setItem(name(key), JSON.stringify(value));
  } catch {
    // applied now, not remembered
  }
}

/** Loop, sound and speed of a clip as they were last chosen, which may have been after its card was prepared. */
export function adopt(player) {
  player.loop = recall("loop", true);
  player.media.muted = recall("muted", player.part.kind === "video");
  player.media.playbackRate = recall("speed", 1);
  player.paint();
}

export const stillness = matchMedia("(prefers-reduced-motion: reduce)");
