// Draws the part of the unbounded board that is on the screen.

import { strokesOf } from '../marks.ts';
import type { Cell, Mark } from '../net/wire.ts';
import { sameCell } from '../state/variant.ts';
import type { Picture } from './board.ts';
import { segments } from './lines.ts';
import { cellAt, DIGIT, insetsOf, sees, toScreen, widest, type Viewport } from './viewport.ts';
import { adviceFor, weightText } from './weights.ts';

/** A cell with less than this has no number in it, and lines without names. */
const LEGIBLE = 20;
/** Where the names of the columns stand, from below; those of the rows end so far before the paper. */
const EDGE = 13;
const GAP = 5;

export interface Scene {
  readonly view: Viewport;
  readonly picture: Picture;
  readonly taken: ReadonlyMap<string, Mark>;
  /** The cell on which a mark of one's own is shown, as it would be. */
  readonly ghost: Cell | null;
}

/** The colours of the style sheet, which the canvas has to be told. */
export type Colours = Readonly<Record<'sheet' | 'ink' | 'ink-2' | 'x' | 'o' | 'marker' | 'win' | 'lose' | 'pencil' | 'warm', string>>;

export function coloursOf(el: Element): Colours {
  const style = getComputedStyle(el);
  const names = ['sheet', 'ink', 'ink-2', 'x', 'o', 'marker', 'win', 'lose', 'pencil', 'warm'] as const;
  return Object.fromEntries(names.map((n) => [n, style.getPropertyValue(`--${n}`).trim()])) as Colours;
}

const paths = new Map<string, Path2D>();
function path(d: string): Path2D {
  let p = paths.get(d);
  if (!p) paths.set(d, (p = new Path2D(d)));
  return p;
}

export class Ink {
  readonly #g: CanvasRenderingContext2D;
  readonly #font: string;
  #c: Colours | null = null;

  constructor(g: CanvasRenderingContext2D, font: string) {
    this.#g = g;
    this.#font = font;
  }

  set colours(c: Colours) {
    this.#c = c;
  }

  draw(scene: Scene, scale: number): void {
    const [g, c, { view, picture: p }] = [this.#g, this.#c, scene];
    if (!c) return;
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.fillStyle = c.sheet;
    g.fillRect(0, 0, view.w, view.h);
    this.#rules(view, c.ink);
    if (p.weights || p.hint) this.#advice(scene, c);
    const last = p.marks.at(-1)?.cell;
    const line = new Set(p.line?.map((cell) => cell.join()));
    const lineColour = p.outcome === 'won' ? c.win : p.outcome === 'lost' ? c.lose : c.ink;
    for (const { cell, mark } of p.marks) {
      if (!sees(view, cell, -view.cell)) continue;
      const won = line.has(cell.join());
      if (won) this.#tint(view, cell, lineColour, 0.17);
      else if (sameCell(cell, last)) this.#tint(view, cell, c.marker, 1);
      this.#mark(view, cell, mark, won ? lineColour : c[mark], 1);
    }
    if (p.pending) this.#mark(view, p.pending.cell, p.pending.mark, c[p.pending.mark], 0.5);
    if (scene.ghost && p.mine) this.#mark(view, scene.ghost, p.mine, c[p.mine], 0.2);
    if (p.line) this.#strike(view, p, lineColour);
    this.#names(view, c);
  }

  /** The lines of the paper, on whole pixels. */
  #rules({ x, y, cell, w, h }: Viewport, ink: string): void {
    const g = this.#g;
    g.beginPath();
    for (let px = frac(w / 2 - (x + 0.5) * cell, cell); px <= w; px += cell) {
      g.moveTo(Math.round(px) + 0.5, 0);
      g.lineTo(Math.round(px) + 0.5, h);
    }
    for (let py = frac(h / 2 - (y + 0.5) * cell, cell); py <= h; py += cell) {
      g.moveTo(0, Math.round(py) + 0.5);
      g.lineTo(w, Math.round(py) + 0.5);
    }
    g.globalAlpha = 0.38;
    g.strokeStyle = ink;
    g.lineWidth = 1;
    g.stroke();
    g.globalAlpha = 1;
  }

  #tint(view: Viewport, cell: Cell, colour: string, alpha: number): void {
    const at = toScreen(view, cell);
    const r = view.cell / 2 - 1.5;
    this.#g.globalAlpha = alpha;
    this.#g.fillStyle = colour;
    this.#g.beginPath();
    this.#g.roundRect(at.x - r, at.y - r, 2 * r, 2 * r, r * 0.24);
    this.#g.fill();
    this.#g.globalAlpha = 1;
  }

  #mark(view: Viewport, cell: Cell, mark: Mark, colour: string, alpha: number): void {
    const [g, at, [x = 0, y = 0]] = [this.#g, toScreen(view, cell), cell];
    g.save();
    g.translate(at.x - view.cell / 2, at.y - view.cell / 2);
    g.scale(view.cell / 100, view.cell / 100);
    g.globalAlpha = alpha;
    g.strokeStyle = colour;
    g.lineWidth = 13;
    g.lineCap = g.lineJoin = 'round';
    for (const d of strokesOf(mark, Math.abs(x * 7 + y * 3) % 4)) g.stroke(path(d));
    g.restore();
  }

  #strike(view: Viewport, p: Picture, colour: string): void {
    const g = this.#g;
    g.strokeStyle = colour;
    g.lineWidth = Math.max(2, view.cell * 0.11);
    g.lineCap = 'round';
    g.setLineDash(p.outcome === 'lost' ? [view.cell * 0.26, view.cell * 0.3] : []);
    for (const { from, to } of segments(p.line ?? [], p.k)) {
      const [a, b] = [toScreen(view, from), toScreen(view, to)];
      const n = Math.hypot(b.x - a.x, b.y - a.y) / (view.cell * 0.42);
      g.beginPath();
      g.moveTo(a.x - (b.x - a.x) / n, a.y - (b.y - a.y) / n);
      g.lineTo(b.x + (b.x - a.x) / n, b.y + (b.y - a.y) / n);
      g.stroke();
    }
    g.setLineDash([]);
  }

  #advice({ view, picture, taken }: Scene, c: Colours): void {
    const g = this.#g;
    const warm = Number.parseFloat(c.warm) / 100;
    const size = Math.max(9, Math.min(view.cell * 0.32, 20));
    g.textAlign = 'center';
    g.textBaseline = 'middle';
    for (const cell of cellsOf(view)) {
      if (taken.has(cell.join())) continue;
      const advice = adviceFor(cell, picture);
      if (!advice) continue;
      const at = toScreen(view, cell);
      if (advice.heat > 0) this.#tint(view, cell, c.pencil, advice.heat * warm);
      g.lineWidth = 1.5;
      if (advice.most) {
        g.strokeStyle = c.ink;
        g.strokeRect(at.x - view.cell / 2 + 2.5, at.y - view.cell / 2 + 2.5, view.cell - 5, view.cell - 5);
      }
      if (advice.weight !== undefined && view.cell >= LEGIBLE) {
        g.fillStyle = c.ink;
        g.font = `${advice.most ? 700 : 400} ${size}px ${this.#font}`;
        g.fillText(weightText(advice.weight, view.cell < 48), at.x, at.y + 0.5);
      }
      if (advice.hint) {
        g.strokeStyle = c.ink;
        g.lineWidth = 2.5;
        g.setLineDash([5, 4]);
        g.beginPath();
        g.arc(at.x, at.y, view.cell * 0.42, 0, 7);
        g.stroke();
        g.setLineDash([]);
      }
    }
  }

  /** The numbers of rows and columns along the edges. */
  #names(view: Viewport, c: Colours): void {
    const g = this.#g;
    const [left, top] = cellAt(view, { x: 0, y: 0 });
    const [right, bottom] = cellAt(view, { x: view.w, y: view.h });
    const least = DIGIT * widest(view) + GAP;
    const step = view.cell > least ? 1 : 5 * Math.ceil(least / (5 * view.cell));
    const insets = insetsOf(view);
    const [start, end] = [insets.left, view.h - insets.bottom];
    g.fillStyle = c.sheet;
    g.fillRect(0, 0, start, view.h);
    g.fillRect(start, end, view.w, view.h);
    g.font = `11px ${this.#font}`;
    g.textBaseline = 'middle';
    g.fillStyle = c['ink-2'];
    g.textAlign = 'center';
    for (let x = Math.ceil(left / step) * step; x <= right; x += step) {
      const at = toScreen(view, [x, 0]).x;
      if (at > start + 4) g.fillText(String(x + 0), at, view.h - EDGE);
    }
    g.textAlign = 'right';
    for (let y = Math.ceil(top / step) * step; y <= bottom; y += step) {
      const at = toScreen(view, [0, y]).y;
      if (at < end - 4) g.fillText(String(y + 0), start - GAP, at);
    }
  }
}

/** Every cell of which something is on the screen. */
function* cellsOf(view: Viewport): Generator<[number, number]> {
  const [left, top] = cellAt(view, { x: 0, y: 0 });
  const [right, bottom] = cellAt(view, { x: view.w, y: view.h });
  for (let y = top; y <= bottom; y++) for (let x = left; x <= right; x++) yield [x, y];
}

/** The remainder that is not negative. */
function frac(v: number, n: number): number {
  return v - Math.floor(v / n) * n;
}
