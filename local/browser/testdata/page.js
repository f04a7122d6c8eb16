"use strict";
const element = (id) => document.getElementById(id);
const show = (text) => { element("result").textContent = text; };

element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const files = [...element("files").files].map((f) => f.name).join(" ");
  const values = [element("name").value, element("day").value, element("role").value, element("agree").checked, files];
  setTimeout(() => show(values.join("|")), 50); // a test must wait for it
});
for (const button of document.querySelectorAll("[data-row]")) {
  button.addEventListener("click", () => show(`edit ${button.dataset.row}`));
}
element("copy").addEventListener("click", () => navigator.clipboard.writeText("copied text"));
