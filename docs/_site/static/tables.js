/* Adds a filter field and sortable columns to long tables, and lets the keyboard scroll what is wider than the page.
   Without JavaScript they stay plain tables. */
"use strict";

(() => {
  const LONG = 25; // rows from which a table gets a filter

  /* Numbers sort by value, with commas, percent signs and `1 to 1` pays; everything else sorts as text. */
  const key = (cell) => {
    const text = cell.textContent.trim();
    const found = /^[-+]?\$?[\d,]+(\.\d+)?/.exec(text);
    return found ? parseFloat(found[0].replace(/[$,]/g, "")) : text.toLowerCase();
  };

  const compare = (one, other) => {
    if (typeof one === typeof other) return one < other ? -1 : one > other ? 1 : 0;
    return typeof one === "number" ? -1 : 1;
  };

  /* Bets that are made together are one word, `ante+blind+play`; let it wrap after a plus sign. */
  const wrappable = (cell) => {
    const text = cell.querySelector("p") || cell;
    if (text.childElementCount || !text.textContent.includes("+")) return;
    const parts = text.textContent.split(/(?<=\+)/);
    text.replaceChildren(...parts.flatMap((part) => [part, document.createElement("wbr")]));
  };

  const sortable = (table, rows) => {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...(head.querySelector("p") || head).childNodes);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const keyed = rows.map((row) => [key(row.cells[at]), row]);
        keyed.sort((one, other) => (down ? compare(other[0], one[0]) : compare(one[0], other[0])));
        body.append(...keyed.map((pair) => pair[1]));
      });
    });
  };

  const filterable = (table, rows, number) => {
    const box = document.createElement("div");
    box.className = "filter";
    const label = document.createElement("label");
    label.htmlFor = `filter-${number}`;
    label.textContent = "Filter";
    const field = document.createElement("input");
    field.type = "search";
    field.id = label.htmlFor;
    field.placeholder = "words that a row must contain";
    field.autocomplete = "off";
    const count = document.createElement("span");
    count.setAttribute("role", "status");
    box.append(label, field, count);
    (table.closest(".table-wrapper") || table).before(box);
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const apply = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, at) => {
        row.hidden = !words.every((word) => texts[at].includes(word));
        shown += row.hidden ? 0 : 1;
      });
      count.textContent = words.length ? `${shown} of ${rows.length} rows` : `${rows.length} rows`;
    };
    field.addEventListener("input", apply);
    apply();
  };

  const scrollable = () => {
    document.querySelectorAll("article .table-wrapper, article pre").forEach((box) => {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    });
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("article table.docutils").forEach((table, number) => {
      const rows = [...table.tBodies[0].rows];
      if (rows.length < LONG || !table.tHead) return;
      table.classList.add("long");
      rows.forEach((row) => [...row.cells].forEach(wrappable));
      sortable(table, rows);
      filterable(table, rows, number);
    });
    scrollable();
    window.addEventListener("resize", scrollable);
  });
})();
