"use strict";
// What the pages share. Text of an archive gets into a page only as text: by make() and nameOf().
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const append = (parent, ...children) => { parent.append(...children); return parent; };

// Tables keep their roles when they are shown as cards.
const ROLES = { table: "table", thead: "rowgroup", tbody: "rowgroup", tr: "row", td: "cell" };
const make = (name, text = "", attributes = {}) => {
  const element = document.createElement(name);
  element.textContent = text;
  if (ROLES[name]) element.setAttribute("role", ROLES[name]);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
const row = (...cells) => append(make("tr"), ...cells);
const columnHead = (text, attributes = {}) => make("th", text, { scope: "col", role: "columnheader", ...attributes });

// A name that may be broken after "::", "," and "<".
const nameOf = (text, parent = make("span")) => {
  text.split(/(?<=::|,|<)/).forEach((piece, i) => parent.append(...(i ? [document.createElement("wbr")] : []), piece));
  return parent;
};
const rowHead = (text) => nameOf(text, make("th", "", { scope: "row", role: "rowheader", class: "name" }));

const sizeText = (bytes) => {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 999.5 && unit + 1 < units.length) { bytes /= 1000; unit++; }
  const decimals = unit === 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  return `${bytes.toFixed(decimals)} ${units[unit]}`;
};
const percent = (fraction) => `${(100 * fraction).toFixed(1)}%`;
const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
const known = (value) => value !== null && value !== undefined;
const number = (value) => (known(value) ? String(value) : "?");
const listText = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;

// Modules by name: one as it is, several folded under their count.
const modulesHead = (names) => {
  if (names.length === 1) return rowHead(names[0]);
  const list = append(make("ul"), ...names.map((name) => nameOf(name, make("li"))));
  const details = append(make("details"), make("summary", count(names.length, "module")), list);
  details.open = names.length <= 4;
  details.addEventListener("toggle", fitAll);
  return append(make("th", "", { scope: "row", role: "rowheader", class: "name" }), details);
};

// How a word of coverage is coloured.
const coverageClass = (word) =>
  word === "-" ? "none" : word.startsWith("ptx") || word.startsWith("tile") ? "jit" : word.startsWith("lto") ? "link" : "code";
const coverageText = (word) => (word === "-" ? "–" : word);

// Targets in the order in which archives list them: code, PTX, LTO-IR, others.
const targetKey = (target) => {
  const kind = ["sm_", "compute_", "lto_"].findIndex((prefix) => target.startsWith(prefix));
  return [kind < 0 ? 3 : kind, parseInt(target.replace(/^\D+/, ""), 10) || 0, target];
};
const compareTargets = (a, b) => {
  const [x, y] = [targetKey(a), targetKey(b)];
  return x[0] - y[0] || x[1] - y[1] || (x[2] < y[2] ? -1 : x[2] > y[2] ? 1 : 0);
};

// A fact of the list at the top: what it says, then more of it.
const fact = (kind, title, ...more) =>
  append(make("li", "", { class: kind }), make("b", title), ...more);

// Shows the rows of tables that are too wide for their boxes as cards.
const fit = (table) => {
  const box = table.parentElement;
  table.classList.remove("cards");
  if (table.scrollWidth > box.clientWidth) table.classList.add("cards");
};
const fitAll = () => document.querySelectorAll(".scroll > table").forEach(fit);
const fitOnResize = () => {
  let width = 0;
  new ResizeObserver(() => {
    if (document.body.clientWidth === width) return;
    width = document.body.clientWidth;
    requestAnimationFrame(fitAll);
  }).observe(document.body);
};

// Names what is in each cell, for cards.
const label = (table) => {
  const titles = [...table.tHead.rows[0].cells].map((cell) => cell.dataset.label ?? cell.textContent);
  for (const line of table.tBodies[0].rows) {
    [...line.cells].forEach((cell, i) => cell.setAttribute("data-label", titles[i]));
  }
};
const fill = (table, head, body) => {
  table.setAttribute("role", "table");
  table.replaceChildren(append(make("thead"), head), body);
  label(table);
  fit(table);
};

// Text in the order in which people look for it. Unknown values come last, whichever way the rest is sorted.
const collator = new Intl.Collator("en", { numeric: true });
const compareValues = (x, y, descending) => {
  if (!known(x) || !known(y)) return (known(x) ? 0 : 1) - (known(y) ? 0 : 1);
  const order = typeof x === "number" ? x - y : collator.compare(x, y);
  return descending ? -order : order;
};

// A table that its headings sort. A column has a title, a hint, a class, value(item) to sort by, and cell(item): a cell,
// or its text. `items()` are those to show; before a heading is chosen they are in the order in which they come.
const PAGE = 500;
const sortable = (table, columns, { items, key = "", descending = false, more = null, onRow = () => {} }) => {
  const view = { key, descending, all: false };
  const heads = columns.map((column) => {
    const cell = columnHead("", { class: column.class ?? "", "data-label": column.label ?? column.title });
    const button = make("button", column.title, { type: "button" });
    button.addEventListener("click", () => {
      view.descending = view.key === column.key ? !view.descending : column.descending ?? false;
      view.key = column.key;
      show();
    });
    return append(cell, button, ...(column.hint ? [make("small", column.hint)] : []));
  });
  const cellOf = (item, column) => {
    const cell = column.cell(item);
    return cell instanceof Node ? cell : make("td", cell, { class: column.class ?? "" });
  };
  const show = () => {
    const column = columns.find((candidate) => candidate.key === view.key);
    const found = [...items()];
    if (column) found.sort((a, b) => compareValues(column.value(a), column.value(b), view.descending));
    const shown = view.all ? found : found.slice(0, PAGE);
    const body = make("tbody");
    for (const item of shown) {
      const line = row(...columns.map((candidate) => cellOf(item, candidate)));
      onRow(line, item);
      body.append(line);
    }
    heads.forEach((head, i) => {
      const sorted = columns[i].key === view.key;
      head.setAttribute("aria-sort", sorted ? (view.descending ? "descending" : "ascending") : "none");
    });
    const focused = heads.find((head) => head.contains(document.activeElement));
    fill(table, row(...heads), body);
    table.tHead.classList.add("sorts");
    focused?.querySelector("button").focus();
    if (more) {
      more.hidden = shown.length === found.length;
      more.textContent = `Show all ${found.length}`;
    }
  };
  more?.addEventListener("click", () => { view.all = true; show(); });
  return { show, restart: () => { view.all = false; show(); } };
};

// The arrow keys go from row to row.
const moveInTable = (event) => {
  const line = event.target.closest("tbody tr");
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (line === null || step === undefined || line[step] === null) return;
  event.preventDefault();
  line[step].querySelector("button")?.focus();
};
