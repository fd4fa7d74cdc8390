// Python beside the page: one interpreter, which runs one cell after the other. It is a worker, so that the page can be
// read while a cell runs, and a cell that runs for too long can be stopped. All that it loads is here, on this machine.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const here = new URL("./", import.meta.url).href;

async function started() {
  const [python, contents] = await Promise.all([
    loadPyodide({ indexURL: `${here}pyodide/` }),
    fetch(`${here}contents.json`).then(answer => answer.json()),
  ]);
  const archives = contents.archives.map(async name => {
    const answer = await fetch(here + name);
    if (!answer.ok) throw new Error(`${name} is not there`);
    return [name, await answer.arrayBuffer()];
  });
  for (const [name, bytes] of await Promise.all(archives)) {
    // The library reads files of its own, which it looks for beside its modules; the others are read as they are packed.
    if (name === "pkdp.zip") python.unpackArchive(bytes, "zip", { extractDir: "/library" });
    else python.FS.writeFile(`/${name}`, new Uint8Array(bytes));
  }
  if (contents.packages.length) await python.loadPackage(contents.packages, { messageCallback: () => {} });
  const code = await fetch(`${here}cells.py`).then(answer => answer.text());
  python.FS.mkdirTree("/live");
  python.FS.writeFile("/live/cells.py", code);
  const paths = ["/live", "/library", ...contents.archives.filter(name => name !== "pkdp.zip").map(name => `/${name}`)];
  python.globals.set("paths", python.toPy(paths));
  python.runPython("import sys; sys.path[:0] = paths; del paths; import cells; cells.stand_in(); del cells");
  return { python, cells: python.pyimport("cells"), version: python.runPython("import sys; sys.version.split()[0]") };
}

const ready = started();
ready.then(
  ({ version }) => postMessage({ ready: true, version }),
  error => postMessage({ failed: String(error?.message ?? error) }),
);

onmessage = async ({ data }) => {
  const { cells } = await ready;
  try {
    const found = cells.as_plain(cells.run(data.code, data.name));
    postMessage({ id: data.id, outputs: found.toJs({ dict_converter: Object.fromEntries }) });
    found.destroy();
  } catch (error) {
    // What a cell does wrong is among its outputs: this is the end of the interpreter itself.
    postMessage({ ended: String(error?.message ?? error) });
  }
};
