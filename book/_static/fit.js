// What is too wide for its place: a displayed formula shrinks a little if that is enough; whatever else must
// scroll fades out where it goes on, and can be scrolled by the keyboard. And what paper needs.
"use strict";
(() => {
  const BOXES = ".bd-article :is(pre, span.math, div.math, .pst-scrollable-table-container, .pkdp-table, .rests-graph, .cell_output .output)";
  const LEAST = 0.8; // the smallest scale at which a formula is still read with ease

  // Sphinx marks the words of a search when the page is there: none in formulas, which are not typeset yet.
  document.addEventListener("readystatechange", () => {
    for (const formula of document.querySelectorAll(".math")) formula.classList.add("nohighlight");
  }, {once: true});

  const scroller = box => box.matches("div.math") ? box.querySelector("mjx-container") : box;

  function fades(box) {
    const rest = box.scrollWidth - box.clientWidth - box.scrollLeft;
    box.classList.toggle("goes-on", rest > 1);
    box.classList.toggle("came-from", box.scrollLeft > 1);
  }

  // First everything is measured and then everything changed, so that the page is laid out once.
  function fit(boxes) {
    const measured = boxes.filter(box => box.isConnected && box.clientWidth).map(box => {
      const inner = scroller(box) || box;
      const formula = inner.closest(".math") && inner.querySelector("mjx-math");
      const scale = parseFloat(box.style.fontSize) / 100 || 1;
      // A formula has its hidden MathML beside it, which can be wider.
      const width = formula ? formula.getBoundingClientRect().width / scale : inner.scrollWidth;
      return {box, inner, room: (inner.clientWidth + 1) / width};
    });
    for (const {box, inner, room} of measured) {
      const shrinks = box.matches("div.math") && room >= LEAST && room < 1;
      if (box.matches("div.math")) box.style.fontSize = shrinks ? `${Math.floor(room * 100)}%` : "";
      const scrolls = room < 1 && !shrinks;
      if (scrolls === inner.classList.contains("wide")) {
        if (scrolls) fades(inner);
        continue;
      }
      inner.classList.toggle("wide", scrolls);
      if (scrolls) {
        inner.tabIndex = 0;
        inner.addEventListener("scroll", () => fades(inner), {passive: true});
      } else {
        inner.removeAttribute("tabindex");
      }
      fades(inner);
    }
  }

  async function start() {
    await window.MathJax?.startup?.promise;
    const watch = new ResizeObserver(entries => fit(entries.map(entry => entry.target)));
    document.querySelectorAll(BOXES).forEach(box => watch.observe(box));
  }

  // Paper is white, and what is folded in the text (not in the code) is part of the text.
  let before = null;
  window.addEventListener("beforeprint", () => {
    if (before) return;
    const root = document.documentElement;
    const folded = [...document.querySelectorAll(".bd-article details:not([open], .hide, .beside)")];
    before = {theme: root.dataset.theme, folded};
    root.dataset.theme = "light";
    folded.forEach(part => { part.open = true; });
  });
  window.addEventListener("afterprint", () => {
    if (!before) return;
    document.documentElement.dataset.theme = before.theme;
    before.folded.forEach(part => { part.open = false; });
    before = null;
  });

  if (document.readyState === "complete") start();
  else window.addEventListener("load", start);
})();
