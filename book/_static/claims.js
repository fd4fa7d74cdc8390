/* The form above the lists of claims: filters and a search. What was chosen stands in the address,
   behind the #, as in claims.html#find=figure&status=fails, and is announced to those who listen.
   What a row can be found by is in ledger-data.js. A plain script: pages work from a file. */
(() => {
  "use strict";
  const place = document.querySelector(".claims-filter");
  const ledger = window.ledgerData;
  if (!place || !ledger) return;

  const rows = [...document.querySelectorAll("table.claims-table tbody tr")];
  const tables = [...document.querySelectorAll("table.claims-table")];
  const names = ledger.fields.map(([name]) => name);

  const element = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  // Not "q": Sphinx's own search empties every field of that name.
  const search = element("input", { type: "search", name: "find", autocomplete: "off" });
  const choices = ledger.fields.map(([name, , values]) => element("select", { name },
    element("option", { value: "" }, "all"),
    ...values.map(([value, words]) => element("option", { value }, words))));
  const found = element("p", { className: "claims-found" });
  found.setAttribute("role", "status");
  const form = element("form", {},
    element("label", { className: "claims-search" }, "Search the claims", search),
    ...choices.map((choice, k) => element("label", {}, ledger.fields[k][1], choice)),
    element("button", { type: "reset" }, "Show all"));
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Claims");
  place.append(form, found);

  // As the words were made plain, so is what is looked for.
  const plain = text => text.toLowerCase().replace(/[\\${}*`]+/g, " ").trim().replace(/\s+/g, " ");

  function show() {
    const chosen = choices.map(choice => choice.value);
    const phrase = plain(search.value);
    const fitting = rows.filter(row => {
      const values = ledger.rows[row.id];
      return values && chosen.every((value, k) => !value || values[k] === value);
    });
    const having = test => fitting.filter(row => test(ledger.rows[row.id][names.length]));
    let left = phrase ? having(words => words.includes(phrase)) : fitting;
    // Nowhere one after the other: then all of them anywhere, if only their beginnings.
    if (!left.length) left = having(
      words => phrase.split(" ").every(word => ` ${words}`.includes(` ${word}`)));
    const kept = new Set(left);
    for (const row of rows) row.hidden = !kept.has(row);
    for (const table of tables)
      table.closest("section").hidden = !left.some(row => table.contains(row));
    const results = left.filter(row => row.id.startsWith("own-")).length;
    found.textContent = `${left.length - results} claims, ${results} results of this book`;
  }

  function remember() {
    const state = new URLSearchParams();
    for (const field of [search, ...choices]) if (field.value) state.set(field.name, field.value);
    const hash = state.size ? `#${state}` : location.pathname + location.search;
    history.replaceState(null, "", hash);
  }

  function recall() {
    const state = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    for (const field of [search, ...choices]) field.value = state.get(field.name) || "";
    for (const choice of choices) if (choice.selectedIndex < 0) choice.value = "";
    show();
    // A row that was hidden until now.
    if (!state.size && location.hash)
      document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  }

  const change = () => { show(); remember(); };
  form.addEventListener("input", change);
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(change));
  window.addEventListener("hashchange", recall);
  recall();
})();
