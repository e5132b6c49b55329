"use strict";
document.documentElement.classList.add("scripted");
const byId = (id) => document.getElementById(id);

// ---- Claims: filtered by figure, verdict and a phrase; the filter is kept in the address ------------------------------
const FIELDS = { figure: byId("claim-figure"), verdict: byId("claim-verdict"), text: byId("claim-text") };
const groups = [...document.querySelectorAll("section.group")];
const claimRows = [...document.querySelectorAll(".claims tbody tr")];
const claimTexts = claimRows.map((row) => row.textContent.replace(/\s+/g, " ").toLowerCase());

// A phrase starts where a word starts, and a number in it is not followed by another digit: "Fig. 1" is not "Fig. 11".
function phrase(text) {
  const words = text.trim().toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, " ");
  return new RegExp(`(?<![\\w.])${words}${/\d$/.test(words) ? "(?![\\d.]*\\d)" : ""}`);
}

function filterClaims() {
  const { figure, verdict, text } = Object.fromEntries(Object.entries(FIELDS).map(([name, field]) => [name, field.value]));
  const active = Boolean(figure || verdict || text.trim()), wanted = phrase(text);
  let shown = 0;
  claimRows.forEach((row, k) => {
    const fits = (!figure || row.dataset.figure === figure) && (!verdict || row.dataset.verdict === verdict)
      && (!text.trim() || wanted.test(claimTexts[k]));
    row.hidden = !fits;
    shown += fits;
  });
  groups.forEach((group) => {
    const found = group.querySelector(".claims tbody tr:not([hidden])");
    group.hidden = active && !found;
    const folded = group.querySelector(".group-claims");
    if (folded) folded.open = active && Boolean(found);
  });
  byId("claim-count").textContent = `${shown} of ${claimRows.length} claims`;
}

function remember() {
  const chosen = Object.entries(FIELDS).filter(([, field]) => field.value.trim()).map(([name, field]) => [name, field.value]);
  history.replaceState(null, "", chosen.length ? `#filter?${new URLSearchParams(chosen)}` : "#figures");
}

function clearFilter() {
  Object.values(FIELDS).forEach((field) => { field.value = ""; });
  filterClaims();
}

// An address of a filter sets it; that of a claim opens the table it is in, whatever was filtered before.
function follow() {
  const address = decodeURIComponent(location.hash.slice(1));
  if (address.startsWith("filter?")) {
    const chosen = new URLSearchParams(location.hash.slice("#filter?".length));
    Object.entries(FIELDS).forEach(([name, field]) => { field.value = chosen.get(name) || ""; });
    filterClaims();
    byId("figures").scrollIntoView();
    return;
  }
  const target = address && byId(address);
  if (!target) return;
  if (target.closest("section.group, .claims")) clearFilter();
  for (let folded = target.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
  if (target.matches("section.group") && target.querySelector(".group-claims")) target.querySelector(".group-claims").open = true;
  target.scrollIntoView();
}

Object.values(FIELDS).forEach((field) => field.addEventListener("input", () => { filterClaims(); remember(); }));
byId("claim-clear").addEventListener("click", () => { clearFilter(); remember(); });
byId("filter").addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", follow);

// Print shows every claim; browsers that do not unfold by style sheet unfold here.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  folded.forEach((part) => { part.open = true; });
});
addEventListener("afterprint", () => folded.forEach((part) => { part.open = false; }));

// ---- Rejection rates ------------------------------------------------------------------------------------------------
const rates = JSON.parse(byId("rates-data").textContent);
const curvesOfTests = Object.values(rates.tests);
const slider = byId("alpha");
const STYLES = [["var(--e1)", ""], ["var(--e2)", "7 3"], ["var(--e3)", "9 3 2 3"], ["var(--e4)", "2 3"]];
const TITLES = { response: "Response test", confounding: "Confounding test" };
const WIDTH = 420, HEIGHT = 330, LEFT = 54, BOTTOM = 38, TOP = 10, RIGHT = 12;
const x = (value) => LEFT + value * (WIDTH - LEFT - RIGHT);
const y = (value) => HEIGHT - BOTTOM - value * (HEIGHT - BOTTOM - TOP);
const rules = [];

function element(parent, name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function path(values) {
  return values.map((value, k) => `${k ? "L" : "M"}${x(rates.alpha[k]).toFixed(1)} ${y(value).toFixed(1)}`).join("");
}

function band(curve) {
  const back = curve.low.map((value, k) => `L${x(rates.alpha[k]).toFixed(1)} ${y(value).toFixed(1)}`).reverse();
  return `${path(curve.high)}${back.join("")}Z`;
}

function axes(svg) {
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    element(svg, "line", { x1: x(0), x2: x(1), y1: y(tick), y2: y(tick), stroke: "var(--line)" });
    element(svg, "text", { x: x(0) - 6, y: y(tick) + 4, "text-anchor": "end" }, tick);
    element(svg, "text", { x: x(tick), y: y(0) + 16, "text-anchor": "middle" }, tick);
  }
  element(svg, "line", { x1: x(0), x2: x(1), y1: y(0), y2: y(1), stroke: "var(--quiet)", "stroke-dasharray": "3 3" });
  element(svg, "text", { x: x(0.5), y: HEIGHT - 4, "text-anchor": "middle" }, "nominal level");
  element(svg, "text", { x: 12, y: y(0.5), "text-anchor": "middle", transform: `rotate(-90 12 ${y(0.5)})` }, "rejection rate");
}

function chart(test, curves) {
  const box = document.createElement("div");
  const title = document.createElement("h3");
  title.textContent = TITLES[test] || test;
  const svg = element(box, "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title.textContent}: rejection rate over nominal level, values in the table above` });
  box.prepend(title);
  axes(svg);
  curves.forEach((curve, k) => {
    const [colour, dashes] = STYLES[k % STYLES.length];
    element(svg, "path", { d: band(curve), fill: colour, opacity: 0.18 });
    element(svg, "path", { d: path(curve.rate), fill: "none", stroke: colour, "stroke-width": 2, "stroke-dasharray": dashes });
  });
  rules.push(element(svg, "line", { y1: y(0), y2: y(1), stroke: "var(--ink)", "stroke-width": 1 }));
  svg.addEventListener("pointermove", (event) => {
    const area = svg.getBoundingClientRect();
    const at = ((event.clientX - area.left) / area.width * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT);
    slider.value = Math.round(Math.min(1, Math.max(0, at)) * (rates.alpha.length - 1));
    showRates();
  });
  byId("charts").append(box);
}

function rateRow(k, at) {
  const row = document.createElement("tr");
  const [colour, dashes] = STYLES[k % STYLES.length];
  const swatch = element(row.insertCell(), "svg", { class: "swatch", viewBox: "0 0 38 10", "aria-hidden": "true" });
  element(swatch, "line", { x1: 0, x2: 38, y1: 5, y2: 5, stroke: colour, "stroke-width": 3, "stroke-dasharray": dashes });
  row.cells[0].append(curvesOfTests[0][k].title);
  for (const curves of curvesOfTests) {
    const cell = row.insertCell(), band = document.createElement("span");
    cell.className = "number";
    band.className = "quiet";
    band.textContent = `(${curves[k].low[at].toFixed(3)} to ${curves[k].high[at].toFixed(3)})`;
    cell.append(`${curves[k].rate[at].toFixed(3)} `, band);
  }
  row.insertCell().textContent = curvesOfTests[0][k].datasets.toLocaleString("en");
  return row;
}

function rateHeader() {
  const titles = ["Scenario", ...Object.keys(rates.tests).map((test) => TITLES[test] || test), "Data sets"];
  byId("at-alpha").tHead.rows[0].append(...titles.map((title) => {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = title;
    return cell;
  }));
}

function showRates() {
  const at = Number(slider.value), alpha = rates.alpha[at];
  byId("alpha-value").textContent = byId("alpha-caption").textContent = alpha;
  slider.setAttribute("aria-valuetext", alpha);
  rules.forEach((rule) => { rule.setAttribute("x1", x(alpha)); rule.setAttribute("x2", x(alpha)); });
  const rows = curvesOfTests[0].map((_, k) => rateRow(k, at));
  byId("at-alpha").tBodies[0].replaceChildren(...rows);
}

Object.entries(rates.tests).forEach(([test, curves]) => chart(test, curves));
rateHeader();
slider.addEventListener("input", showRates);
showRates();

// ---- Deviations: on a phone a row of a table becomes a block, and each cell says which column it is of -----------------
document.querySelectorAll(".prose table").forEach((table) => {
  const titles = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  [...table.tBodies[0].rows].forEach((row) => [...row.cells].forEach((cell, k) => { cell.dataset.label = titles[k]; }));
});

// ---- Figures: enlarged in a dialog, with buttons or the keys + - 0; Escape closes ------------------------------------
const viewer = byId("viewer");
const stage = viewer.querySelector(".stage");
const picture = stage.querySelector("img");
let scale = 1;

function fitted() {
  return Math.min(stage.clientWidth / picture.naturalWidth, stage.clientHeight / picture.naturalHeight);
}

function resize(factor) {
  scale = factor ? Math.min(8, Math.max(1, scale * factor)) : 1;
  picture.style.width = `${Math.round(fitted() * scale * picture.naturalWidth)}px`;
}

const ZOOMS = { in: () => resize(1.5), out: () => resize(1 / 1.5), fit: () => resize(0), close: () => viewer.close() };
const KEYS = { "+": "in", "=": "in", "-": "out", "0": "fit" };

document.querySelectorAll(".zoom").forEach((button) => button.addEventListener("click", () => {
  const image = button.querySelector("img");
  picture.src = image.src;
  picture.alt = image.alt;
  byId("viewer-title").textContent = image.dataset.title;
  viewer.showModal();
  stage.focus();
  picture.decode().then(() => resize(0));
}));
viewer.addEventListener("click", (event) => ZOOMS[event.target.dataset.zoom]?.());
viewer.addEventListener("keydown", (event) => ZOOMS[KEYS[event.key]]?.());
follow();
