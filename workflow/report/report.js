"use strict";
document.documentElement.classList.add("scripted");
const byId = (id) => document.getElementById(id);

// ---- Claims: filtered by figure, verdict and a phrase; the filter is kept in the address ------------------------------
const FIELDS = { figure: byId("claim-figure"), verdict: byId("claim-verdict"), text: byId("claim-text") };
const groups = [...document.querySelectorAll("section.group")];
const claimRows = [...document.querySelectorAll(".claims tbody tr")];
const claimIds = claimRows.map((row) => row.id.replace(/-forest$/, ""));
const claimTexts = claimRows.map((row) => `${row.id.slice("claim-".length)} ${row.textContent}`.replace(/\s+/g, " ").toLowerCase());

// A phrase starts where a word starts, and a number in it is not followed by another digit: "Fig. 1" is not "Fig. 11".
function phrase(text) {
  const words = text.trim().toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, " ");
  return new RegExp(`(?<![\\w.])${words}${/\d$/.test(words) ? "(?![\\d.]*\\d)" : ""}`);
}

function filterClaims() {
  const { figure, verdict, text } = Object.fromEntries(Object.entries(FIELDS).map(([name, field]) => [name, field.value]));
  const active = Boolean(figure || verdict || text.trim()), wanted = phrase(text);
  const shown = new Set();  // a claim stands under a figure and under the same with forests
  claimRows.forEach((row, k) => {
    const fits = (!figure || row.dataset.figure === figure) && (!verdict || row.dataset.verdict === verdict)
      && (!text.trim() || wanted.test(claimTexts[k]));
    row.hidden = !fits;
    if (fits) shown.add(claimIds[k]);
  });
  groups.forEach((group) => {
    const found = group.querySelector(".claims tbody tr:not([hidden])");
    group.hidden = active && !found;
    const folded = group.querySelector(".group-claims");
    if (folded) folded.open = active && Boolean(found);
  });
  byId("claim-count").textContent = `${shown.size} of ${new Set(claimIds).size} claims`;
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

// ---- Explorer: data sets of a study, drawn one by one and in bins ------------------------------------------------------
const studies = JSON.parse(byId("studies").textContent);
const ex = Object.fromEntries(["study", "x", "y", "level", "from", "to", "row", "clear", "summary", "chart", "bins", "detail"].map((name) => [name, byId(`ex-${name}`)]));
const BOX = { left: 78, right: 628, top: 12, bottom: 348 };
const NAMES = { cor_CY: "correlation of C and Y", observed: "observed metric", corrected: "corrected metric", reweighted: "reweighted metric" };
const named = (column) => NAMES[column] || (column.endsWith("_p") ? `rejection rate, ${column.slice(0, -2)} test` : column);
let limits = {}, drawnPoints = [], scaleX = null;

function element(parent, name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function choose(select, names, label, wanted) {
  select.replaceChildren(...names.map((name) => new Option(label(name), name)));
  if (names.includes(wanted)) select.value = wanted;
}

function newStudy() {
  const study = studies[ex.study.value];
  limits = {};
  choose(ex.x, study.parameters, named, ex.x.value || "beta");
  choose(ex.y, [...study.tests, ...study.values], named, ex.y.value);
  ex.row.value = "";
  ex.detail.replaceChildren();
  newX();
}

function newX() {
  [ex.from.value, ex.to.value] = limits[ex.x.value] || ["", ""];
  drawStudy();
}

// Rows that fit all filters: x, y (1 or 0 for a rejection), and their number in the columns.
function chosenRows({ columns }) {
  const test = ex.y.value.endsWith("_p"), level = Number(ex.level.value);
  const inside = (k) => Object.entries(limits).every(([name, [low, high]]) => columns[name][k] >= low && columns[name][k] <= high);
  return columns.dataset.map((_, k) => k).filter((k) => columns[ex.y.value][k] !== null && inside(k))
    .map((k) => ({ k, x: columns[ex.x.value][k], y: test ? Number(columns[ex.y.value][k] <= level) : columns[ex.y.value][k] }));
}

// Mean with its 95 % interval: Wilson's for rates, normal for values.
function estimate(rows) {
  const n = rows.length, mean = rows.reduce((sum, row) => sum + row.y, 0) / n, z = 1.96;
  if (ex.y.value.endsWith("_p")) {
    const centre = (mean + z * z / (2 * n)) / (1 + z * z / n), half = z * Math.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    return { mean, low: Math.min(mean, centre - half), high: Math.max(mean, centre + half) };
  }
  const half = n > 1 ? z * Math.sqrt(rows.reduce((sum, row) => sum + (row.y - mean) ** 2, 0) / (n - 1) / n) : 0;
  return { mean, low: mean - half, high: mean + half };
}

function binned(rows, most = 8) {
  const sorted = [...rows].sort((a, b) => a.x - b.x), values = new Set(sorted.map((row) => row.x)), found = [];
  if (values.size <= most) for (const value of values) found.push(sorted.filter((row) => row.x === value));
  else for (let k = 0; k < most; k += 1) found.push(sorted.slice(Math.round(k * sorted.length / most), Math.round((k + 1) * sorted.length / most)));
  return found.filter((bin) => bin.length).map((bin) => ({ n: bin.length, from: bin[0].x, to: bin.at(-1).x, ...estimate(bin) }));
}

const shown3 = (value) => String(Number(value.toPrecision(3)));
const interval = ({ mean, low, high }) => `${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;

// Ticks at round numbers, about four steps apart.
function axis(low, high, ends, draw) {
  const rough = (high - low) / 4 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 2.5, 5, 10].find((factor) => factor * power > 0.999 * rough);
  for (let value = Math.ceil(low / step - 1e-6) * step; value < high + 1e-6 * step; value += step) {
    draw(ends[0] + (value - low) / (high - low || 1) * (ends[1] - ends[0]), shown3(value));
  }
}

function drawStudy() {
  const study = studies[ex.study.value], rows = chosenRows(study), bins = binned(rows), test = ex.y.value.endsWith("_p");
  ex.chart.replaceChildren();
  ex.bins.tBodies[0].replaceChildren(...bins.map((bin) => {
    const row = document.createElement("tr");
    for (const text of [bin.from === bin.to ? shown3(bin.from) : `${shown3(bin.from)} to ${shown3(bin.to)}`, bin.n, interval(bin)]) row.insertCell().textContent = text;
    return row;
  }));
  const within = (low, high) => low === -Infinity ? `up to ${shown3(high)}` : high === Infinity ? `at least ${shown3(low)}` : `from ${shown3(low)} to ${shown3(high)}`;
  const filters = Object.entries(limits).map(([name, [low, high]]) => `${named(name)} ${within(low, high)}`).join(", ");
  ex.summary.textContent = `${rows.length.toLocaleString("en")} of ${study.columns.dataset.length.toLocaleString("en")} data sets${filters && ` (${filters})`}: ${named(ex.y.value)} ${rows.length ? interval(estimate(rows)) : "-"}`;
  if (!rows.length) return;
  const [x0, x1] = [Math.min(...rows.map((r) => r.x)), Math.max(...rows.map((r) => r.x))];
  const [y0, y1] = test ? [0, 1] : [Math.min(...rows.map((r) => r.y)), Math.max(...rows.map((r) => r.y))];
  const atX = (value) => BOX.left + (value - x0) / (x1 - x0 || 1) * (BOX.right - BOX.left);
  const atY = (value) => BOX.bottom - 14 - (value - y0) / (y1 - y0 || 1) * (BOX.bottom - BOX.top - 28);
  scaleX = (pixel) => x0 + (pixel - BOX.left) / (BOX.right - BOX.left) * (x1 - x0);
  axis(x0, x1, [BOX.left, BOX.right], (at, text) => element(ex.chart, "text", { x: at, y: BOX.bottom + 20, "text-anchor": at > BOX.right - 5 ? "end" : "middle" }, text));
  axis(y0, y1, [atY(y0), atY(y1)], (at, text) => {
    element(ex.chart, "line", { x1: BOX.left, x2: BOX.right, y1: at, y2: at, stroke: "var(--line)" });
    element(ex.chart, "text", { x: BOX.left - 6, y: at + 4, "text-anchor": "end" }, text);
  });
  element(ex.chart, "text", { x: (BOX.left + BOX.right) / 2, y: 392, "text-anchor": "middle" }, named(ex.x.value));
  element(ex.chart, "text", { x: 18, y: 180, "text-anchor": "middle", transform: "rotate(-90 18 180)" }, named(ex.y.value));
  if (test) element(ex.chart, "line", { x1: BOX.left, x2: BOX.right, y1: atY(Number(ex.level.value)), y2: atY(Number(ex.level.value)), stroke: "var(--quiet)", "stroke-dasharray": "3 3" });
  drawnPoints = rows.map((row) => ({ ...row, px: atX(row.x), py: atY(row.y) + (test ? (row.k * 7919 % 23) - 11 : 0) }));
  for (const point of drawnPoints) element(ex.chart, "circle", { cx: point.px.toFixed(1), cy: point.py.toFixed(1), r: 1.8, fill: "var(--e1)", opacity: 0.35 });
  const middles = bins.map((bin) => ({ ...bin, px: atX((bin.from + bin.to) / 2) }));
  element(ex.chart, "polyline", { points: middles.map((bin) => `${bin.px.toFixed(1)},${atY(bin.mean).toFixed(1)}`).join(" "), fill: "none", stroke: "var(--e2)", "stroke-width": 2 });
  for (const bin of middles) {
    element(ex.chart, "line", { x1: bin.px, x2: bin.px, y1: atY(bin.low), y2: atY(bin.high), stroke: "var(--e2)", "stroke-width": 6, opacity: 0.4 });
    element(ex.chart, "circle", { cx: bin.px, cy: atY(bin.mean), r: 4, fill: "var(--e2)" });
  }
  mark();
}

// The row of the chosen data set, and a ring around it.
function mark() {
  const study = studies[ex.study.value], k = study.columns.dataset.indexOf(Number(ex.row.value));
  ex.chart.querySelector(".ring")?.remove();
  ex.detail.replaceChildren();
  if (ex.row.value === "" || k < 0) return;
  const list = document.createElement("dl"), command = document.createElement("p");
  for (const [name, values] of Object.entries(study.columns)) {
    const line = document.createElement("div");
    line.append(Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: name.endsWith("_p") && values[k] === 0 ? "< 1e-300" : values[k] }));
    list.append(line);
  }
  command.append(Object.assign(document.createElement("code"), { textContent: `permconf replay ${ex.study.value} ${ex.row.value}` }));
  ex.detail.append(command, list);
  const point = drawnPoints.find((each) => each.k === k);
  if (point) element(ex.chart, "circle", { class: "ring", cx: point.px, cy: point.py, r: 7, fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
}

function limit(low, high) {
  if (low === "" && high === "") delete limits[ex.x.value];
  else limits[ex.x.value] = [low === "" ? -Infinity : Number(low), high === "" ? Infinity : Number(high)];
  drawStudy();
}

// A drag sets a range of x, a click chooses the nearest data set.
let start = null, brush = null;
const place = (event) => {
  const area = ex.chart.getBoundingClientRect();
  return [(event.clientX - area.left) / area.width * 640, (event.clientY - area.top) / area.height * 400];
};
ex.chart.addEventListener("pointerdown", (event) => {
  start = place(event);
  ex.chart.setPointerCapture(event.pointerId);
  brush = element(ex.chart, "rect", { y: BOX.top, height: BOX.bottom - BOX.top, x: start[0], width: 0, fill: "var(--link)", opacity: 0.15 });
});
ex.chart.addEventListener("pointermove", (event) => {
  if (!start) return;
  const [now] = place(event);
  brush.setAttribute("x", Math.min(now, start[0]));
  brush.setAttribute("width", Math.abs(now - start[0]));
});
ex.chart.addEventListener("pointercancel", () => { start = null; brush?.remove(); });
ex.chart.addEventListener("pointerup", (event) => {
  if (!start) return;
  const now = place(event), ends = [now[0], start[0]].sort((a, b) => a - b);
  start = null;
  brush.remove();
  if (ends[1] - ends[0] > 8) {
    [ex.from.value, ex.to.value] = ends.map((end) => shown3(scaleX(Math.min(BOX.right, Math.max(BOX.left, end)))));
    limit(ex.from.value, ex.to.value);
    return;
  }
  const away = (point) => Math.hypot(point.px - now[0], point.py - now[1]);
  const nearest = drawnPoints.reduce((best, point) => (away(point) < away(best) ? point : best));
  ex.row.value = studies[ex.study.value].columns.dataset[nearest.k];
  mark();
});

if (Object.keys(studies).length) {
  choose(ex.study, Object.keys(studies), (name) => studies[name].title, "exp1");
  newStudy();
  ex.study.addEventListener("change", newStudy);
  ex.x.addEventListener("change", newX);
  ex.y.addEventListener("change", drawStudy);
  ex.level.addEventListener("input", drawStudy);
  ex.row.addEventListener("input", mark);
  for (const field of [ex.from, ex.to]) field.addEventListener("change", () => limit(ex.from.value, ex.to.value));
  ex.clear.addEventListener("click", () => { limits = {}; ex.row.value = ""; newX(); });
  byId("explore").addEventListener("submit", (event) => event.preventDefault());
} else byId("explorer").hidden = true;

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
  picture.decode().then(() => resize(0)).then(() => picture.clientWidth < 700 && resize(2));  // a phone
}));
viewer.addEventListener("click", (event) => ZOOMS[event.target.dataset.zoom]?.());
viewer.addEventListener("keydown", (event) => ZOOMS[KEYS[event.key]]?.());
follow();
