// Draws one dashboard: node draw.mjs DATA.json PICTURE.png
// DATA is what ops asked Prometheus for (type Drawn in ../live/panels.go).
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import * as echarts from "echarts";

const COLUMN = 60; // pixels; a dashboard has 24 columns
const LINE = 27;
const GAP = 6;
const HEAD = 56;
const COLOURS = ["#3274d9", "#e0752d", "#299c46", "#a352cc", "#c4162a", "#0fa3b1", "#b7950b", "#6d597a", "#7f8c8d", "#ec87c0"];
const MARKS = { deploys: "#3274d9", draining: "#e0752d", alerts: "#c4162a" };

/** A number with its unit, as short as it can be. */
function show(value, unit) {
  if (value === null || value === undefined) return "";
  const plain = (v) => (Math.abs(v) >= 100 || Number.isInteger(v) ? v.toFixed(0) : String(+v.toPrecision(3)));
  const stepped = (v, steps, base) => {
    let i = 0;
    while (Math.abs(v) >= base && i < steps.length - 1) (v /= base), i++;
    return `${plain(v)} ${steps[i]}`.trim();
  };
  switch (unit) {
    case "s":
      if (value === 0) return "0 s";
      if (Math.abs(value) < 0.001) return `${plain(value * 1e6)} µs`;
      if (Math.abs(value) < 1) return `${plain(value * 1e3)} ms`;
      return value >= 120 ? `${plain(value / 60)} min` : `${plain(value)} s`;
    case "percentunit":
      return `${plain(value * 100)} %`;
    case "bytes":
      return stepped(value, ["B", "KiB", "MiB", "GiB"], 1024);
    case "Bps":
      return stepped(value, ["B/s", "kB/s", "MB/s", "GB/s"], 1000);
    case "ops":
      return `${stepped(value, ["", "k", "M", "G"], 1000)}/s`;
    default:
      return stepped(value, ["", "k", "M", "G"], 1000);
  }
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** What all charts share: the axes and the room for them. */
function frame(panel, data) {
  return {
    animation: false,
    color: COLOURS,
    textStyle: { fontFamily: "sans-serif", fontSize: 11 },
    grid: { left: 58, right: 10, top: 8, bottom: 44 },
    legend: {
      bottom: 0, left: 4, right: 4, type: "plain", height: 20, itemWidth: 12, itemHeight: 3, itemGap: 8,
      textStyle: { fontSize: 10, color: "#555" }, icon: "rect",
    },
    xAxis: {
      type: "time", min: data.from * 1000, max: data.to * 1000, splitNumber: 5,
      axisLabel: { fontSize: 10, color: "#777", formatter: "{HH}:{mm}:{ss}", hideOverlap: true },
      splitLine: { show: true, lineStyle: { color: "#f0f0f0" } },
    },
    yAxis: {
      type: "value", min: 0, splitNumber: 4,
      axisLabel: { fontSize: 10, color: "#777", formatter: (v) => show(v, panel.unit) },
      splitLine: { lineStyle: { color: "#eee" } },
    },
  };
}

/** The names of the busiest lines, as many as one line of text has room for. */
function legend(panel, width) {
  const peak = (s) => Math.max(0, ...s.points.map((p) => p[1] ?? 0));
  const names = [...new Set([...panel.series].sort((a, b) => peak(b) - peak(a)).map((s) => s.name))];
  let room = width - 16;
  return names.filter((name) => (room -= 28 + 6.2 * name.length) > 0);
}

/** Lines, or areas on top of each other. */
function lines(panel, data, width) {
  const option = frame(panel, data);
  option.legend.data = legend(panel, width);
  if (panel.max) option.yAxis.max = panel.max;
  option.series = panel.series.map((s) => ({
    name: s.name, type: "line", showSymbol: false, symbol: "none", connectNulls: false,
    stack: panel.stack ? "all" : undefined,
    lineStyle: { width: panel.stack ? 0 : 1.3 },
    areaStyle: { opacity: panel.stack ? 0.6 : 0.06 },
    data: whole(s.points),
  }));
  if (option.series.length > 0) {
    option.series[0].markLine = {
      silent: true, symbol: "none", label: { show: false },
      data: data.marks.map((m) => ({ xAxis: m.at * 1000, lineStyle: { color: MARKS[m.kind], type: "dashed", width: 1, opacity: 0.6 } })),
    };
  }
  return option;
}

/** The points with a hole wherever a scrape is missing. */
function whole(points) {
  const out = [];
  points.forEach(([at, value], i) => {
    if (i > 0 && at - points[i - 1][0] > 5) out.push([at * 1000 - 1, null]);
    out.push([at * 1000, value]);
  });
  return out;
}

/** A histogram over time: each bucket less those below it. */
function heat(panel, data) {
  const bound = (s) => (s.name === "+Inf" ? Infinity : Number(s.name));
  const buckets = [...panel.series].sort((a, b) => bound(a) - bound(b));
  const moments = [...new Set(buckets.flatMap((s) => s.points.map((p) => p[0])))].sort((a, b) => a - b);
  const cells = [];
  let most = 1;
  buckets.forEach((s, y) => {
    const below = new Map(y > 0 ? buckets[y - 1].points : []);
    for (const [at, v] of s.points) {
      const value = Math.max(0, (v ?? 0) - (below.get(at) ?? 0));
      if (value > 0.01) cells.push([moments.indexOf(at), y, value]);
      most = Math.max(most, value);
    }
  });
  const option = frame(panel, data);
  option.legend = undefined;
  option.xAxis = {
    type: "category", data: moments.map((m) => new Date(m * 1000).toISOString().slice(11, 19)),
    axisLabel: { fontSize: 10, color: "#777" },
  };
  option.yAxis = {
    type: "category", data: buckets.map((s) => (s.name === "+Inf" ? "more" : show(Number(s.name), panel.unit))),
    axisLabel: { fontSize: 10, color: "#777" },
  };
  option.visualMap = { show: false, min: 0, max: most, inRange: { color: ["#fff3e0", "#ffb74d", "#e65100", "#5d1a00"] } };
  option.series = [{ type: "heatmap", data: cells, progressive: 0 }];
  return option;
}

/** The last value, large, over its course. */
function number(panel, width, height) {
  const points = panel.series[0]?.points ?? [];
  const values = points.map((p) => p[1]).filter((v) => v !== null);
  const top = Math.max(...values, 1e-9);
  const line = values.map((v, i) => `${((i / Math.max(1, values.length - 1)) * width).toFixed(1)},${(height - (v / top) * height * 0.4).toFixed(1)}`);
  return `<svg width="${width}" height="${height}"><polygon points="0,${height} ${line.join(" ")} ${width},${height}" fill="#3274d9" opacity="0.15"/>
    <text x="${width / 2}" y="${height * 0.55}" text-anchor="middle" font-size="26" font-weight="600" fill="#1f4e8c">${escape(show(values.at(-1), panel.unit))}</text></svg>`;
}

function draw(panel, data) {
  const left = panel.x * COLUMN, top = HEAD + panel.y * LINE;
  const width = panel.w * COLUMN - GAP, height = panel.h * LINE - GAP;
  if (panel.type === "row") {
    return `<h2 style="left:${left}px;top:${top}px;width:${width}px">${escape(panel.title)}</h2>`;
  }
  const inner = height - 24;
  let svg;
  if (panel.type === "stat") {
    svg = number(panel, width, inner);
  } else {
    const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width, height: inner });
    chart.setOption(panel.type === "heatmap" ? heat(panel, data) : lines(panel, data, width));
    svg = chart.renderToSVGString();
    chart.dispose();
  }
  return `<section style="left:${left}px;top:${top}px;width:${width}px;height:${height}px"><h3>${escape(panel.title)}</h3>${svg}</section>`;
}

const [source, target] = process.argv.slice(2);
const data = JSON.parse(readFileSync(source, "utf8"));
data.marks ??= [];
const height = HEAD + Math.max(...data.panels.map((p) => p.y + p.h)) * LINE + GAP;
const marks = Object.entries(MARKS).map(([kind, colour]) => `<span style="color:${colour}">┆ ${kind}</span>`).join(" ");
const html = `<!doctype html><meta charset="utf-8"><style>
  body { margin: 0 ${GAP}px; background: #f4f5f8; font-family: sans-serif; position: relative; }
  h1 { font-size: 20px; margin: 0; padding: 16px 4px; } h1 small { font-size: 12px; font-weight: normal; color: #666; margin-left: 16px; }
  h2 { position: absolute; font-size: 14px; margin: 0; padding-top: 6px; color: #333; }
  section { position: absolute; background: #fff; border: 1px solid #dde; border-radius: 3px; overflow: hidden; }
  h3 { font-size: 12px; margin: 0; padding: 4px 8px; height: 16px; color: #222; white-space: nowrap; }
</style><body><h1>${escape(data.title)}<small>${marks}</small></h1>${data.panels.map((p) => draw(p, data)).join("\n")}</body>`;

const folder = mkdtempSync(join(tmpdir(), "oxo-picture-"));
try {
  const page = join(folder, "page.html");
  writeFileSync(page, html);
  execFileSync("chromium", [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", `--user-data-dir=${join(folder, "profile")}`,
    `--window-size=${24 * COLUMN + 2 * GAP},${height}`, `--screenshot=${resolve(target)}`, pathToFileURL(page).href,
  ], { stdio: ["ignore", "ignore", "pipe"], timeout: 60_000 });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
