// Whatever scrolls sideways can be reached by the keyboard.
for (const box of document.querySelectorAll(".table-wrapper, .highlight pre, .sidebar-scroll, .toc-scroll"))
  if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;

// Sorts the tables of the leaderboard by the column whose heading is pressed; without it they
// stay in the order of their first median.
const value = (row, column) => {
  const text = row.cells[column].textContent.replace(/[\u202f\s>]/g, "");
  const number = parseFloat(text);
  return Number.isNaN(number) ? text : number;
};
// What has no number stays below what has one, up and down.
const compare = (a, b, sign) => {
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return sign * (typeof a === "number" ? a - b : a.localeCompare(b));
};
const sort = (table, column, heading) => {
  const down = heading.getAttribute("aria-sort") === "ascending";
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => compare(value(a, column), value(b, column), down ? -1 : 1));
  table.tBodies[0].append(...rows);
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
};
for (const table of document.querySelectorAll("#leaderboard table")) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sort(table, column, heading));
    heading.append(button);
  });
}
