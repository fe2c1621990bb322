// Heads of a table sort its rows; a link into a fold opens it. Pages say the same without this.
"use strict";
const places = new WeakMap();
function valueOf(cell) {
  if (cell.tagName === "TH") return null;
  if (cell.dataset.sort !== undefined) return cell.dataset.sort === "" ? null : Number(cell.dataset.sort);
  const found = cell.textContent.replace(/,/g, "").match(/[-+]?\d+(\.\d+)?/);
  return found ? Number(found[0]) : null;
}
// `way` is "down", "up", or "" for the order of the page. Unknown stands last, the noise floor below all.
function sortTable(table, column, way) {
  const rows = [...table.tBodies[0].rows];
  for (const [place, row] of rows.entries()) if (!places.has(row)) places.set(row, place);
  const values = new Map(rows.map((row) => [row, column < 0 ? null : valueOf(row.cells[column])]));
  const known = [...values.values()].some((value) => value !== null), text = (row) => row.cells[Math.max(column, 0)].textContent;
  const sign = way === "up" ? 1 : -1;
  const order = (a, b) => {
    const [x, y] = [values.get(a), values.get(b)];
    if (!way) return 0;
    return known ? (x === null) - (y === null) || sign * ((x || 0) - (y || 0)) : -sign * text(a).localeCompare(text(b));
  };
  rows.sort((a, b) => a.matches(".floor") - b.matches(".floor") || order(a, b) || places.get(a) - places.get(b));
  if (rows.some((row, place) => table.tBodies[0].rows[place] !== row)) table.tBodies[0].append(...rows);
  for (const head of table.tHead.rows[0].cells) {
    if (head.cellIndex === column && way) head.setAttribute("aria-sort", way === "up" ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
  }
}
for (const table of document.querySelectorAll("table.sortable")) {
  for (const head of table.tHead.rows[0].querySelectorAll("th")) {
    // A button would be as wide as its longest word: a text breaks where it must.
    const button = document.createElement("span");
    button.className = "head";
    button.tabIndex = 0;
    button.setAttribute("role", "button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); button.click(); } });
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort"), way = now === "descending" ? "up" : now === "ascending" ? "" : "down";
      sortTable(table, head.cellIndex, way);
      table.dispatchEvent(new CustomEvent("order", { detail: way && head.cellIndex + "-" + way }));
    });
  }
}
function openFolds() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (target) target.scrollIntoView();
}
if (document.querySelector("details.topic")) {
  window.addEventListener("hashchange", openFolds);
  if (location.hash) openFolds();
}
