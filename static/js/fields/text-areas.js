// A text area that Tab leads to is seen whole: browsers scroll until its caret is seen, and its end may be beneath the bar.

export function initTextAreas() {
  // once the key is up the focus has moved; a click needs nothing, and would find the text moved beneath the pointer
  document.addEventListener("keyup", (event) => {
    if (event.key === "Tab" && event.target.matches("main textarea")) event.target.scrollIntoView({ block: "nearest" });
  });
}
