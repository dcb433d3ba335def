// Draws the pictures of a report. Runs as a module, so that its names are its own, behind the bundle with vegaEmbed().
const widthForLegend = 640, mostFilterValues = 40, mostLetters = 60, fewValues = 8;

// Returns a text that Vega takes: a line separator would end a line of its expressions, and its tables, which are plain
// objects, already have names such as "constructor".
const harmless = text => (text in {} ? "\u200b" : "") + text.replace(/[\u2028\u2029]/g, " ");
const data = JSON.parse(document.getElementById("report-data").textContent,
                        (_, value) => typeof value === "string" ? harmless(value) : value);

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
const short = text => text.length > mostLetters ? text.slice(0, mostLetters) + "…" : text;
const textOf = value => short(value === null ? "(none)" : typeof value === "number" ? value.toLocaleString("en") : `${value}`);

// Returns the rows of a dataset: new ones each time, because Vega writes into them.
function rowsOf(columns) {
  const names = Object.keys(columns);
  const values = Object.values(columns).map(column => Array.isArray(column) ? column : column.at.map(i => column.of[i]));
  return (values[0] ?? []).map((_, row) => Object.fromEntries(names.map((name, i) => [name, values[i][row]])));
}

// Returns what all pictures share: the page's colours and font, and limits so that texts leave each other room.
function configOf(width) {
  const style = getComputedStyle(document.documentElement);
  const [text, line, grid, mark] = ["--text", "--line", "--grid", "--mark"].map(name => style.getPropertyValue(name));
  const isWide = width >= widthForLegend;
  const ramp = { scheme: "viridis", extent: style.getPropertyValue("--ramp").split(",").map(Number) };
  const texts = { labelColor: text, titleColor: text, titleFontWeight: "normal", labelOverlap: "greedy", labelSeparation: 6 };
  const beside = { orient: "right", labelLimit: 150, titleLimit: 150 };
  const below = { orient: "bottom", columns: Math.max(1, Math.floor(width / 140)), labelLimit: 100, titleLimit: width / 2 };
  return {
    background: null, font: getComputedStyle(document.body).fontFamily, view: { stroke: null },
    mark: { color: mark, tooltip: true }, rule: { color: text }, text: { color: text },
    axis: { ...texts, gridColor: grid, domainColor: line, tickColor: line, labelPadding: 4, labelLimit: isWide ? 180 : 90 },
    axisX: { titleLimit: width / 2 }, axisY: { titleLimit: 180 }, axisQuantitative: { tickCount: isWide ? 8 : 4 },
    legend: { ...texts, symbolLimit: 20, ...(isWide ? beside : below) },
    header: { labelColor: text, titleColor: text, labelLimit: 150, titleLimit: 150 },
    range: { category: style.getPropertyValue("--palette").split(","), ramp, heatmap: ramp, ordinal: ramp },
  };
}

// Shows the values of the mark under the pointer; as text, because names come from others.
const tooltip = document.body.appendChild(element("div", { id: "tooltip", role: "tooltip", hidden: true }));
function showTooltip(handler, event, item, value) {
  tooltip.hidden = value === null || value === undefined || value === "";
  if (tooltip.hidden) return;
  const lines = typeof value === "object" ? Object.entries(value) : [["", value]];
  tooltip.replaceChildren(...lines.map(([name, text]) => element("div", {}, element("b", {}, short(name)), " ", textOf(text))));
  const at = (pointer, room) => `${Math.max(0, Math.min(pointer + 12, room - 8))}px`;
  tooltip.style.left = at(event.clientX, innerWidth - tooltip.offsetWidth);
  tooltip.style.top = at(event.clientY, innerHeight - tooltip.offsetHeight);
}

// A labelled choice: `options` are [value, text].
function selectOf(title, options, chosen) {
  const made = options.map(([value, text]) => element("option", { value, defaultSelected: value === chosen }, short(text)));
  const select = element("select", {}, ...made);
  element("label", {}, short(title), select);
  return select;
}

// The form by which the reader of a picture chooses axes, colour, and rows by their values.
class Choices {
  constructor({ spec, fields }, changed) {
    Object.assign(this, { spec, fields, rows: rowsOf(data.datasets[spec.data.name]), count: element("output") });
    const options = fields.map((field, i) => [i, field.title]);
    const channel = (title, name, offered) =>
      [name, selectOf(title, offered, fields.findIndex(field => field.name === spec.encoding[name]?.field))];
    this.channels = [channel("x axis", "x", options), channel("y axis", "y", options),
                     channel("colour", "color", [[-1, "none"], ...options])];
    this.filters = fields.map(field => ({ field, values: this.valuesOf(field) }))
      .filter(({ values }) => values.length > 1 && values.length <= mostFilterValues);
    for (const filter of this.filters)
      filter.select = selectOf(filter.field.title, [[-1, "all"], ...filter.values.map((value, i) => [i, textOf(value)])], -1);
    const filters = element("div", {}, ...this.filters.map(({ select }) => select.parentElement),
                            element("button", { type: "reset" }, "Reset all"));
    this.form = element("form", { className: "choices" }, ...this.channels.map(([, select]) => select.parentElement),
                        element("details", {}, element("summary", {}, "Filters"), filters), this.count);
    this.form.addEventListener("change", changed);
    this.form.addEventListener("reset", () => setTimeout(changed));  // when the form has been reset
  }

  valuesOf(field, rows = this.rows) {
    const values = [...new Set(rows.map(row => row[field.name]))];
    return field.isNumber ? values.sort((a, b) => a - b) : values;
  }

  // Returns how a channel shows a field of rows: as the spec does, if the spec has it there.
  channelOf(channel, field, rows) {
    if (this.spec.encoding[channel]?.field === field.name) return this.spec.encoding[channel];
    const { name, title, isNumber, isLogarithmic } = field;
    if (!isNumber) return { field: name, title, type: "nominal" };
    const values = this.valuesOf(field, rows), isFew = values.length <= fewValues;
    if (channel === "color" && isFew) return { field: name, title, type: "ordinal" };
    const axis = isFew ? { values } : {};  // a tick for each block size
    const scale = isLogarithmic ? { type: "log", nice: false } : { zero: false };
    return { field: name, title, type: "quantitative", scale, ...(channel === "color" ? {} : { axis }) };
  }

  // Puts what is chosen into a spec, and returns its rows: those that the filters keep and that have a place on the axes.
  applyTo(spec) {
    const chosen = this.channels.map(([channel, select]) => [channel, this.fields[select.value]]).filter(([, field]) => field);
    const kept = this.rows.filter(row => this.filters.every(({ field, values, select }) =>
      select.value === "-1" || row[field.name] === values[select.value]));
    const hasPlace = (value, field) => !field.isNumber || (value !== null && (!field.isLogarithmic || value > 0));
    const shown = kept.filter(row => chosen.every(([name, field]) => name === "color" || hasPlace(row[field.name], field)));
    const { x, y, color, ...others } = spec.encoding;
    const channels = chosen.map(([name, field]) => [name, this.channelOf(name, field, shown)]);
    spec.encoding = { ...others, ...Object.fromEntries(channels) };
    spec.encoding.tooltip ??= this.fields.map(({ name, title, isNumber }) =>
      ({ field: name, title, type: isNumber ? "quantitative" : "nominal" }));
    const left = kept.length - shown.length;
    this.count.textContent = `${textOf(shown.length)} of ${textOf(this.rows.length)} points` +
      (left > 0 ? `; ${textOf(left)} more have no value on these axes` : "");
    return shown.map(row => ({ ...row }));
  }
}

class Picture {
  constructor(chart) {
    Object.assign(this, { chart, figure: document.getElementById(chart.id), drawn: Promise.resolve() });
    this.place = this.figure.querySelector(".chart");
    this.figure.hidden = false;
    if (chart.fields.length > 0) this.choices = new Choices(chart, () => this.draw());
    if (this.choices) this.place.before(this.choices.form);
  }

  // Draws when what is being drawn is done; once for all calls until then.
  draw() {
    if (this.waits) return;
    this.waits = true;
    this.figure.setAttribute("aria-busy", "true");
    const failed = error => {
      console.error(error);
      this.place.textContent = `This picture cannot be drawn: ${short(error.message)}`;
    };
    this.drawn = this.drawn.then(() => this.embed()).catch(failed).then(() => {
      this.place.style.minHeight = "";
      this.figure.setAttribute("aria-busy", `${this.waits}`);
    });
  }

  async embed() {
    this.waits = false;
    const { spec, title } = this.chart, width = this.place.dataset.width = this.place.clientWidth;
    const full = { description: title, ...spec, datasets: {} };
    for (const [name, columns] of Object.entries(data.datasets)) full.datasets[name] = rowsOf(columns);
    if (this.choices) full.datasets[spec.data.name] = this.choices.applyTo(full);
    const fits = (spec.mark || spec.layer) && spec.width === undefined;
    if (fits) full.width = width;
    // Not in the spec, because Vega-Lite warns of it where bars decide on the height.
    const patch = vega => fits ? { ...vega, autosize: { type: "fit-x", contains: "padding" } } : vega;
    this.place.style.minHeight = `${this.place.clientHeight}px`;  // the page does not jump
    this.view?.finalize();
    this.view = undefined;
    tooltip.hidden = true;
    this.place.replaceChildren();
    if (this.choices && full.datasets[spec.data.name].length === 0) return;  // the count says so; Vega warns of no rows
    this.view = await vegaEmbed(this.place, full, { mode: "vega-lite", renderer: "svg", ast: true, actions: false,
                                                    defaultStyle: false, tooltip: showTooltip, patch, config: configOf(width) });
  }
}

const pictures = data.charts.map(chart => new Picture(chart));
const drawAll = () => pictures.forEach(picture => picture.draw());
const drawResized = () => pictures.filter(({ place }) => place.clientWidth !== +place.dataset.width).forEach(each => each.draw());
drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
let timer;
new ResizeObserver(() => {
  clearTimeout(timer);
  timer = setTimeout(drawResized, 100);
}).observe(document.querySelector("main"));
