// Marks of who reads: this verdict or rule is right, or wrong and what it should be. Posted as they are made; in a folder they stay in this browser until saved.
"use strict";
{
const place = document.querySelector("[data-marks-of]"), bar = document.getElementById("reviewing");
const things = place ? [...place.querySelectorAll("[data-mark]")] : [];
const served = document.body.dataset.live !== undefined, root = "../";
const store = "drr-review-" + document.querySelector("header.site nav a").textContent;
const SHOULD = ["full", "partial", "none"];
const made = new Map();  // by what they are of; in a folder those of other pages too
let reviewer = "";

function about(thing) {
  const verdict = thing.dataset.mark === "verdict";
  return {
    answer: place.dataset.marksOf, of: thing.dataset.mark, name: thing.dataset.name, shown: thing.dataset.shown,
    claim: verdict ? thing.closest(".evidence").querySelector(".said").textContent : null, judge: verdict ? place.dataset.judge : null,
  };
}
function key(mark) { return JSON.stringify([mark.answer, mark.of, mark.name, mark.judge, mark.claim]); }
function said(thing) { const mark = made.get(key(about(thing))); return mark && mark.says && mark.shown === thing.dataset.shown ? mark : { says: null, should: null }; }
function button(text, pressed, act) {
  const one = document.createElement("button");
  one.append(...text);
  one.setAttribute("aria-pressed", String(pressed));
  one.addEventListener("click", act);
  return one;
}
function letter(text) { const one = document.createElement("kbd"); one.textContent = text; return one; }
function draw(thing, trouble = "") {
  const box = thing.querySelector(".review"), held = [...box.children].indexOf(document.activeElement), now = said(thing), verdict = thing.dataset.mark === "verdict";
  const parts = [
    button(verdict ? ["verdict is right ", letter("r")] : ["right"], now.says === "right", () => press(thing, "right")),
    button(verdict ? ["verdict is wrong ", letter("w")] : ["wrong"], now.says === "wrong", () => press(thing, "wrong")),
  ];
  if (!verdict) parts.forEach((one, at) => one.setAttribute("aria-label", "rule is " + (at ? "wrong" : "right")));
  if (verdict && now.says === "wrong") {
    parts.push("it should be");
    SHOULD.forEach((status, at) => { if (status !== thing.dataset.shown) parts.push(button([status + " ", letter(String(at + 1))], now.should === status, () => press(thing, "wrong", status))); });
  }
  const state = document.createElement("span");
  state.setAttribute("role", "status");
  state.className = "trouble";
  state.textContent = trouble;
  box.replaceChildren(...parts, state);
  if (held >= 0 && box.children[held]) box.children[held].focus();
}
// The same once more takes it back.
function press(thing, says, should = null) {
  const now = said(thing);
  if (should === null) put(thing, now.says === says ? null : says, null);
  else put(thing, "wrong", now.should === should ? null : should);
}
async function put(thing, says, should) {
  const mark = { schema_version: 1, reviewer, ...about(thing), says, should, at: Date.now() };
  if (served) {
    try {
      const answer = await fetch(root + "mark", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(mark) });
      if (!answer.ok) throw new Error(await answer.text());
    } catch (error) {
      draw(thing, "not saved: " + (error instanceof TypeError ? "the server does not answer" : error.message));
      return;
    }
  }
  made.set(key(mark), mark);
  if (!served) keep();
  draw(thing);
  tell();
}
function keep() { try { localStorage.setItem(store, JSON.stringify({ reviewer, marks: [...made.values()] })); } catch (error) { /* then only this page has them */ } }
function tell() {
  if (served) { bar.textContent = "marks are saved as " + reviewer; return; }
  const count = [...made.values()].filter((mark) => mark.says).length, kept = count + (count === 1 ? " mark is" : " marks are") + " kept in this browser";
  if (!made.size || bar.querySelector("input")) { const said = bar.querySelector("span"); if (said) said.textContent = kept; return; }
  const label = document.createElement("label"), name = document.createElement("input"), told = document.createElement("span");
  name.id = "reviewer";
  name.size = 12;
  name.value = reviewer;
  name.addEventListener("input", () => { reviewer = name.value.trim().replace(/[^\p{L}\p{N}_-]+/gu, "-").slice(0, 80); keep(); });
  label.append("your name ", name);
  told.textContent = kept;
  bar.replaceChildren(told, label, button(["Save marks as a file"], false, save));
  bar.lastChild.removeAttribute("aria-pressed");
}
function save() {
  if (!reviewer) { const name = document.getElementById("reviewer"); name.placeholder = "first"; name.focus(); return; }
  const lines = [...made.values()].map((mark) => JSON.stringify({ ...mark, reviewer }) + "\n");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
  link.download = "marks-" + reviewer + ".jsonl";
  link.click();
}
async function begin() {
  for (const thing of things) {
    const box = document.createElement("div"), head = thing.querySelector("h3");
    box.className = "row review";
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Your mark");
    if (head) head.after(box); else thing.firstElementChild.append(box);
  }
  let found = { reviewer: "", marks: [] };
  try {
    if (served) found = await (await fetch(root + "marks.json?answer=" + encodeURIComponent(place.dataset.marksOf))).json();
    else found = JSON.parse(localStorage.getItem(store) || "null") || found;
  } catch (error) { /* what was marked before is not shown; what is marked now is saved or said not to be */ }
  reviewer = found.reviewer;
  for (const mark of found.marks) made.set(key(mark), mark);
  for (const thing of things) draw(thing);
  tell();
  place.dataset.marking = "yes";
}
// Of what has the focus; else of the claim that is open, the verdict that decides it.
function chosen(event) {
  const open = document.querySelector(".evidence:target");
  return event.target.closest("[data-mark]") || (open && (open.querySelector('[data-mark][data-shown="' + open.dataset.verdict + '"]') || open.querySelector("[data-mark]")));
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const thing = things.length ? chosen(event) : null, at = ["1", "2", "3"].indexOf(event.key);
  if (!thing) return;
  if (event.key === "r") press(thing, "right");
  else if (event.key === "w") press(thing, "wrong");
  else if (at >= 0 && thing.dataset.mark === "verdict" && SHOULD[at] !== thing.dataset.shown) press(thing, "wrong", SHOULD[at]);
});
if (things.length) begin();
}
