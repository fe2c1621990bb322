// The viewer's few movements: from claim to passage, filters, side by side, a look for news while a study runs.
"use strict";
const marks = [...document.querySelectorAll(".report mark[data-claim]")];
const claims = [...new Set(marks.map((mark) => mark.dataset.claim))];
const chosen = { verdict: new Set(), type: new Set() };

function passes(id) {
  const section = document.getElementById(id);
  if (!section) return true;
  const types = section.dataset.types.split(" ");
  return (!chosen.verdict.size || chosen.verdict.has(section.dataset.verdict)) && (!chosen.type.size || types.some((type) => chosen.type.has(type)));
}
function show(id, scroll) {
  if (location.hash.slice(1) !== id) history.replaceState(null, "", "#" + id), location.replace("#" + id);
  for (const mark of marks) mark.classList.toggle("on", mark.dataset.claim === id);
  const first = marks.find((mark) => mark.dataset.claim === id);
  if (first && scroll) first.scrollIntoView({ block: "center" });
  const aside = document.querySelector("aside");
  if (aside && first) aside.scrollTop = 0;
}
function step(by) {
  const list = claims.filter(passes);
  if (!list.length) return;
  const at = list.indexOf(decodeURIComponent(location.hash.slice(1)));
  show(list[(at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length)], true);
}
for (const button of document.querySelectorAll("button.back")) button.addEventListener("click", () => show(button.dataset.claim, true));
for (const mark of marks) mark.addEventListener("click", (event) => { if (!event.target.closest("a")) show(mark.dataset.claim, false); });
for (const button of document.querySelectorAll("#filters button")) button.addEventListener("click", () => {
  const kind = button.dataset.verdict ? "verdict" : "type", value = button.dataset[kind];
  const on = !chosen[kind].delete(value);
  if (on) chosen[kind].add(value);
  button.setAttribute("aria-pressed", String(on));
  for (const mark of marks) mark.classList.toggle("dim", !passes(mark.dataset.claim));
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  if (event.key === "Enter" && event.target.matches("mark[data-claim]")) show(event.target.dataset.claim, false);
  else if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "Escape") { location.replace("#"); for (const mark of marks) mark.classList.remove("on"); }
});
function arrive() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (claims.includes(id)) show(id, true);
  const target = id && document.getElementById(id);
  if (!target) return;
  const fold = target.querySelector(":scope > details");
  if (fold) fold.open = true;
  for (let outer = target.parentElement.closest("details"); outer; outer = outer.parentElement.closest("details")) outer.open = true;
  if (fold) target.scrollIntoView({ block: "nearest" });
}
window.addEventListener("hashchange", arrive);
arrive();

const dimension = document.getElementById("dimension");
if (dimension) dimension.addEventListener("change", () => {
  for (const row of document.querySelectorAll("tr[data-dimension]")) row.classList.toggle("hidden", dimension.value !== "" && row.dataset.dimension !== dimension.value);
});

const choose = document.getElementById("choose");
function sift() {
  const value = (id) => { const field = document.getElementById(id); return field ? field.value : ""; };
  const words = value("find").toLowerCase().split(/\s+/).filter(Boolean);
  const verdict = value("has-verdict"), type = value("has-type"), measure = document.getElementById("measure");
  for (const row of document.querySelectorAll("#units tbody tr")) {
    let kept = !verdict && !type;
    for (const unit of row.querySelectorAll(".unit")) {
      const fits = (!verdict || (unit.dataset.has || "").split(" ").includes(verdict)) && (!type || (unit.dataset.types || "").split(" ").includes(type));
      unit.classList.toggle("hidden", !fits);
      kept = kept || fits;
      if (measure && unit.dataset.v !== undefined) {
        const shown = unit.dataset.v.split(" ")[Number(measure.value)];
        const { before, after, digits } = measure.options[measure.selectedIndex].dataset;
        const number = digits === undefined ? String(Number(shown)) : Number(shown).toFixed(Number(digits));
        unit.querySelector("a").textContent = shown === "" ? "report" : before + number + after;
      }
    }
    const text = row.textContent.toLowerCase();
    row.classList.toggle("hidden", !(kept && words.every((word) => text.includes(word))));
  }
}
if (choose) {
  const kept = "drr-choice-" + location.pathname;
  const fields = [...choose.querySelectorAll("input, select")];
  try {
    const before = JSON.parse(sessionStorage.getItem(kept) || "{}");
    for (const field of fields) if (before[field.id] !== undefined) field.value = before[field.id];
  } catch (error) { /* a page from disk may have no storage */ }
  choose.addEventListener("input", () => {
    sift();
    try { sessionStorage.setItem(kept, JSON.stringify(Object.fromEntries(fields.map((field) => [field.id, field.value])))); } catch (error) { /* as above */ }
  });
  if (document.getElementById("units")) sift();
}
const sides = ["left", "right"].map((side) => document.getElementById(side + "-choice"));
function place() {
  for (const article of document.querySelectorAll(".side")) {
    const at = sides.findIndex((select) => "side-" + select.value === article.id);
    article.classList.toggle("hidden", at < 0);
    article.style.order = String(at);
  }
}
if (sides[0]) { for (const select of sides) select.addEventListener("change", place); place(); }

const live = document.body.dataset.live;
if (live) {
  let seen = document.body.dataset.version;
  const tell = () => {
    if (document.getElementById("news")) return;
    const button = document.createElement("button");
    button.id = "news";
    button.textContent = "The study has moved on: show it";
    button.addEventListener("click", () => location.reload());
    document.body.append(button);
  };
  setInterval(async () => {
    try {
      const now = await (await fetch(live)).text();
      if (now !== seen) {
        // The index is redrawn by itself; a reader in a report is told and not disturbed.
        const idle = String(getSelection()) === "" && document.activeElement === document.body;
        if (choose && scrollY < 40 && idle) location.reload(); else tell();
      }
      seen = now;
    } catch (error) { /* the server was stopped: the page stays readable */ }
  }, 3000);
}
document.body.dataset.ready = "yes";
