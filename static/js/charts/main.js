// Draws every <figure class="chart" data-spec="ID of a json_script"> with Vega-Lite, under a CSP without unsafe-*.
import { initDownloads } from "./downloads.js";
import { embed } from "./embed.js";

const charts = new Map();
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

// older browsers have light colours alone
const knowsDark = CSS.supports("color", "light-dark(red, blue)");

/** Drawn in light or dark colours; paper, which is always light, has to know. */
function scheme() {
  if (!knowsDark) return "light";
  return document.documentElement.dataset.theme || (prefersDark.matches ? "dark" : "light");
}

async function draw(figure) {
  const spec = JSON.parse(document.getElementById(figure.dataset.spec).textContent);
  const view = figure.querySelector(".chart-view");
  try {
    charts.get(figure)?.finalize();
    const result = await embed(view, spec, document.documentElement);
    charts.set(figure, result);
    figure.dataset.drawn = scheme();
    initDownloads(figure, spec);
  } catch (error) {
    view.textContent = `This chart could not be drawn (${error.message}). Its numbers are in the table below.`;
    view.classList.add("error");
  }
}

function drawAll() {
  for (const [figure, result] of charts) {
    if (figure.isConnected) continue;
    result.finalize();
    charts.delete(figure);
  }
  for (const figure of document.querySelectorAll("figure.chart:not([data-drawn])")) draw(figure);
}

function redrawAll() {
  for (const figure of document.querySelectorAll("figure.chart[data-drawn]")) draw(figure);
}

prefersDark.addEventListener("change", redrawAll);
new MutationObserver(redrawAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
document.addEventListener("htmx:after:swap", drawAll);
drawAll();
