// Rest on a link to a theorem, a claim or a reference, and it is shown beside the link; Escape closes it. The
// same goes for a link that the keyboard has reached. Where one cannot hover, only symbols are explained, by a tap.
"use strict";
(() => {
  const hovers = window.matchMedia("(hover: hover)").matches;
  const LINKS = hovers ? ".bd-article a[href*='#']:not(.headerlink)" : ".bd-article a.symbol[href^='#']";
  const DELAY = 300; // ms: nobody wants a box for a pointer that passes by
  const content = document.documentElement.dataset.content_root;
  const root = new URL(content, location.href);
  const known = new Map(), asked = new Map(); // page: its previews; when they are there
  let box = null, shown = null, awaited = null, waiting = 0;

  window.showPreviews = (page, found) => known.set(page, found);

  const load = page => {
    if (!asked.has(page)) asked.set(page, new Promise(done => {
      const script = document.createElement("script");
      script.src = `${root}_previews/${page}.js`;
      script.onload = script.onerror = done; // a page without previews has no script
      document.head.append(script);
    }));
    return asked.get(page);
  };

  const target = link => {
    const url = new URL(link.href, location.href);
    if (!url.hash || !url.href.startsWith(root.href)) return null;
    const page = decodeURIComponent(url.pathname.slice(root.pathname.length)).replace(/\.html$/, "");
    return {page, id: decodeURIComponent(url.hash.slice(1))};
  };

  function hide() {
    clearTimeout(waiting);
    if (!box) return;
    shown.removeAttribute("aria-describedby");
    box.remove();
    box = shown = null;
  }

  async function show(link, tapped) {
    const where = target(link);
    if (!where) return;
    const symbol = link.matches(".symbol[href^='#']");
    if (!symbol) await load(where.page);
    const html = symbol ? document.getElementById(where.id).nextElementSibling.innerHTML.replace(/ id="[^"]*"/g, "")
      : known.get(where.page)?.[where.id];
    if (!html || !tapped && !link.matches(":hover, :focus-visible")) return;
    hide();
    shown = link;
    box = document.createElement("div");
    box.id = "preview";
    box.className = "preview";
    box.setAttribute("role", "tooltip");
    box.innerHTML = html;
    // Within the article, whose styles it shares.
    document.querySelector(".bd-article").append(box);
    link.setAttribute("aria-describedby", box.id);
    if (!symbol) await window.MathJax?.typesetPromise?.([box]);
    if (box) place(link);
  }

  function place(link) {
    const at = link.getClientRects()[0], size = box.getBoundingClientRect();
    const below = at.bottom + size.height + 8 < innerHeight || at.top < innerHeight / 2;
    box.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - size.width - 8))}px`;
    box.style.top = `${below ? at.bottom + 4 : Math.max(8, at.top - size.height - 4)}px`;
    box.style.visibility = "visible";
  }

  const linked = event => event.target.closest?.(LINKS);
  if (!hovers) document.addEventListener("click", event => {
    hide();
    if (!linked(event)) return;
    event.preventDefault();
    show(linked(event), true);
  });
  function arrive(event) {
    const link = hovers && linked(event);
    if (!link || link === shown || link.closest(".preview")) return;
    clearTimeout(waiting);
    awaited = link;
    waiting = setTimeout(() => show(link), DELAY);
  }
  // A pointer that leaves one link, as when the page scrolls, takes nothing from another that has the focus.
  function leave(event) {
    const link = linked(event);
    if (link && link === awaited) clearTimeout(waiting);
    if (!hovers || !box || (link !== shown && !box.contains(event.target))) return;
    // The pointer may go on to the box, to read it or to select from it.
    if (!box.contains(event.relatedTarget) && event.relatedTarget !== shown) hide();
  }
  document.addEventListener("mouseover", arrive);
  document.addEventListener("mouseout", leave);
  document.addEventListener("focusin", event => {
    if (event.target.matches?.(":focus-visible")) arrive(event);
  });
  document.addEventListener("focusout", leave);
  document.addEventListener("keydown", event => { if (event.key === "Escape") hide(); });
  // It stays with its link while that is pointed at or has the focus: to get there may itself scroll the page.
  document.addEventListener("scroll", () => {
    if (box) shown.matches(":hover, :focus-visible") ? place(shown) : hide();
  }, {passive: true});
})();
