// The page's own font inside an exported SVG, so that it looks the same wherever it is opened.

const FONT = "Inter";

function* faces(sheet) {
  for (const rule of sheet.cssRules) {
    if (rule instanceof CSSImportRule && rule.styleSheet) yield* faces(rule.styleSheet);
    else if (rule instanceof CSSFontFaceRule) yield { rule, base: sheet.href ?? document.baseURI };
  }
}

/** Whether a unicode-range such as "U+0000-00FF, U+0131" holds one of these code points. */
export function holdsAny(range, points) {
  const parts = range.split(",").map((part) => part.trim().replace(/^U\+/i, "").split("-").map((end) => parseInt(end, 16)));
  return parts.some(([low, high = low]) => points.some((point) => low <= point && point <= high));
}

async function embedded({ rule, base }) {
  const [, path] = rule.style.getPropertyValue("src").match(/url\("?([^")]+)"?\)/);
  const blob = await (await fetch(new URL(path, base))).blob();
  const data = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
  const url = `data:font/woff2;base64,${data.slice(data.indexOf(",") + 1)}`;
  const range = rule.style.getPropertyValue("unicode-range");
  return `@font-face{font-family:${FONT};src:url(${url}) format("woff2");font-weight:${rule.style.getPropertyValue("font-weight")};unicode-range:${range}}`;
}

/** The SVG, with the files of the font that its letters need. */
export async function withFont(svg) {
  const text = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement.textContent;
  const points = [...new Set(text)].map((letter) => letter.codePointAt(0));
  const own = [...document.styleSheets].flatMap((sheet) => [...faces(sheet)]).filter(({ rule }) => rule.style.getPropertyValue("font-family").includes(FONT));
  const needed = own.filter(({ rule }) => holdsAny(rule.style.getPropertyValue("unicode-range"), points));
  const style = (await Promise.all(needed.map(embedded))).join("");
  return svg.replace(/<svg[^>]*>/, (open) => `${open}<defs><style>${style}</style></defs>`);
}
