// The viewer's few movements: from claim to passage, filters, side by side, a look for news while a study runs.
"use strict";
reachTables(document);
const marks = [...document.querySelectorAll(".report mark[data-claim]")];
const claims = [...new Set(marks.map((mark) => mark.dataset.claim))];
const drawer = document.getElementById("drawer");
const sides = ["left", "right"].map((side) => document.getElementById(side + "-choice"));
const chosen = { verdict: new Set(), type: new Set() };

function passes(id) {
  const section = document.getElementById(id);
  if (!section) return true;
  if (isHidden(id)) return false;
  const types = section.dataset.types.split(" ");
  return (!chosen.verdict.size || chosen.verdict.has(section.dataset.verdict)) && (!chosen.type.size || types.some((type) => chosen.type.has(type)));
}
function isHidden(id) { return marks.some((mark) => mark.dataset.claim === id && mark.closest(".side.hidden")); }
let opened = "";
function reveal(mark, before) {
  // The browser went to the evidence; the reader stays at the claim, above the drawer.
  requestAnimationFrame(() => {
    scrollTo(0, before);
    const box = mark.getBoundingClientRect(), free = innerHeight - drawer.offsetHeight;
    if (box.top < 0 || box.bottom > free) scrollTo(0, scrollY + box.top - free / 3);
  });
}
function show(id, scroll) {
  const before = scrollY;
  opened = id;
  if (location.hash.slice(1) !== id) history.replaceState(null, "", "#" + id), location.replace("#" + id);
  const twin = drawer ? openDrawer(id) : null;
  for (const mark of marks) mark.classList.toggle("on", mark.dataset.claim === id || mark.dataset.claim === twin);
  const first = marks.find((mark) => mark.dataset.claim === id);
  if (first && drawer) reveal(first, before);
  else if (first && scroll) first.scrollIntoView({ block: "center" });
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
  else if (event.key === "?") { const keys = document.getElementById("keys"); if (keys) keys.open = !keys.open; }
  else if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "[" || event.key === "]") { const to = document.getElementById(event.key === "[" ? "before" : "after"); if (to) location.assign(to.href); }
  else if (event.key === "Escape") { closeEvidence(); for (const mark of marks) mark.classList.remove("on"); }
});
function closeEvidence() {
  opened = "";
  location.replace("#");
  for (const mark of marks) mark.classList.remove("on");
}
// Which claim of the other answer says the same: each is nearest to the other by the words that both have, rare ones counting more, and by addresses. Unknown where too few agree.
const ALIKE = 0.5, ALIKE_WITH_ADDRESS = 0.3;
let paired = "", twins = new Map();
function twinOf(section) {
  const keys = sides.map((select) => select.value);
  if (paired !== keys.join(" ")) [paired, twins] = [keys.join(" "), keys[0] === keys[1] ? new Map() : twinsOf(...keys.map((key) => [...drawer.querySelectorAll(".evidence")].filter((one) => one.dataset.answer === key)))];
  return twins.get(section) || null;
}
function twinsOf(own, others) {
  const words = new Map([...own, ...others].map((one) => [one, new Set(one.querySelector(".said").textContent.toLowerCase().match(/\p{N}+(?:[.,]\p{N}+)*|\p{L}{3,}/gu))])), holders = new Map();
  for (const list of words.values()) for (const word of list) holders.set(word, (holders.get(word) || 0) + 1);
  const weight = (list) => list.reduce((sum, word) => sum + Math.log(1 + words.size / holders.get(word)), 0);
  const likeness = (one, other) => {
    const a = [...words.get(one)], b = words.get(other), shared = weight(a.filter((word) => b.has(word))), all = weight(a) + weight([...b]) - shared;
    const urls = other.dataset.urls.split(" "), address = one.dataset.urls.split(" ").some((url) => url && urls.includes(url)), share = all ? shared / all : 0;
    return share >= (address ? ALIKE_WITH_ADDRESS : ALIKE) ? share + Number(address) : 0;
  };
  const table = own.map((one) => others.map((other) => likeness(one, other))), found = new Map();
  table.forEach((row, at) => {
    const most = Math.max(0, ...row), to = row.indexOf(most);
    if (most > 0 && table.findIndex((each) => each[to] === Math.max(...table.map((one) => one[to]))) === at) found.set(own[at], others[to]).set(others[to], own[at]);
  });
  return found;
}
function openDrawer(id) {
  const section = document.getElementById(id);
  if (!section || !section.dataset.answer) return null;
  const twin = twinOf(section), said = document.getElementById("twin"), at = (one) => String(sides.findIndex((select) => select.value === one.dataset.answer));
  for (const one of drawer.querySelectorAll(".evidence")) one.classList.toggle("twin", one === twin);
  for (const one of [section, twin]) if (one) one.style.order = at(one);
  said.hidden = twin !== null || sides[0].value === sides[1].value;
  said.style.order = at(section) === "0" ? "1" : "-1";
  said.textContent = "Whether the other answer says this is unknown: none of its claims shares enough words and addresses with it.";
  return twin && twin.id;
}
function arrive() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (claims.includes(id) && !(drawer && opened === id)) show(id, true);
  const target = id && document.getElementById(id);
  if (!target) return;
  const fold = target.querySelector(":scope > details");
  if (fold) fold.open = true;
  for (let outer = target.parentElement.closest("details"); outer; outer = outer.parentElement.closest("details")) outer.open = true;
  if (fold) target.scrollIntoView({ block: "nearest" });
}
if (sides[0]) {
  const given = new URLSearchParams(location.search), linked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  sides.forEach((select, at) => { const key = given.get(at ? "right" : "left"); if ([...select.options].some((one) => one.value === key)) select.value = key; });
  if (linked && linked.dataset.answer && !sides.some((select) => select.value === linked.dataset.answer)) sides[0].value = linked.dataset.answer;
  place();
}
// Of many facts the first few are shown, and the rest once somebody asks.
const FEW = 4;
function moreOf(cell, count) {
  const button = document.createElement("button");
  button.textContent = count + " more";
  button.addEventListener("click", () => { cell.dataset.whole = "yes"; tellChanges(); });
  return button;
}
// What the two answers have each for itself; then the claims that both make, and of which the judge says another thing of each.
function tellChanges() {
  const said = document.getElementById("changes"), alike = [];
  if (!said) return;
  for (const row of document.querySelectorAll("#differs tr")) {
    const cells = sides.map((select, at) => [...row.cells].find((cell) => { if (cell.dataset.side === select.value) cell.style.order = at; return cell.dataset.side === select.value; }));
    for (const cell of row.cells) if (cell.dataset.side) cell.classList.toggle("hidden", !cells.includes(cell));
    const facts = cells.map((cell) => [...cell.querySelectorAll("[data-key]")]), keys = facts.map((own) => own.map((one) => one.dataset.key));
    const both = facts[0].filter((one) => keys[1].includes(one.dataset.key));
    facts.forEach((own, at) => {
      const alone = own.filter((one) => !keys[1 - at].includes(one.dataset.key)), shown = new Set(cells[at].dataset.whole || alone.length < 2 * FEW - 1 ? alone : alone.slice(0, FEW));
      for (const one of own) one.classList.toggle("hidden", !shown.has(one));
      cells[at].dataset.none = both.length ? "only what both have: " + both.length : "–";
      for (const old of cells[at].querySelectorAll("button")) old.remove();
      if (alone.length > shown.size) cells[at].append(moreOf(cells[at], alone.length - shown.size));
    });
    row.classList.toggle("hidden", both.length > 0 && facts.every((own) => own.length === both.length));
    if (both.length) alike.push(row.cells[0].textContent + " " + (both.length > 2 ? both.length : both.map((one) => one.textContent).join(", ")));
  }
  const line = document.getElementById("alike");
  if (line) line.textContent = alike.length ? "The same in both: " + alike.join("; ") + "." : "";
  const own = [...drawer.querySelectorAll(".evidence")].filter((one) => one.dataset.answer === sides[0].value);
  const pairs = sides[0].value === sides[1].value ? [] : own.map((one) => [one, twinOf(one)]).filter(([, twin]) => twin);
  const other = pairs.filter(([one, twin]) => one.dataset.verdict !== twin.dataset.verdict);
  said.querySelector("summary").textContent = pairs.length + (pairs.length === 1 ? " claim stands" : " claims stand") + " in both answers, " + other.length + " of them with another verdict";
  said.querySelector("ul").replaceChildren(...other.map(([one, twin]) => {
    const line = document.createElement("li"), link = document.createElement("a");
    link.href = "#" + one.id;
    link.textContent = one.dataset.verdict + " / " + twin.dataset.verdict + ": " + one.querySelector(".said").textContent;
    link.addEventListener("click", (event) => { event.preventDefault(); show(one.id, true); });
    line.append(link);
    return line;
  }));
}
// Words are marked without a change of the page: those that the other answer lacks once somebody asks, and in a transcript those that are looked for.
function mark(places, isMarked) {
  const ranges = [];
  for (const place of places) {
    const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) for (const word of node.data.matchAll(/[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu)) {
      if (!isMarked(word[0].toLowerCase(), place)) continue;
      const range = new Range();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      ranges.push(range);
    }
  }
  if (window.Highlight) CSS.highlights.set("differs", new Highlight(...ranges));
}
const marked = document.getElementById("words");
function markWords() {
  const shown = sides.map((select) => document.querySelector("#side-" + CSS.escape(select.value) + " .report")), own = new Map();
  for (const side of shown) own.set(side, new Set((side.textContent.toLowerCase().match(/[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu) || [])));
  mark(marked.checked ? shown : [], (word, side) => !own.get(shown[1 - shown.indexOf(side)]).has(word));
}
if (marked) marked.addEventListener("change", markWords);
const trace = document.getElementById("trace");
if (trace) {
  const [words, tool, failed, all, hits] = ["words", "tool", "failed", "open", "hits"].map((name) => document.getElementById("trace-" + name));
  const units = [...document.querySelectorAll(".tree .said, .call")], boxes = document.querySelectorAll(".message, .transcript section");
  const choose = () => {
    const parts = words.value.toLowerCase().split(/\s+/).filter(Boolean), has = (place) => parts.every((part) => place.textContent.toLowerCase().includes(part));
    const isCall = tool.value || failed.checked, fits = (unit) => (!isCall || unit.matches(".call")) && (!tool.value || unit.dataset.tool === tool.value) && (!failed.checked || "failed" in unit.dataset) && has(unit);
    const kept = units.filter(fits), shown = new Set(kept);
    for (const unit of units) {
      unit.classList.toggle("hidden", !shown.has(unit));
      for (const fold of unit.querySelectorAll("details")) fold.open = all.checked || (parts.length > 0 && shown.has(unit) && has(fold));
    }
    for (const box of boxes) box.classList.toggle("hidden", !box.querySelector(".said:not(.hidden), .call:not(.hidden)"));
    hits.textContent = parts.length || isCall ? kept.length + " of " + units.length + " steps" : "";
    mark(parts.length ? kept : [], (word) => parts.some((part) => word.includes(part)));
  };
  trace.addEventListener("input", choose);
  const script = document.createElement("script");
  script.src = location.pathname.replace(/^.*\/|\.html$/g, "") + ".js";
  script.addEventListener("load", () => { for (const place of document.querySelectorAll("[data-text]")) place.textContent = window.drrTexts[place.dataset.text]; choose(); });
  document.head.append(script);
}
window.addEventListener("hashchange", arrive);
arrive();
if (sides[0]) tellChanges();

const dimension = document.getElementById("dimension");
if (dimension) dimension.addEventListener("change", () => {
  for (const row of document.querySelectorAll("tr[data-dimension]")) row.classList.toggle("hidden", dimension.value !== "" && row.dataset.dimension !== dimension.value);
});

const choose = document.getElementById("choose");
const deep = document.getElementById("deep"), table = document.getElementById("units");
const rows = table ? [...table.tBodies[0].rows].map((row, asked) => {
  const question = row.querySelector("th");
  return { row, asked, text: (question.title + " " + question.textContent).toLowerCase(),
    cells: [...row.querySelectorAll("td.cell")], units: [...row.querySelectorAll(".unit")].map((unit) => ({ unit, cell: unit.closest("td"), key: (unit.querySelector("a[href]") || { href: "" }).href.replace(/^.*\/|\.html$/g, ""), text: unit.dataset.find.toLowerCase(),
      wrong: unit.dataset.failing !== undefined, has: (unit.dataset.has || "").split(" "), types: (unit.dataset.types || "").split(" "), values: unit.dataset.v === undefined ? null : unit.dataset.v.split(" ").map((one) => one === "" ? null : Number(one)) })) };
}) : [];
// Every word of every answer, loaded when somebody first asks for it.
let vocabulary = null;
function learn() {
  const { keys, words, steps } = window.drrWords, known = words.split(" "), places = steps.split(" ");
  vocabulary = { at: new Map(keys.map((key, place) => [key, place])), known, places };
}
function load() {
  if (window.drrWords || document.getElementById("words")) return;
  const script = document.createElement("script");
  script.id = "words";
  script.src = "words.js";
  script.addEventListener("load", () => { learn(); sift(); });
  script.addEventListener("error", () => { script.remove(); deep.checked = false; sift(); });
  document.head.append(script);
}
function answersWith(part) {
  const { at, known, places } = vocabulary, found = new Uint8Array(at.size);
  for (let word = 0, count = 0; word < known.length && count < at.size; word += 1) {
    if (!known[word].includes(part)) continue;
    let place = 0;
    for (const step of places[word].split(".")) { place += Number(step); count += 1 - found[place]; found[place] = 1; }
  }
  return found;
}
function sift() {
  const value = (id) => { const field = document.getElementById(id); return field ? field.value : ""; };
  const words = value("find").toLowerCase().split(/\s+/).filter(Boolean);
  const checked = (name) => [...document.querySelectorAll("#choose input[name=" + name + "]:checked")].map((one) => one.value);
  const verdicts = checked("verdict"), sources = checked("type"), wrong = document.querySelector("#wrong:checked"), measure = document.getElementById("measure"), at = measure ? Number(measure.value) : -1;
  const least = value("least") === "" ? null : Number(value("least")), most = value("most") === "" ? null : Number(value("most"));
  if (deep && deep.checked && words.length) load();
  const read = deep && deep.checked && vocabulary ? words.map((word) => word.split(/[^\p{L}\p{N}.,]+/u).filter(Boolean).map((part) => answersWith(part.replace(/^[.,]+|[.,]+$/g, "")))) : null;
  const among = (chosen, own) => !chosen.length || chosen.some((one) => own.includes(one));
  let hits = 0, total = 0;
  for (const one of rows) {
    let kept = false;
    one.known = new Map();
    for (const { unit, cell, key, text, has, types, values, wrong: isWrong } of one.units) {
      const own = values ? values[at] : null;
      const fits = words.every((word, n) => (one.text + " " + text).includes(word) || (read && read[n].length && read[n].every((found) => found[vocabulary.at.get(key)])))
        && (!wrong || isWrong) && among(verdicts, has) && among(sources, types)
        && (least === null || (own !== null && own >= least)) && (most === null || (own !== null && own <= most));
      unit.classList.toggle("hidden", !fits);
      kept = kept || fits;
      hits += Number(fits);
      total += 1;
      if (fits && own !== null) one.known.set(cell, [...(one.known.get(cell) || []), own]);
    }
    one.row.classList.toggle("hidden", !kept);
  }
  const said = document.getElementById("hits");
  said.hidden = !(words.length || wrong || verdicts.length || sources.length || least !== null || most !== null);
  if (measure) fill(measure.options[measure.selectedIndex], at, said.hidden);
  const [column, way] = value("order").split("-");
  if (measure) sortTable(table, way ? Number(column) : -1, way || "");
  const { noun = "answers", none = "no answer has all of this" } = table.dataset;
  said.textContent = hits + " of " + total + " " + noun + (hits ? "" : ": " + none) + (deep && deep.checked && words.length && !vocabulary ? "; reports and evidence are being read ..." : "");
}
// The figure that was chosen in every cell, and the mean of a variant over questions.
const meanOf = (list) => list.length ? list.reduce((sum, one) => sum + one, 0) / list.length : null;
// A figure that lies between two goes to the even one, as in the report.
function rounded(number, digits) {
  const parts = number * 2 ** (digits + 1), scaled = number * 10 ** digits;
  return (Number.isInteger(parts) && parts % 2 ? 2 * Math.round(scaled / 2) / 10 ** digits : number).toFixed(digits);
}
// An interval is that of all answers: where some are hidden, none is drawn.
function fill(option, at, whole) {
  const { digits, grade, top, better } = option.dataset, all = rows.flatMap((one) => one.units.map(({ values }) => values && values[at]).filter((own) => own !== null));
  const end = Number(top) || Math.max(0, ...all);
  const told = (number, whole) => number === null ? "–" : rounded(number, whole && Number.isInteger(number) ? 0 : Number(digits));
  const part = (value) => Math.min(Math.max(value / end, 0), 1), x = (value) => Math.round(60 * part(value));
  const paint = (cell, mean) => {
    for (let step = 0; step <= 9; step += 1) cell.classList.remove("s" + step);
    const share = mean === null || !end ? null : part(mean);
    if (share !== null) cell.classList.add("s" + Math.round(9 * (better === "lower" ? 1 - share : share)));
    cell.dataset.sort = mean === null ? "" : String(mean);
  };
  const columns = [];
  for (const one of rows) {
    for (const { unit, values } of one.units) if (values) unit.querySelector("a").textContent = told(values[at], grade !== undefined);
    one.cells.forEach((cell, place) => { const mean = meanOf(one.known.get(cell) || []); paint(cell, mean); if (mean !== null) (columns[place] = columns[place] || []).push(mean); });
  }
  const heads = [...document.querySelectorAll("#standing td.mean")], means = heads.map((_, place) => meanOf(columns[place] || []));
  heads.forEach((cell, place) => {
    cell.querySelector("b").textContent = told(means[place]);
    const bar = cell.querySelector("svg"), ends = ((cell.dataset.ends || "").split(";")[at] || "").split(" ").map(Number), drawn = whole && ends.length === 2 && end > 0;
    cell.title = drawn ? "95 % interval " + ends.map((one) => told(one)).join(" to ") : "";
    if (bar) bar.classList.toggle("unknown", !drawn);
    if (bar && drawn) { bar.firstElementChild.setAttribute("d", "M" + x(ends[0]) + " 6H" + x(ends[1])); bar.lastElementChild.setAttribute("cx", x(means[place])); }
  });
  document.getElementById("legend").textContent = option.title;
  document.getElementById("shown").textContent = option.textContent;
}
if (choose && table) {
  const kept = "drr-choice-" + location.pathname;
  const fields = [...choose.querySelectorAll("input, select")];
  const shown = (field) => field.type === "checkbox" ? (field.checked ? "1" : "") : field.value;
  const set = (field, text) => { if (field.type === "checkbox") field.checked = text === "1"; else if (field.tagName !== "SELECT" || [...field.options].some((one) => one.value === text)) field.value = text; };
  const usual = new Map(fields.map((field) => [field, shown(field)]));
  const given = new URLSearchParams(location.search);
  let before = {};
  const attempt = (act) => { try { act(); } catch (error) { /* a page from disk may have no storage and no address */ } };
  attempt(() => { before = JSON.parse(sessionStorage.getItem(kept) || "{}"); });
  for (const field of fields) {
    if (given.has(field.id)) set(field, given.get(field.id));
    else if (![...given].length && before[field.id] !== undefined) set(field, before[field.id]);
  }
  const more = document.getElementById("more");
  if (more) more.open = fields.some((field) => field.closest("#more") && field.type !== "hidden" && shown(field) !== usual.get(field));
  const keep = () => {
    const chosen = fields.filter((field) => shown(field) !== usual.get(field)).map((field) => [field.id, shown(field)]);
    const address = new URLSearchParams(chosen).toString();
    attempt(() => history.replaceState(null, "", (address ? "?" + address : location.pathname) + location.hash));
    attempt(() => sessionStorage.setItem(kept, JSON.stringify(Object.fromEntries(chosen))));
  };
  choose.addEventListener("input", () => { sift(); keep(); });
  table.addEventListener("order", (event) => { document.getElementById("order").value = event.detail; keep(); });
  sift();
}
function place() {
  for (const article of document.querySelectorAll(".side")) {
    const at = sides.findIndex((select) => "side-" + select.value === article.id);
    article.classList.toggle("hidden", at < 0);
    article.style.order = String(at);
  }
}
function keepPair() {
  const pair = new URLSearchParams(sides.map((select, at) => [at ? "right" : "left", select.value]));
  const open = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const hash = open && isHidden(open.id) ? "" : location.hash;
  try { history.replaceState(null, "", "?" + pair + hash); } catch (error) { location.search = "?" + pair; }
  if (hash !== location.hash || open) { closeEvidence(); if (hash) show(hash.slice(1), false); }
}
if (sides[0]) for (const select of sides) select.addEventListener("change", () => { place(); tellChanges(); keepPair(); markWords(); });

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
  const line = document.getElementById("doing");
  const look = async () => {
    try {
      const { version: now, doing } = await (await fetch(live)).json();
      if (line) line.textContent = doing;
      if (now !== seen) {
        // The index is redrawn by itself; a reader in a report is told and not disturbed.
        const idle = String(getSelection()) === "" && document.activeElement === document.body;
        if (choose && scrollY < 40 && idle) location.reload(); else tell();
      }
      seen = now;
    } catch (error) { /* the server was stopped: the page stays readable */ }
  };
  look();
  setInterval(look, 3000);
}
document.body.dataset.ready = "yes";
