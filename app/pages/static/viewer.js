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
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "Escape") { location.replace("#"); for (const mark of marks) mark.classList.remove("on"); }
});
function arrive() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (claims.includes(id)) show(id, true);
  const target = id && document.getElementById(id);
  const fold = target && target.querySelector(":scope > details");
  if (fold) fold.open = true;
}
window.addEventListener("hashchange", arrive);
arrive();

const find = document.getElementById("find");
if (find) find.addEventListener("input", () => {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of document.querySelectorAll("#units tbody tr")) {
    const text = row.textContent.toLowerCase();
    row.classList.toggle("hidden", !words.every((word) => text.includes(word)));
  }
});
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
  let seen = null;
  setInterval(async () => {
    try {
      const now = await (await fetch(live)).text();
      if (seen !== null && now !== seen && String(getSelection()) === "" && scrollY < 40 && !location.hash) location.reload();
      seen = now;
    } catch (error) { /* the server was stopped: the page stays readable */ }
  }, 4000);
}
document.body.dataset.ready = "yes";
