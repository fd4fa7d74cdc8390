/* The drawing of a figure as a file, SVG or PNG, made from the one on the page in the colours of print: so the
   book need not carry it twice. A plain script: pages work from a file. */
"use strict";
(() => {
  const SCALE = 3; // pixels of the PNG to one of the page
  const GAP = 12; // between panels

  // All panels in a row.
  function source(figure) {
    const whole = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    let right = 0, bottom = 0;
    for (const panel of figure.querySelectorAll("svg")) {
      const copy = panel.cloneNode(true), {width, height} = panel.viewBox.baseVal;
      const place = {x: right && right + GAP, y: 0, width, height};
      for (const [name, value] of Object.entries(place)) copy.setAttribute(name, value);
      whole.append(copy);
      right = place.x + width;
      bottom = Math.max(bottom, height);
    }
    whole.setAttribute("viewBox", `0 0 ${right} ${bottom}`);
    whole.setAttribute("width", right);
    whole.setAttribute("height", bottom);
    // The colours have names that style sheets can change; a file has none.
    return new XMLSerializer().serializeToString(whole).replace(/var\(--pkdp-[\w-]+, *([^()]+)\)/g, "$1");
  }

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  const kinds = {
    SVG: (figure, name) => save(new Blob([source(figure)], {type: "image/svg+xml"}), `${name}.svg`),
    PNG: (figure, name) => {
      const image = new Image();
      image.onload = () => {
        const canvas = document.createElement("canvas");
        canvas.width = SCALE * image.width;
        canvas.height = SCALE * image.height;
        const ink = canvas.getContext("2d");
        ink.fillStyle = "white";
        ink.fillRect(0, 0, canvas.width, canvas.height);
        ink.drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob(blob => save(blob, `${name}.png`));
      };
      image.src = `data:image/svg+xml,${encodeURIComponent(source(figure))}`;
    },
  };

  for (const line of document.querySelectorAll(".figure-source")) {
    const figure = line.previousElementSibling.querySelector("figure"), command = line.querySelector("code");
    for (const [kind, make] of Object.entries(kinds)) {
      const button = document.createElement("button");
      button.textContent = kind;
      button.addEventListener("click", () => make(figure, line.id.replace("figure-source", "figure")));
      command.before(button, " · ");
    }
  }
})();
