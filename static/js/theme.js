// Runs before the first paint, so that a chosen appearance does not flash the other one.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("assayer.theme");
  } catch {
    // storage may be switched off; the system's appearance is used
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
