// Cells that run: `make live` adds this to the pages it serves. Each cell gets buttons, and the page a line that says what
// runs them. Cells run in one interpreter (`worker.js`), in their order; those above run first.

const cells = [...document.querySelectorAll(".bd-article div.cell")]
  .filter(place => place.querySelector(".cell_input pre"))
  .map((place, at) => ({ place, name: `cell ${at + 1}`, ran: null, kept: null }));

let worker = null;
let waiting = new Map(); // what to do with the outputs of a cell, by its number
let asked = 0;
let busy = false;
let turn = 0; // grows when all is stopped, so that what still waits knows

function made(tag, options = {}, ...children) {
  const element = Object.assign(document.createElement(tag), options);
  element.append(...children);
  return element;
}

function button(text, label, does) {
  const found = made("button", { type: "button", textContent: text, onclick: does });
  found.setAttribute("aria-label", label);
  return found;
}

const codeOf = cell => (cell.editor ? cell.editor.value : cell.code);
const isRun = cell => cell.ran === codeOf(cell);
const say = (cell, words) => { cell.status.textContent = words; };

// The interpreter.

function interpreter() {
  if (worker) return;
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  page.status.textContent = "Python is starting…";
  worker.onmessage = ({ data }) => {
    if (data.ready) {
      page.status.textContent = `Python ${data.version} runs in this page.`;
    } else if (data.failed) {
      stop();
      page.status.textContent = `Python did not start: ${data.failed}.`;
    } else if (data.ended) {
      stop();
      page.status.textContent = `Python ended, and nothing is defined any more: ${data.ended}.`;
    } else {
      waiting.get(data.id)(data.outputs);
      waiting.delete(data.id);
    }
  };
  worker.onerror = event => {
    stop();
    page.status.textContent = `Python did not start: ${event.message || "a file is not there"}.`;
  };
}

function ask(code, name) {
  interpreter();
  asked += 1;
  return new Promise(resolve => {
    waiting.set(asked, resolve);
    worker.postMessage({ id: asked, code, name });
  });
}

function stop() {
  turn += 1;
  worker?.terminate();
  worker = null;
  for (const resolve of waiting.values()) resolve(null);
  waiting = new Map();
  for (const cell of cells) cell.ran = null;
  setBusy(false);
}

function setBusy(state) {
  busy = state;
  document.documentElement.classList.toggle("live-busy", state);
  page.stop.hidden = !state;
  for (const cell of cells) cell.run.setAttribute("aria-disabled", state);
  page.run.setAttribute("aria-disabled", state);
}

// Runs those of the first cells that are not run yet, or whose code is another by now; and the last of them anyway.
async function runTo(last) {
  if (busy) return;
  const now = turn;
  setBusy(true);
  const due = cells.slice(0, last + 1).filter((cell, at) => at === last || !isRun(cell));
  for (const cell of due) say(cell, "waits");
  for (const cell of due) {
    const code = codeOf(cell);
    say(cell, "runs…");
    const outputs = await ask(code, cell.name);
    if (now !== turn) {
      for (const other of due) if (other.ran === null) say(other, "stopped");
      return;
    }
    cell.ran = code;
    await show(cell, outputs);
  }
  setBusy(false);
}

// What a cell shows.

const WORDS = {
  absent: name => `${name} is not here: cells that need it say so.`,
  missing: name => `This cell needs ${name}, which is not here.`,
  lost: name => `This cell needs ${name}, which a cell above would have defined.`,
};
const LACKING = ["missing", "lost"];

function printed(text, kind) {
  const pre = made("pre", { textContent: text });
  return made("div", { className: `output ${kind} highlight-myst-ansi notranslate` }, made("div", { className: "highlight" }, pre));
}

function figureOf(cell) {
  const drawn = cell.stored.find(one => one.querySelector?.("figure.pkdp-figure"));
  const words = made("p", { className: "live-note", textContent:
    `Matplotlib is not here to draw it anew: ${drawn ? "the drawing is the one that comes with the page." : "look for the drawing on its page."}` });
  return drawn ? [words, drawn.querySelector(".output:has(figure.pkdp-figure)").cloneNode(true)] : [words];
}

function element({ kind, text }, cell) {
  if (kind === "text") return [printed(text, "stream")];
  if (kind === "error") return [printed(text, "live-error")];
  if (kind === "html") return [made("div", { className: "output text_html", innerHTML: text })];
  if (kind === "latex") {
    const formula = `\\[${text.replace(/^\$+|\$+$/g, "")}\\]`;
    return [made("div", { className: "output text_latex math notranslate nohighlight", textContent: formula })];
  }
  if (kind === "drawn") return figureOf(cell);
  const kept = LACKING.includes(kind) && cell.stored.length && cell.ran === cell.code;
  const words = WORDS[kind](text) + (kept ? " Below is what the book shows." : "");
  return [made("p", { className: "live-note", textContent: words })];
}

async function show(cell, outputs) {
  const ended = outputs.at(-1)?.kind;
  const lacking = LACKING.includes(ended);
  // What came with the page stays where a cell cannot run, if it is still the same cell.
  for (const one of cell.stored) one.hidden = !lacking || cell.ran !== cell.code;
  cell.output.replaceChildren(...outputs.flatMap(one => element(one, cell)));
  cell.output.hidden = !outputs.length;
  say(cell, ended === "error" ? "ended with an error" : lacking ? "could not run" : "done");
  cell.place.dataset.live = ended === "error" ? ended : lacking ? "lacking" : "done";
  await window.MathJax?.startup?.promise;
  await window.MathJax?.typesetPromise?.([cell.output]);
}

// Editing.

function edit(cell) {
  if (cell.editor) {
    cell.editor.focus();
    return;
  }
  const rows = cell.code.split("\n").length;
  cell.editor = made("textarea", { className: "live-editor", value: cell.code, rows, spellcheck: false, wrap: "off" });
  cell.editor.setAttribute("aria-label", `Code of ${cell.name}`);
  cell.editor.addEventListener("input", () => { cell.editor.rows = cell.editor.value.split("\n").length; });
  cell.editor.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      runTo(cells.indexOf(cell));
    }
  });
  cell.shown.hidden = true;
  cell.shown.after(cell.editor);
  cell.undo.hidden = false;
  cell.editor.focus();
  cell.editor.setSelectionRange(0, 0);
}

function undo(cell) {
  cell.editor.remove();
  cell.editor = null;
  cell.shown.hidden = false;
  cell.undo.hidden = true;
  cell.change.focus();
}

// The page.

function furnish(cell, at) {
  const { place, name } = cell;
  const input = place.querySelector(".cell_input");
  cell.shown = input.firstElementChild;
  cell.code = input.querySelector("pre").textContent.replace(/\n$/, "");
  cell.stored = [...place.querySelectorAll(".cell_output")];
  cell.run = button("Run", `Run ${name}`, () => runTo(at));
  cell.change = button("Edit", `Edit ${name}`, () => {
    const folded = input.closest("details");
    if (folded) folded.open = true;
    edit(cell);
  });
  cell.undo = button("Undo", `Undo the changes of ${name}`, () => undo(cell));
  cell.undo.hidden = true;
  cell.status = made("span", { className: "live-status" });
  cell.status.setAttribute("role", "status");
  const bar = made("div", { className: "live-bar" }, cell.run, cell.change, cell.undo, cell.status);
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", name);
  cell.output = made("div", { className: "cell_output docutils container live-output", hidden: true });
  // Where code and output are folded together, so is what belongs to them.
  const folded = input.closest("details");
  const within = folded && cell.stored.some(one => folded.contains(one));
  (folded && !within ? folded : input).after(bar, cell.output);
}

const page = {};
if (cells.length) {
  page.run = button("Run all cells", "Run all cells", () => runTo(cells.length - 1));
  page.stop = button("Stop", "Stop Python, and forget what has run", () => {
    stop();
    page.status.textContent = "Stopped: nothing is defined any more.";
  });
  page.stop.hidden = true;
  page.status = made("span", { className: "live-status", textContent: "Cells run in this page, when you say so; those above run first." });
  page.status.setAttribute("role", "status");
  const bar = made("div", { className: "live-bar live-page" }, page.run, page.stop, page.status);
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "All cells");
  document.querySelector(".bd-article h1").after(bar);
  cells.forEach(furnish);
  document.documentElement.classList.add("live");
}
