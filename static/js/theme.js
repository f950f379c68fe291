// Runs before the first paint, so that a chosen appearance does not flash the other one.
(() => {
  // what needs scripts is seen only where they run
  document.documentElement.dataset.scripts = "";
  let theme = null;
  try {
    theme = localStorage.getItem("assayer.theme");
  } catch {
    // storage may be switched off; the system's appearance is used
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
