// One annotator's page. With a server every choice is posted as it is made; in a bundle it stays in this browser until saved.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const SCORES = data.turns.some((turn) => turn.criteria);  // a report under its criteria, not two answers
const PRACTICE = data.practice.pair;  // the first turn: nothing of it is saved, sent or counted
const TURNS = [data.practice, ...data.turns];
const CHOICES = SCORES ? Array.from({ length: 11 }, (_, score) => [score, String(score)]) : [["left", "Left", " is better"], ["right", "Right", " is better"], ["tie", "Tie"], ...(data.both_bad ? [["both_bad", "Both bad"]] : [])];
const byId = (id) => document.getElementById(id);
const key = (pair, dimension) => pair + "\u0000" + dimension;
const store = "drr-marks-" + data.plan + "-" + data.annotator;
const gone = new Map();  // choices taken back: a bundle saves them too, so that an earlier file does not bring them again
const marks = new Map(data.marks.map((mark) => [key(mark.pair, mark.dimension), mark]));
const history = [];
let queue = Promise.resolve();
let trouble = "";  // why the server does not take them
let unsent = [];  // made, not yet known to the server; kept in this browser, so that a crash of it loses none of them

function readLocal() {
  try {
    for (const mark of JSON.parse(localStorage.getItem(store) || "[]")) (mark.choice === null ? gone : marks).set(key(mark.pair, mark.dimension), mark);
  } catch (error) { byId("state").textContent = "this browser keeps nothing between visits: save before you close"; }
}
function everyMark() { return [...marks.values(), ...gone.values()].filter((mark) => mark.pair !== PRACTICE); }
function writeLocal() {
  try { localStorage.setItem(store, JSON.stringify(everyMark())); } catch (error) { /* said once, at the start */ }
}
// Each page has a place of its own, so that two pages of one annotator do not write over what the other could not send.
const waiting = store + "-unsent", ownPlace = waiting + "-" + Math.random().toString(36).slice(2);
function writeUnsent() {
  try { if (unsent.length) localStorage.setItem(ownPlace, JSON.stringify(unsent)); else localStorage.removeItem(ownPlace); } catch (error) { /* then only this page has them */ }
}
if (!data.server) readLocal();

if (data.server) sendAgain();

const practised = store + "-practised";
let at = hasBegun() ? Math.max(1, TURNS.findIndex((turn) => !isPractice(turn) && !settled(turn))) : 0;
let dimension = 0;
let since = performance.now();

function isPractice(turn) { return turn.pair === PRACTICE; }
function hasBegun() {
  if (marks.size) return true;
  try { return localStorage.getItem(practised) !== null; } catch (error) { return false; }
}
function names(turn) { return turn.criteria ? turn.criteria.map((one) => one.id) : data.dimensions; }
function asked(turn, name) { return turn.criteria ? turn.criteria.find((one) => one.id === name) : { label: name.replaceAll("_", " "), meaning: data.meanings[name] }; }
function settled(turn) { return names(turn).every((name) => marks.has(key(turn.pair, name))); }

function draw() {
  const turn = TURNS[at];
  byId("question").textContent = turn.query;
  byId("profile").textContent = turn.profile || "nothing is known";
  byId("left").innerHTML = turn.left;   // sanitised when the page was made; the policy forbids scripts beside
  if (!turn.criteria) byId("right").innerHTML = turn.right;
  for (const side of turn.criteria ? ["left"] : ["left", "right"]) { foldSources(byId(side)); reachTables(byId(side)); }
  document.body.classList.toggle("practice", isPractice(turn));
  byId("trial").hidden = !isPractice(turn);
  for (const side of document.querySelectorAll("section.answer")) side.scrollTop = 0;
  byId("pace").textContent = pace();
  drawDimensions();
  window.scrollTo(0, 0);
  since = performance.now();
}
// How long a label takes the reader, and so what is left: of labels whose time is known, the one in the middle.
function pace() {
  const took = everyMark().map((mark) => mark.seconds).filter((seconds) => seconds > 0).sort((a, b) => a - b);
  const left = data.turns.reduce((sum, turn) => sum + open(turn), 0);
  if (took.length < 3 || !left) return "";
  const middle = took[Math.floor(took.length / 2)];
  return Math.round(middle) + " s a label, about " + Math.max(1, Math.round(middle * left / 60)) + " min to go";
}
function aside(text) {
  const span = document.createElement("span");
  span.className = "more";
  span.textContent = text;
  return span;
}
function open(turn) { return names(turn).filter((name) => !marks.has(key(turn.pair, name))).length; }
function drawTurns() {
  byId("made").max = data.turns.reduce((sum, turn) => sum + names(turn).length, 0);
  byId("made").value = data.turns.reduce((sum, turn) => sum + names(turn).length - open(turn), 0);
  byId("made").title = byId("made").value + " of " + byId("made").max + " labels made";
  byId("turns").replaceChildren(...TURNS.map((turn, index) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = "#turns";
    link.className = "turn" + (!isPractice(turn) && settled(turn) ? " done" : "");
    if (index === at) link.setAttribute("aria-current", "page");
    const all = names(turn).length, made = all - open(turn), part = made && made < all ? " (" + made + " of " + all + ")" : "";
    link.append(isPractice(turn) ? "Practice" : index + part, aside(isPractice(turn) ? "" : " " + turn.query));
    link.addEventListener("click", (event) => { event.preventDefault(); move(index - at); });
    item.append(link);
    return item;
  }));
}
function foldSources(answer) {
  for (const heading of answer.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    if (!/^(sources|references|citations)\b/i.test(heading.textContent.trim())) continue;
    const fold = document.createElement("details"), summary = document.createElement("summary");
    summary.textContent = heading.textContent;
    fold.append(summary);
    while (heading.nextElementSibling && !/^H[1-6]$/.test(heading.nextElementSibling.tagName)) fold.append(heading.nextElementSibling);
    heading.replaceWith(fold);
  }
}
function drawDimensions() {
  const held = document.activeElement, bar = held && held.closest("#dimensions, #choices"), place = bar ? [...bar.children].indexOf(held) : -1;
  const turn = TURNS[at], asks = names(turn).length, made = asks - open(turn);
  byId("progress").textContent = isPractice(turn) ? "practice" : data.turns.filter(settled).length + " of " + data.turns.length + (SCORES ? " reports, " : " pairs, ") + made + " of " + asks + (SCORES ? " criteria" : " dimensions");
  byId("dimensions").replaceChildren(...names(turn).map((name, index) => {
    const button = document.createElement("button");
    button.className = "dimension" + (marks.has(key(turn.pair, name)) ? " done" : "");
    button.textContent = asked(turn, name).label;
    button.setAttribute("aria-current", String(index === dimension));
    button.addEventListener("click", () => { dimension = index; drawDimensions(); });
    return button;
  }));
  byId("dimensions").children[dimension].scrollIntoView({ block: "nearest", inline: "nearest" });
  const name = names(turn)[dimension], now = marks.get(key(turn.pair, name));
  byId("asked").textContent = asked(turn, name).label;
  byId("meaning").textContent = asked(turn, name).meaning;
  byId("choices").replaceChildren(...CHOICES.map(([value, text, more], index) => {
    const button = document.createElement("button");
    button.dataset.choice = value;
    button.append(aside(SCORES ? "" : (index + 1) + " "), text, aside(more || ""));
    button.setAttribute("aria-pressed", String(now !== undefined && now.choice === value));
    button.addEventListener("click", () => choose(value));
    return button;
  }));
  drawTurns();
  if (data.server) showUnsent();
  if (place >= 0) bar.children[bar.id === "dimensions" ? dimension : place].focus();  // who works by Tab and Enter stays where they were
}
function send(mark) {
  if (mark.pair === PRACTICE) return;
  if (!data.server) { writeLocal(); return; }
  unsent.push(mark);
  writeUnsent();
  if (trouble) sayUnsent(); else byId("state").textContent = "saving ...";
  queue = queue.then(() => post(mark));
}
function sendAgain() {
  const left = [];
  try {
    for (const place of Object.keys(localStorage).filter((name) => name === waiting || name.startsWith(waiting + "-"))) {
      left.push(...JSON.parse(localStorage.getItem(place) || "[]"));
      localStorage.removeItem(place);
    }
  } catch (error) { /* there are none */ }
  left.sort((one, other) => (one.at || 0) - (other.at || 0));
  for (const mark of left) if (mark.choice === null) marks.delete(key(mark.pair, mark.dimension)); else marks.set(key(mark.pair, mark.dimension), mark);
  unsent = left;  // written under this page's own place before the first of them is sent
  writeUnsent();
  if (left.length) byId("state").textContent = "saving ...";
  for (const mark of left) queue = queue.then(() => post(mark));
}
function isUnsent(pair, name) { return unsent.some((mark) => mark.pair === pair && mark.dimension === name); }
async function post(mark) {
  for (;;) {
    try {
      const answer = await fetch("mark?sheet=" + data.plan, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(mark) });
      if (answer.ok) break;
      throw new Error(answer.status === 409 ? await answer.text() + ": open your own address again" : "the server answered " + answer.status);
    } catch (error) {
      trouble = told(error);
      sayUnsent();
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
  unsent = unsent.filter((one) => one !== mark);
  writeUnsent();
  trouble = "";
  byId("state").className = "";
  byId("state").textContent = unsent.length ? "saving ..." : "saved";
  showUnsent();
}
function sayUnsent() {
  byId("state").className = "trouble";
  byId("state").textContent = unsent.length + " not saved yet (" + trouble + "); trying again: keep this page open, or save them as a file";
  showUnsent();
}
function told(error) { return error instanceof TypeError ? "the server does not answer" : error.message; }
// Called only while the server does not take them: labels on their way for a moment need no sign.
function showUnsent() {
  const stuck = trouble !== "", turn = TURNS[at];
  byId("save").hidden = !stuck;
  [...byId("dimensions").children].forEach((button, index) => {
    const waits = stuck && isUnsent(turn.pair, names(turn)[index]);
    button.classList.toggle("unsent", waits);
    button.title = waits ? "not saved yet" : "";
  });
}
function put(pair, name, choice, seconds) {
  const mark = { pair: pair, dimension: name, choice: choice, seconds: seconds, at: Date.now() };
  (choice === null ? marks : gone).delete(key(pair, name));
  (choice === null ? gone : marks).set(key(pair, name), mark);
  send(mark);
}
function choose(choice) {
  const turn = TURNS[at], name = names(turn)[dimension];
  const before = marks.get(key(turn.pair, name));
  history.push([at, dimension, before ? before.choice : null, before ? before.seconds : null]);
  put(turn.pair, name, choice, Math.round((performance.now() - since) / 100) / 10);
  since = performance.now();
  if (settled(turn)) {
    if (isPractice(turn)) endPractice();
    const next = TURNS.findIndex((other) => !isPractice(other) && !settled(other));
    if (next < 0) { draw(); byId("progress").textContent = "all " + data.turns.length + (SCORES ? " reports" : " pairs") + " are finished: thank you"; return; }
    if (at !== next) { at = next; dimension = firstOpen(0); draw(); return; }
  }
  dimension = firstOpen(dimension + 1);
  drawDimensions();
}
function endPractice() { try { localStorage.setItem(practised, "yes"); } catch (error) { /* then it comes again */ } }
// The next one without a choice, from this place on and then from the start.
function firstOpen(from) {
  const turn = TURNS[at], isOpen = (name) => !marks.has(key(turn.pair, name));
  const open = names(turn).findIndex((name, index) => index >= from && isOpen(name));
  return open >= 0 ? open : Math.max(names(turn).findIndex(isOpen), 0);
}
function undo() {
  const last = history.pop();
  if (!last) return;
  const moved = at !== last[0];
  [at, dimension] = last;
  put(TURNS[at].pair, names(TURNS[at])[dimension], last[2], last[3]);
  if (moved) draw(); else drawDimensions();
}
// Another pair keeps the place on the scale of dimensions, and begins at the top of its texts.
function move(step) {
  if (isPractice(TURNS[at]) && step > 0) endPractice();
  at = Math.min(TURNS.length - 1, Math.max(0, at + step));
  dimension = Math.min(dimension, names(TURNS[at]).length - 1);
  draw();
}
function turnTo(step) { const many = names(TURNS[at]).length; dimension = (dimension + step + many) % many; drawDimensions(); }
function save() {
  const last = new Map(unsent.map((mark) => [key(mark.pair, mark.dimension), mark]));
  const blob = new Blob([JSON.stringify({ annotator: data.annotator, plan: data.plan, marks: data.server ? [...last.values()] : everyMark() })], { type: "application/json" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = "labels-" + data.annotator + ".json";
  link.click();
  if (!data.server) byId("state").textContent = "saved to your downloads: send that file back";
}
function help() {
  const fold = byId("instructions");
  fold.open = !fold.open;
  if (!fold.open) return;
  fold.querySelector("summary").focus();
  fold.scrollIntoView({ block: "center" });
}
const PICK = SCORES
  ? Object.fromEntries([...Array.from({ length: 10 }, (_, score) => [String(score), () => choose(score)]), ["t", () => choose(10)]])
  : { "1": () => choose("left"), "2": () => choose("right"), "3": () => choose("tie"), ...(data.both_bad ? { "4": () => choose("both_bad") } : {}) };
const KEYS = {
  ...PICK,
  "ArrowLeft": () => turnTo(-1), "ArrowRight": () => turnTo(1), "n": () => move(1), "p": () => move(-1), "u": undo, "i": help,
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});
byId("undo").addEventListener("click", undo);
byId("help").addEventListener("click", (event) => { event.preventDefault(); help(); });
byId("save").addEventListener("click", save);
window.addEventListener("beforeunload", (event) => { if (unsent.length) event.preventDefault(); });
draw();
document.body.dataset.ready = "yes";
