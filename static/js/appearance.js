// The appearance of a page, which static/js/theme.js reads before the first paint: the system's, light or dark.
const THEMES = [["", "system"], ["light", "light"], ["dark", "dark"]];

function showTheme(button) {
  const current = document.documentElement.dataset.theme ?? "";
  button.querySelector("[data-theme-name]").textContent = THEMES.find(([key]) => key === current)[1];
}

/** Let each button for it change the page's light or dark. */
export function initTheme() {
  for (const button of document.querySelectorAll("[data-theme-toggle]")) {
    showTheme(button);
    button.addEventListener("click", () => {
      const at = THEMES.findIndex(([key]) => key === (document.documentElement.dataset.theme ?? ""));
      const [next] = THEMES[(at + 1) % THEMES.length];
      if (next) document.documentElement.dataset.theme = next;
      else delete document.documentElement.dataset.theme;
      try {
        localStorage.setItem("assayer.theme", next);
      } catch {
        // not remembered, still applied
      }
      showTheme(button);
    });
  }
}
