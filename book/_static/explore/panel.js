/* The form and the chart of an explorable figure; see models.js. Nothing is shown without script: the page
   has a figure of its own. A plain script: pages work from a file. */
"use strict";
(() => {
  const LEFT = 68, RIGHT = 14, TOP = 12, BOTTOM = 44; // pixels

  function html(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }
  function svg(tag, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  // The values of a slider, by their places. On a logarithmic scale these are the numbers of two digits.
  function valuesOf({least, most, step = 1, scale, whole}) {
    if (scale !== "log") {
      const decimals = (String(step).split(".")[1] || "").length;
      return Array.from({length: Math.round((most - least) / step) + 1},
        (_, k) => Number((least + k * step).toFixed(decimals)));
    }
    const values = [];
    for (let power = Math.floor(Math.log10(least)) - 1; 10 ** power < most; power++)
      for (let digits = 10; digits < 100; digits++) values.push(Number(`${digits}e${power}`));
    values.push(most);
    return [...new Set(values)].filter(x => x >= least && x <= most && (!whole || Number.isInteger(x)));
  }
  const placeOf = (values, value) => values.reduce((best, one, k) =>
    Math.abs(one - value) < Math.abs(values[best] - value) ? k : best, 0);

  // Four to seven round numbers from `from` to `to`.
  function ticksOf(from, to) {
    const rough = (to - from) / 5, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find(factor => factor * power >= rough);
    const ticks = [];
    for (let k = Math.ceil(from / step - 1e-9); k * step <= to * (1 + 1e-9); k++)
      ticks.push(Number((k * step).toPrecision(6)));
    return ticks;
  }

  function draw(name, {axes}, {curves, mark, also, most}, width) {
    const {across = String, up = String} = axes, ten = axes.logarithmic ? Math.LN10 : 1;
    const heights = curves.flatMap(curve => curve.points.map(([, y]) => y)).filter(Number.isFinite);
    const top = axes.logarithmic ? 0 : axes.most ?? 1.08 * Math.max(...heights, 1e-3);
    // Far below the δ that was asked for nobody looks.
    const bottom = axes.logarithmic ? Math.min(-4, 1.5 * (mark ? mark[1] : -10) / ten) : 0;
    const height = width > 450 ? 300 : 230; // a phone shows the sliders, too
    const right = width - RIGHT, floor = height - BOTTOM;
    const x = value => LEFT + (right - LEFT) * value / most;
    const y = value => TOP + (floor - TOP) * (top - value / ten) / (top - bottom);

    const columns = ticksOf(0, most).filter((_, k, all) => width > 450 || all.length < 6 || k % 2 === 0);
    const stride = Math.ceil((top - bottom) / 6);
    const rows = axes.logarithmic
      ? Array.from({length: Math.floor(-bottom / stride) + 1}, (_, k) => -k * stride) : ticksOf(0, top);
    const clip = `explore-clip-${name}`, middle = {"text-anchor": "middle"};
    const image = svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img"}, svg("clipPath", {id: clip},
      svg("rect", {x: LEFT, y: TOP - 2, width: right - LEFT + 2, height: floor - TOP + 2})));
    for (const tick of columns) image.append(
      svg("line", {class: "grid", x1: x(tick), x2: x(tick), y1: TOP, y2: floor}),
      svg("text", {x: x(tick), y: floor + 16, ...middle}, across(tick)));
    for (const tick of rows) image.append(
      svg("line", {class: "grid", x1: LEFT, x2: right, y1: y(tick * ten), y2: y(tick * ten)}),
      svg("text", {x: LEFT - 6, y: y(tick * ten) + 4, "text-anchor": "end"}, up(tick)));
    image.append(
      svg("text", {class: "axis", x: (LEFT + right) / 2, y: height - 8, ...middle}, axes.x),
      svg("text", {class: "axis", transform: `translate(12 ${(TOP + floor) / 2}) rotate(-90)`, ...middle}, axes.y));
    // What falls out of the chart is drawn as far as a little below its edge.
    const lowest = 3 * bottom * ten;
    for (const {role, points} of curves) {
      const seen = points.filter(([, value]) => value > -Infinity);
      const steps = seen.map(([at, value]) => `${x(at).toFixed(1)} ${y(Math.max(value, lowest)).toFixed(1)}`);
      const d = steps.length ? `M${steps.join("L")}` : "";
      image.append(svg("path", {class: role, d, "clip-path": `url(#${clip})`}));
    }
    for (const point of [mark, also]) if (point && point.every(Number.isFinite) && point[0] <= most)
      image.append(svg("circle", {cx: x(point[0]), cy: y(point[1]), r: 5}));
    return image;
  }

  function build(place) {
    const name = place.dataset.model, model = window.pkdpModels[name];
    const start = JSON.parse(place.dataset.start);
    const settings = {}, controls = [];
    for (const input of model.inputs) {
      const values = valuesOf(input), id = `explore-${name}-${input.name}`;
      const value = start[input.name] ?? input.start;
      const slider = html("input", {type: "range", id, min: 0, max: values.length - 1});
      slider.value = placeOf(values, value); // after its bounds, by which it is judged
      const shown = html("span", {className: "explore-value"}); // heard as the slider's text
      controls.push({input, values, slider, shown, value});
      settings[input.name] = value;
    }
    const chart = html("div", {className: "explore-chart"}), legend = html("p", {className: "explore-legend"});
    const words = html("p", {className: "explore-words"});
    words.setAttribute("role", "status");
    const rows = controls.map(({input, slider, shown}) => html("div", {className: "explore-slider"},
      html("label", {htmlFor: slider.id}, input.label), shown, slider));
    const form = html("form", {}, ...rows, html("button", {type: "reset"}, "Reset"));
    const compact = "compact" in place.dataset; // words for newcomers in place of a chart
    const title = html("p", {className: "explore-title", id: `explore-${name}`}, `Try it: ${model.title}`);
    const shown = compact ? [form, words] : [chart, legend, form, words];
    const group = html("div", {className: "explore-panel"}, title, ...shown);
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", title.id);

    let asked = 0;
    function show() {
      asked = 0;
      const answer = model.answer(settings);
      for (const {input, slider, shown} of controls) {
        shown.textContent = input.show(settings[input.name]);
        slider.setAttribute("aria-valuetext", shown.textContent);
      }
      words.textContent = (compact ? answer.plain : answer.words).replace(/ ([=≈]) /g, "\u00a0$1\u00a0");
      if (compact) return;
      const image = draw(name, model, answer, Math.max(280, chart.clientWidth || 640));
      image.setAttribute("aria-label", `${model.title}: ${model.axes.y} against ${model.axes.x}. ${answer.words}`);
      chart.replaceChildren(image);
      const sample = {viewBox: "0 0 30 8", width: 30, height: 8, "aria-hidden": true};
      legend.replaceChildren(...answer.curves.map(({label, role}) =>
        html("span", {}, svg("svg", sample, svg("path", {class: role, d: "M0 4H30"})), label)));
    }
    const soon = () => { asked ||= requestAnimationFrame(show); };
    for (const {input, values, slider} of controls) slider.addEventListener("input", () => {
      settings[input.name] = values[Number(slider.value)];
      soon();
    });
    form.addEventListener("reset", event => {
      event.preventDefault();
      for (const {input, values, slider, value} of controls) {
        settings[input.name] = value;
        slider.value = placeOf(values, value);
      }
      soon();
    });
    form.addEventListener("submit", event => event.preventDefault());
    place.prepend(group);
    show();
    // The chart is as wide as its place, with letters of one size.
    let width = chart.clientWidth;
    new ResizeObserver(() => {
      if (chart.clientWidth !== width) soon();
      width = chart.clientWidth;
    }).observe(chart);
  }

  document.documentElement.classList.add("explorable");
  document.querySelectorAll(".explore").forEach(build);
})();
