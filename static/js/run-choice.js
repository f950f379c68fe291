// A choice of runs: how many are ticked, a name to look for, all or none of those that are shown.

function boxes(choice) {
  return [...choice.querySelectorAll("input[type=checkbox]")];
}

function count(choice) {
  const all = boxes(choice);
  choice.querySelector("[data-run-count]").textContent = `${all.filter((box) => box.checked).length} of ${all.length}`;
}

function find(choice, text) {
  for (const label of choice.querySelectorAll("label.check")) label.hidden = !label.textContent.toLowerCase().includes(text);
}

function pick(choice, range) {
  for (const box of boxes(choice)) if (!box.closest("label").hidden) box.checked = range === "all";
  count(choice);
}

export function initRunChoices(root) {
  for (const choice of root.querySelectorAll("[data-run-choice]:not([data-ready])")) {
    choice.dataset.ready = "";
    choice.addEventListener("change", () => count(choice));
    const tools = choice.querySelector("[data-run-tools]");
    if (!tools) continue;
    tools.hidden = false;
    const search = tools.querySelector("input");
    search.addEventListener("input", () => find(choice, search.value.trim().toLowerCase()));
    search.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
    tools.addEventListener("click", (event) => event.target.closest("[data-pick]") && pick(choice, event.target.closest("[data-pick]").dataset.pick));
  }
}
