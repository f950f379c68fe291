// A lead's keys: a level's key saves its grade, n writes why first. Off while typing or with a modifier held.

const TYPING = "input, textarea, select, [contenteditable]";
const form = document.getElementById("adjudicate");
const note = document.getElementById("note");
let isSent = false;

// two keys in a hurry are one answer
form.addEventListener("submit", (event) => {
  if (isSent) event.preventDefault();
  isSent = true;
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
  if (event.target.closest(TYPING)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "n") {
    event.preventDefault();
    note.focus();
    return;
  }
  const level = [...form.querySelectorAll("[data-key]")].find((button) => button.dataset.key === event.key);
  if (!level) return;
  event.preventDefault();
  level.click();
});

// back from the next page, the form is to be used again
addEventListener("pageshow", () => {
  isSent = false;
});
