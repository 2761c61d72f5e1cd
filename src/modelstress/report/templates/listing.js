// Sorts and filters listings. Their words are read as text and written nowhere.
const number = (text) => Number(text.replace(/[\s\u202f]/g, "").replace("−", "-") || NaN);
const order = (a, b) =>
  isNaN(number(a)) || isNaN(number(b)) ? a.localeCompare(b, "en", { numeric: true }) : number(a) - number(b);
for (const table of document.querySelectorAll("table.list")) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 5) continue;
  const [bar, box, count] = ["p", "input", "output"].map((name) => document.createElement(name));
  Object.assign(box, { type: "search", placeholder: "filter: words of a row", ariaLabel: "Show rows with these words" });
  const filter = () => {
    const words = box.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
  };
  box.addEventListener("input", filter);
  bar.append(box, " ", count);
  table.parentElement.before(bar);
  filter();
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.ariaSort === "ascending" ? -1 : 1;
      for (const other of head.parentElement.cells) other.ariaSort = null;
      head.ariaSort = up === 1 ? "ascending" : "descending";
      table.tBodies[0].append(...rows.sort((a, b) => up * order(a.cells[at].textContent, b.cells[at].textContent)));
    });
  });
}
