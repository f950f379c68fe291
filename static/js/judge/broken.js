// Media that do not load: said so, tried again by itself once and by a button after that, and reported with one key.
import { piece } from "./pieces.js";

const WORDS = { image: "This image did not load.", video: "This video did not load.", audio: "This recording did not load." };
const AGAIN_AFTER = 2_000;

/** Watch one medium; `again` makes it load anew. */
export function watchForFaults(media, element, kind, again) {
  const box = piece("broken");
  const words = box.querySelector("[data-what]");
  let tries = 0;
  const retry = () => {
    tries += 1;
    box.classList.add("is-trying");
    words.textContent = `${WORDS[kind]} Trying again…`;
    again();
  };
  media.addEventListener("error", () => {
    element.replaceWith(box);
    if (!tries) {
      box.classList.add("is-trying");
      words.textContent = `${WORDS[kind]} Trying again…`;
      setTimeout(retry, AGAIN_AFTER);
    } else {
      box.classList.remove("is-trying");
      words.textContent = WORDS[kind];
    }
  });
  // a card that is being prepared is on no page yet, but the box stands in it all the same
  for (const name of ["load", "loadeddata"]) media.addEventListener(name, () => box.parentNode && box.replaceWith(element));
  box.querySelector("[data-retry]").addEventListener("click", retry);
}

/** Load anew what did not load. */
export function tryAgain(element) {
  for (const button of element.querySelectorAll(".broken [data-retry]")) button.click();
}

/** Whether something of what is shown did not load, after a second try. */
export function isBroken(element) {
  return element.querySelector(".broken:not(.is-trying)") !== null;
}
