// Buttons that copy a field: <button data-copies="id of the field" hidden><span>Copy</span>…. Without script the field is there to be selected.
async function copy(button, field, announce) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    announce("Selected: copy it with the keyboard.");
    return; // no permission: the text is selected
  }
  button.firstElementChild.textContent = "Copied";
  announce("Copied");
}

export function initCopies(root, announce) {
  for (const button of root.querySelectorAll("button[data-copies][hidden]")) {
    const field = document.getElementById(button.dataset.copies);
    button.hidden = false;
    button.addEventListener("click", () => copy(button, field, announce));
  }
}
