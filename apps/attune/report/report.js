// Draws the pictures of a report. Runs as a module, so that its names are its own. Needs vegaEmbed of the bundle.
const data = JSON.parse(document.getElementById("report-data").textContent);
const wideEnough = 640;  // px from which a legend stands beside its picture
const mostFilterValues = 40, mostOptionLetters = 60;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const short = text => text.length > mostOptionLetters ? text.slice(0, mostOptionLetters) + "…" : text;
const textOf = value => value === null ? "(none)" : typeof value === "number" ? value.toLocaleString("en") : String(value);
const distinct = values => [...new Set(values)];

// Returns the rows of a dataset anew, because Vega writes into them.
function rowsOf(columns) {
  const names = Object.keys(columns);
  const values = names.map(name => columns[name].at?.map(i => columns[name].of[i]) ?? columns[name]);
  return (values[0] ?? []).map((_, row) => Object.fromEntries(names.map((name, column) => [name, values[column][row]])));
}

// Returns what all pictures have in common: the page's colours and font, and texts that leave each other room.
function configOf(width) {
  const style = getComputedStyle(document.documentElement);
  const colour = name => style.getPropertyValue(name).trim();
  const [text, faint, line, mark] = ["--text", "--faint", "--line", "--mark"].map(colour);
  const isWide = width >= wideEnough;
  const ramp = { scheme: "viridis" };
  const texts = { labelColor: text, titleColor: text, titleFontWeight: "normal", labelOverlap: "greedy", labelSeparation: 6 };
  const legend = isWide ? { orient: "right", labelLimit: 150, titleLimit: 180 }
                        : { orient: "bottom", columns: Math.max(1, Math.floor(width / 140)), labelLimit: 100, titleLimit: width - 40 };
  return {
    background: null, font: getComputedStyle(document.body).fontFamily, view: { stroke: null },
    mark: { color: mark, tooltip: true }, rule: { color: faint }, text: { color: text, fill: text },
    axis: { ...texts, gridColor: colour("--grid"), domainColor: line, tickColor: line, labelPadding: 4, labelLimit: isWide ? 180 : 90 },
    axisX: { titleLimit: width - 80 }, axisY: { titleLimit: 200 },
    axisQuantitative: { tickCount: isWide ? 8 : 4 },
    legend: { ...texts, symbolLimit: 20, ...legend },
    header: { labelColor: text, titleColor: text, labelLimit: 150 },
    range: { category: colour("--palette").split(/\s*,\s*/), ramp, heatmap: ramp, ordinal: ramp },
  };
}

const tooltip = document.body.appendChild(element("div", { id: "tooltip", role: "tooltip", hidden: true }));

// Shows the values of the mark under the pointer; as text, because names come from others.
function showTooltip(handler, event, item, value) {
  tooltip.hidden = value === null || value === undefined || value === "";
  if (tooltip.hidden) return;
  const rows = typeof value === "object" ? Object.entries(value) : [["", value]];
  tooltip.replaceChildren(...rows.map(([name, text]) => element("div", {}, element("span", {}, short(name) + " "), short(textOf(text)))));
  const room = { x: innerWidth - tooltip.offsetWidth - 8, y: innerHeight - tooltip.offsetHeight - 8 };
  tooltip.style.left = `${Math.max(0, Math.min(event.clientX + 12, room.x))}px`;
  tooltip.style.top = `${Math.max(0, Math.min(event.clientY + 12, room.y))}px`;
}

// The form by which the reader of a picture chooses its axes, its colour, and which rows it has.
class Choices {
  constructor(chart, changed) {
    this.chart = chart;
    this.rows = rowsOf(data.datasets[chart.spec.data.name]);
    const encoding = chart.spec.encoding ?? {};
    const fields = chart.fields.map((field, i) => [i, field.title]);
    this.channels = { x: this.select("x axis", fields), y: this.select("y axis", fields), color: this.select("colour", [["", "none"], ...fields]) };
    for (const [channel, select] of Object.entries(this.channels)) this.preset(select, encoding[channel]?.field);
    this.filters = chart.fields.map(field => ({ field, values: distinct(this.rows.map(row => row[field.name] ?? null)) }))
      .filter(({ values }) => values.length > 1 && values.length <= mostFilterValues);
    for (const filter of this.filters) {
      if (filter.field.isNumber) filter.values.sort((a, b) => a - b);
      filter.select = this.select(filter.field.title, [["", "all"], ...filter.values.map((value, i) => [i, textOf(value)])]);
    }
    this.count = element("output");
    const labels = selects => selects.map(select => select.parentElement);
    this.form = element("form", { className: "choices" }, ...labels(Object.values(this.channels)),
      element("details", {}, element("summary", {}, "Filters"), element("div", {}, ...labels(this.filters.map(f => f.select)), element("button", { type: "reset" }, "Reset"))),
      this.count);
    this.form.addEventListener("change", changed);
    this.form.addEventListener("reset", () => setTimeout(changed));
    this.form.addEventListener("submit", event => event.preventDefault());
  }

  select(title, options) {
    const select = element("select", {}, ...options.map(([value, text]) => element("option", { value }, short(text))));
    element("label", {}, short(title), select);
    return select;
  }

  preset(select, name) {
    const chosen = this.chart.fields.findIndex(field => field.name === name);
    for (const option of select.options) option.defaultSelected = option.value === (chosen < 0 ? "" : String(chosen));
  }

  // Returns how a channel shows a field: as the spec does, if it is the spec's own.
  channelOf(channel, field) {
    const own = this.chart.spec.encoding?.[channel];
    if (own?.field === field.name) return own;
    const isOrdinal = channel === "color" && field.isNumber && distinct(this.rows.map(row => row[field.name])).length <= 8;
    return {
      field: field.name, title: field.title, type: !field.isNumber ? "nominal" : isOrdinal ? "ordinal" : "quantitative",
      ...(field.isNumber && !isOrdinal ? { scale: field.isLogarithmic ? { type: "log", nice: false } : { zero: false } } : {}),
    };
  }

  // Puts the choice into a spec.
  apply(spec, datasets) {
    const encoding = spec.encoding = { ...spec.encoding };
    const chosen = Object.entries(this.channels).map(([channel, select]) => [channel, this.chart.fields[select.value]]);
    for (const [channel, field] of chosen) {
      delete encoding[channel];
      if (field) encoding[channel] = this.channelOf(channel, field);
    }
    encoding.tooltip ??= this.chart.fields.map(({ name, title, isNumber }) => ({ field: name, title, type: isNumber ? "quantitative" : "nominal" }));
    const wanted = this.rows.filter(row => this.filters.every(({ field, values, select }) => select.value === "" || (row[field.name] ?? null) === values[select.value]));
    const shown = wanted.filter(row => chosen.every(([channel, field]) => channel === "color" || this.hasPlace(row[field.name] ?? null, field)));
    const left = wanted.length - shown.length;
    this.count.textContent = `${textOf(shown.length)} of ${textOf(this.rows.length)} points` + (left ? `; ${textOf(left)} more have no value on these axes` : "");
    datasets[this.chart.spec.data.name] = shown.map(row => ({ ...row }));
    return shown.length;
  }

  hasPlace(value, field) { return field.isNumber ? value !== null && (!field.isLogarithmic || value > 0) : true; }
}

class Picture {
  constructor(chart) {
    this.chart = chart;
    this.figure = document.getElementById(chart.id);
    this.place = this.figure.querySelector(".chart");
    this.figure.hidden = false;
    this.drawn = Promise.resolve();
    if (chart.fields.length > 0) {
      this.choices = new Choices(chart, () => this.draw());
      this.place.before(this.choices.form);
    }
  }

  // Draws after what is being drawn; once for all calls that wait.
  draw() {
    this.figure.setAttribute("aria-busy", "true");
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.drawn = this.drawn.then(() => {
      this.isWaiting = false;
      return this.embed();
    }).catch(error => {
      console.error(error);
      this.place.textContent = `This picture cannot be drawn: ${error.message}`;
    }).then(() => { if (!this.isWaiting) this.figure.setAttribute("aria-busy", "false"); });
  }

  async embed() {
    const width = this.width = this.place.clientWidth;
    const { spec } = this.chart;
    const datasets = Object.fromEntries(Object.entries(data.datasets).map(([name, columns]) => [name, rowsOf(columns)]));
    const isOneView = spec.mark !== undefined || spec.layer !== undefined;
    const full = { description: this.chart.title, ...spec, datasets };
    if (isOneView && spec.width === undefined) Object.assign(full, { width, autosize: { type: "fit", contains: "padding" } });
    this.place.style.minHeight = `${this.place.clientHeight}px`;  // the page does not jump
    this.view?.finalize();
    this.view = undefined;
    if (this.choices && this.choices.apply(full, datasets) === 0) this.place.textContent = "No trial is left.";
    else this.view = await vegaEmbed(this.place, full, { mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false, tooltip: showTooltip, config: configOf(width) });
    this.place.style.minHeight = "";
  }
}

const pictures = data.charts.map(chart => new Picture(chart));
const drawAll = () => pictures.forEach(picture => picture.draw());
drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
let timer;
new ResizeObserver(() => {
  clearTimeout(timer);
  timer = setTimeout(() => pictures.filter(picture => picture.place.clientWidth !== picture.width).forEach(picture => picture.draw()), 100);
}).observe(document.querySelector("main"));
