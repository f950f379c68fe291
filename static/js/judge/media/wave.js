// A recording as a picture of its loudness, for files that are small enough to be decoded at once.

const LARGEST = 4 * 1024 * 1024;
const BARS = 160;
// ample for loudness, and a fifth of the memory of the sound itself
const RATE = 8_000;

async function bytes(url) {
  const address = new URL(url, location.href);
  if (address.origin !== location.origin || !window.OfflineAudioContext) return null;
  // where the files lie in another store only the player may follow
  const response = await fetch(address, { credentials: "same-origin", redirect: "error" });
  const size = Number(response.headers.get("Content-Length"));
  if (response.ok && size && size <= LARGEST) return response.arrayBuffer();
  await response.body?.cancel();
  return null;
}

function loudness(sound, start, end) {
  const samples = sound.getChannelData(0);
  const first = Math.floor(start * sound.sampleRate);
  const last = Math.min(samples.length, Math.ceil((end ?? sound.duration) * sound.sampleRate));
  const width = Math.max(1, (last - first) / BARS);
  return Array.from({ length: BARS }, (_, bar) => {
    let peak = 0;
    for (let at = Math.floor(first + bar * width); at < Math.min(last, first + (bar + 1) * width); at += 1) {
      peak = Math.max(peak, Math.abs(samples[at]));
    }
    return peak;
  });
}

/** The outline, around the middle of a box BARS wide and 100 high; quiet recordings are stretched to fill it. */
function outline(peaks) {
  const loudest = Math.max(...peaks, 0.01);
  return peaks.map((peak, bar) => `M${bar + 0.5} ${50 - 48 * (peak / loudest)}V${50.5 + 48 * (peak / loudest)}`).join("");
}

/** Draw the recording into the figure's picture. Without one, the player is plain. */
export async function drawWave(figure, { url, start, end }) {
  try {
    const data = await bytes(url);
    if (!data) return;
    const sound = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(data);
    const picture = figure.querySelector(".wave");
    for (const path of picture.querySelectorAll("path")) path.setAttribute("d", outline(loudness(sound, start ?? 0, end)));
    picture.classList.add("is-drawn");
  } catch {
    // a format the browser plays but does not decode, or a network that failed: the player is plain
  }
}
