// A sheet of pictures: arrows move from one to another, Enter or a click enlarges it, Esc closes it again. Enlarged, buttons turn to others.
// Each is a link to the page of its pair, which stays one for other windows and where scripts are off, and is a button otherwise.
const sheet = document.querySelector("[data-sheet]");
const dialog = document.getElementById("enlarged");
const content = dialog.querySelector("[data-content]");
const buttons = [...sheet.querySelectorAll("[data-open]")];
const turns = [...dialog.querySelectorAll("[data-turn]")];
let index = 0;
for (const button of buttons) button.setAttribute("role", "button");

function isModified({ ctrlKey, metaKey, altKey, shiftKey }) {
  return ctrlKey || metaKey || altKey || shiftKey;
}

function enlarge(position) {
  index = position;
  const { content: pair } = buttons[index].closest("li").querySelector("template");
  content.replaceChildren(pair.cloneNode(true));
  for (const medium of content.querySelectorAll("video, audio")) medium.preload = "auto";
  dialog.setAttribute("aria-label", content.querySelector("h2").textContent);
  // a button that is disabled would lose the focus, and the arrows with it
  for (const turn of turns) turn.setAttribute("aria-disabled", String(!buttons[index + Number(turn.dataset.turn)]));
  if (!dialog.open) dialog.showModal();
}

/** How far the arrow leads: up and down by a row of the sheet as it stands. */
function step(key) {
  const top = buttons[0].offsetTop;
  const nColumns = buttons.findIndex((button) => button.offsetTop > top);
  const width = nColumns < 0 ? buttons.length : nColumns;
  return { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -width, ArrowDown: width }[key];
}

function onKey(event) {
  if (isModified(event) || event.isComposing) return;
  const distance = step(event.key);
  // a player has arrows of its own
  if (!distance || event.target.closest("input, textarea, select, video, audio")) return;
  if (dialog.open && Math.abs(distance) > 1) return;
  const from = dialog.open ? index : buttons.indexOf(event.target.closest("[data-open]"));
  const target = buttons[from + distance];
  if (from < 0 || !target) return;
  event.preventDefault();
  if (dialog.open) enlarge(from + distance);
  else target.focus();
}

sheet.addEventListener("click", (event) => {
  const button = event.target.closest("[data-open]");
  if (!button || isModified(event)) return;
  event.preventDefault();
  enlarge(buttons.indexOf(button));
});
// Space, as on any button: when it is let go, and without scrolling
for (const type of ["keydown", "keyup"]) {
  sheet.addEventListener(type, (event) => {
    const button = event.target.closest("[data-open]");
    if (!button || event.key !== " " || isModified(event)) return;
    event.preventDefault();
    if (type === "keyup") button.click();
  });
}
dialog.addEventListener("click", ({ target }) => {
  const turn = target.closest("[data-turn]");
  const position = index + Number(turn?.dataset.turn);
  if (buttons[position]) enlarge(position);
});
sheet.addEventListener("keydown", onKey);
dialog.addEventListener("keydown", onKey);
dialog.addEventListener("close", () => {
  // nothing plays on, and the focus is where one has come to
  content.replaceChildren();
  buttons[index].focus();
});
