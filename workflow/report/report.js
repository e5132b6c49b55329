"use strict";
document.documentElement.classList.add("scripted");
const byId = (id) => document.getElementById(id);

// ---- Claims: a row is shown if it has every word of the search and the chosen verdict -------------------------------
const claimRows = [...document.querySelectorAll(".claims tbody tr")];
const claimTexts = claimRows.map((row) => row.textContent.toLowerCase());

function filterClaims() {
  const words = byId("claim-text").value.toLowerCase().split(/\s+/).filter(Boolean);
  const verdict = byId("claim-verdict").value;
  let shown = 0;
  claimRows.forEach((row, k) => {
    const fits = (!verdict || row.dataset.verdict === verdict) && words.every((word) => claimTexts[k].includes(word));
    row.hidden = !fits;
    shown += fits;
  });
  byId("claim-count").textContent = `${shown} of ${claimRows.length}`;
}

byId("claim-text").addEventListener("input", filterClaims);
byId("claim-verdict").addEventListener("change", filterClaims);
document.querySelector(".filter").addEventListener("submit", (event) => event.preventDefault());
document.querySelectorAll(".tile").forEach((tile) => tile.addEventListener("click", () => {
  byId("claim-verdict").value = tile.dataset.verdict;
  byId("claim-text").value = "";
  filterClaims();
}));

// ---- Rejection rates ------------------------------------------------------------------------------------------------
const rates = JSON.parse(byId("rates-data").textContent);
const curvesOfTests = Object.values(rates.tests);
const slider = byId("alpha");
const STYLES = [["#1B4F9C", ""], ["#D1343F", "7 3"], ["#22A06B", "9 3 2 3"], ["#000000", "2 3"]];
const TITLES = { response: "Response test", confounding: "Confounding test" };
const WIDTH = 420, HEIGHT = 330, LEFT = 42, BOTTOM = 38, TOP = 10, RIGHT = 12;
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
    element(svg, "line", { x1: x(0), x2: x(1), y1: y(tick), y2: y(tick), stroke: "#e4e8ed" });
    element(svg, "text", { x: x(0) - 6, y: y(tick) + 4, "text-anchor": "end" }, tick);
    element(svg, "text", { x: x(tick), y: y(0) + 16, "text-anchor": "middle" }, tick);
  }
  element(svg, "line", { x1: x(0), x2: x(1), y1: y(0), y2: y(1), stroke: "#8a94a0", "stroke-dasharray": "3 3" });
  element(svg, "text", { x: x(0.5), y: HEIGHT - 4, "text-anchor": "middle" }, "nominal level");
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
  rules.push(element(svg, "line", { y1: y(0), y2: y(1), stroke: "#1c2430", "stroke-width": 1 }));
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
  byId("viewer-title").textContent = image.alt.split(":")[0];
  viewer.showModal();
  stage.focus();
  picture.decode().then(() => resize(0));
}));
viewer.addEventListener("click", (event) => ZOOMS[event.target.dataset.zoom]?.());
viewer.addEventListener("keydown", (event) => ZOOMS[KEYS[event.key]]?.());
