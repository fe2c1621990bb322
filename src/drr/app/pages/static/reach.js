// What scrolls sideways can be reached and scrolled by keyboard; what does not is no stop on the way.
"use strict";
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const scrolls = target.scrollWidth > target.clientWidth;
    for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", target.dataset.label]]) {
      if (scrolls) target.setAttribute(name, value); else target.removeAttribute(name);
    }
  }
});
function reachTables(place) {
  for (const table of place.querySelectorAll("table")) {
    if (table.closest(".scroll")) continue;
    const box = document.createElement("div");
    box.className = "scroll";
    table.replaceWith(box);
    box.append(table);
  }
  for (const box of place.querySelectorAll(".scroll:not([tabindex])")) {
    const head = [...box.querySelectorAll("thead th")].map((cell) => cell.textContent.trim()).filter(Boolean);
    box.dataset.label = "Table" + (head.length ? ": " + head.slice(0, 3).join(", ") : "");
    widths.observe(box);
  }
}
