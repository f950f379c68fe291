// A page of HTML, cleaned by the server, in a frame without scripts, forms, links or an origin of its own.

/** Light or dark as the screen is: no sheet of ours may be loaded in there, so the browser's own colours have to do. */
function scheme() {
  const theme = document.documentElement.dataset.theme;
  return theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function page(body) {
  return `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="${scheme()}"><body><font face="Inter, system-ui, sans-serif">${body}`;
}

/** @param {string} html clean; only ever put into the frame */
export function fillFrame(frame, html, mark) {
  let body = html;
  if (mark) {
    // parsed apart from the page: nothing of it loads or runs here
    const parsed = new DOMParser().parseFromString(html, "text/html");
    mark(parsed.body);
    body = new XMLSerializer().serializeToString(parsed.body);
  }
  frame.srcdoc = page(body);
}

/**
 * A click into the frame takes the keyboard with it, and its keys cannot be heard from here: the focus is given back.
 * Who goes there with the Tab key wants to scroll it, and leaves with the Tab key.
 */
export function keepKeyboard(giveBack) {
  let tabbed = false;
  addEventListener("keydown", (event) => (tabbed = event.key === "Tab"), { capture: true });
  addEventListener("blur", () => {
    setTimeout(() => {
      if (!tabbed && document.activeElement instanceof HTMLIFrameElement) giveBack();
    });
  });
}
