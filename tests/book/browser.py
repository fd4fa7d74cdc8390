"""A headless Chromium for the tests of the pages, and for looking at them.

Nothing is downloaded: the browser is the one that ``CHROMIUM`` names, or one on the PATH.
``python tests/book/browser.py HTML PICTURES`` photographs every page.
"""

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

# The shell has no window at all, and takes a third less time than the others without theirs.
USUAL_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
WIDTHS = {1280: 800, 390: 844}  # width of the window: its height, pixels
SCHEMES = ("light", "dark")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Whatever a page asks of another host fails at once, and is reported.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
TALLEST = 4000  # pixels of a page on one picture


def find() -> str | None:
    """Return the path of a browser, or None if there is none."""
    named = os.environ.get("CHROMIUM")
    if named:
        found = shutil.which(named)
        if found is None:
            raise FileNotFoundError(f"CHROMIUM must name a program, got {named!r}")
        return found
    return next(filter(None, map(shutil.which, USUAL_NAMES)), None)


def needed() -> str:
    """Return the path of a browser, or end the program with a sentence if there is none."""
    found = find()
    if found is None:
        sys.exit("There is no Chromium here: install it, or name one with CHROMIUM.")
    return found


@contextmanager
def launched(executable: str) -> Iterator[Browser]:
    """Run a browser, with a fresh profile."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


class _Handler(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/favicon.ico":  # asked for unbidden where a page names no icon
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        # A closed tab leaves files half read.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[str]:
    """Let a server answer, in a thread of its own, and yield its address."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder to this machine only and yield its address."""
    handler = partial(_Handler, directory=str(folder))
    with running(_Server(("127.0.0.1", 0), handler)) as address:
        yield address


def pages(html: Path) -> list[str]:
    """Return the paths of all pages of a built book; its index.html only leads to the first."""
    found = (path.relative_to(html).as_posix() for path in html.rglob("*.html"))
    return sorted(name for name in found if not name.startswith("_") and name != "index.html")


# MathJax keeps to what stands in this variable, whoever writes it.
NO_FORMULAS = """
  let options;
  Object.defineProperty(window, 'MathJax', {
    get: () => options,
    set: value => {
      options = value;
      if (!value.version) options.startup = {...options.startup, typeset: false};
    },
  });
"""

# Nothing slides. Said before there is an element, lest the style of each be found twice.
STILL = """
  const still = new CSSStyleSheet();
  still.replaceSync('*, *::before, *::after { transition: none !important }');
  document.adoptedStyleSheets = [still];
"""

FONTS = "async () => { await document.fonts.ready; }"


def settle(page: Page) -> None:
    """Wait until formulas and fonts are in place."""
    page.evaluate("async () => { await window.MathJax?.startup?.promise; }")
    page.evaluate(FONTS)


def show(page: Page, width: int, scheme: str) -> None:
    """Give a page a width and a colour scheme."""
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.wait_for_function(
        "s => [undefined, s].includes(document.documentElement.dataset.theme)", arg=scheme
    )


def photograph(browser: Browser, html: Path, pictures: Path) -> list[Path]:
    """Write every page at every width in every scheme, tall ones in numbered pieces."""
    pictures.mkdir(parents=True, exist_ok=True)
    written = []
    shots = [
        (name, width, scheme) for name in pages(html) for width in WIDTHS for scheme in SCHEMES
    ]
    with served(html) as address, browser.new_page() as page:
        page.add_init_script(STILL)
        for name, width, scheme in shots:
            show(page, width, scheme)
            page.goto(address + name)
            settle(page)
            stem = f"{name.removesuffix('.html').replace('/', '-')}-{width}-{scheme}"
            height = page.evaluate("() => document.documentElement.scrollHeight")
            tops = range(0, height, TALLEST)
            for piece, top in enumerate(tops, start=1):
                path = pictures / f"{stem}{f'-{piece}' if len(tops) > 1 else ''}.png"
                clip = {"x": 0, "y": top, "width": width, "height": min(TALLEST, height - top)}
                page.screenshot(path=path, full_page=True, clip=clip)
                written.append(path)
    return written


def main() -> None:
    html, pictures = map(Path, sys.argv[1:])
    with launched(needed()) as browser:
        print(f"{len(photograph(browser, html, pictures))} pictures in {pictures}")


if __name__ == "__main__":
    main()
