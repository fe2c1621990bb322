// Choices above a board hide rows and points. What is hidden keeps its rank.
"use strict";
const choices = [...document.querySelectorAll("select[data-by]")], chosen = document.getElementById("chosen");
function choose() {
  const rows = [...document.querySelectorAll("[data-model]")];
  for (const one of rows) one.classList.toggle("hidden", !choices.every((by) => !by.value || (one.getAttribute("data-" + by.dataset.by) || "").split(" ").includes(by.value)));
  const all = rows.filter((one) => one.tagName === "TR" && !one.closest("details")), left = all.filter((one) => !one.classList.contains("hidden"));
  chosen.textContent = left.length < all.length ? left.length + " of " + all.length + " shown" : "";
}
for (const by of choices) by.addEventListener("change", choose);
if (choices.length) choose();  // a browser keeps what was chosen when a page is loaded again
