// Frames of clips in lists: each is loaded when it comes into sight, a few at once.
const atOnce = 4;
const LONGEST = 10_000; // that a clip keeps others waiting
const queue = [];
let nLoading = 0;

function next() {
  while (nLoading < atOnce && queue.length) {
    const video = queue.shift();
    if (!video.isConnected) continue;
    nLoading += 1;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      nLoading -= 1;
      next();
    };
    // some browsers load no frame before it is played, and some hosts never answer
    video.addEventListener("loadedmetadata", end, { once: true });
    setTimeout(end, LONGEST);
    // a clip of several sources fails with the last of them
    (video.querySelector("source:last-of-type") ?? video).addEventListener("error", () => {
      // what lies behind is the mark of its kind
      video.hidden = true;
      end();
    }, { once: true });
    video.preload = "metadata";
    video.load();
  }
}

const sight = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      sight.unobserve(target);
      queue.push(target);
    }
    next();
  },
  { rootMargin: "200px" },
);

/** Have the clips in an element show a frame once they are in sight; pictures that do not load give way to the mark of their kind. */
export function showFrames(root) {
  for (const video of root.querySelectorAll("video[data-frame]")) {
    video.removeAttribute("data-frame");
    sight.observe(video);
  }
  for (const image of root.querySelectorAll(".picture > img")) {
    const hide = () => { image.hidden = true; };
    if (image.complete && !image.naturalWidth && image.currentSrc) hide();
    image.addEventListener("error", hide, { once: true });
  }
}

/** The picture that the server says of an item: an image's preview, a frame of a clip, or the mark of its kind. */
export function pictureOf({ kind, url, sources }) {
  const picture = document.createElement("span");
  picture.className = "picture picture-row";
  picture.dataset.kind = kind;
  const mark = document.getElementById(`tpl-mark-${kind}`);
  if (mark) picture.append(mark.content.cloneNode(true));
  if (url) {
    picture.append(Object.assign(new Image(), { src: url, alt: "", loading: "lazy", decoding: "async" }));
  } else if (sources.length) {
    const video = Object.assign(document.createElement("video"), { muted: true, playsInline: true, preload: "none", tabIndex: -1 });
    video.setAttribute("aria-hidden", "true");
    video.dataset.frame = "";
    for (const { url: src, type } of sources) video.append(Object.assign(document.createElement("source"), type ? { src, type } : { src }));
    picture.append(video);
  }
  return picture;
}
