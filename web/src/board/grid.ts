// One layer of a board: a grid of buttons, which gives hit-testing, focus and
// names for assistive software for nothing, and is fast up to 19 x 19.

import { h, set, svg } from '../dom.ts';
import { markOf } from '../marks.ts';
import type { Cell, Mark } from '../net/wire.ts';
import { columnName } from '../state/variant.ts';
import { segments } from './lines.ts';
import { weightText, type CellAdvice } from './weights.ts';

export interface CellLook {
  readonly mark: Mark;
  readonly pending: boolean;
  readonly last: boolean;
  readonly line: boolean;
}

interface Callbacks {
  play(x: number, y: number): void;
  /** Whether the click that is being handled came from one pointer alone. */
  clean(): boolean;
  /** Whether it came from a finger. */
  touch(): boolean;
  /** A finger has pointed at a small cell; the same cell again plays. */
  aim(x: number, y: number): void;
  /** The focus goes to another layer. */
  leave(x: number, y: number, dz: number): void;
}

/** A cell narrower than this is aimed at first, when it is a finger that plays. */
const FINGER_PX = 30;

/** Boards of more cells a side than this have thin lines and a frame. */
const ROOMY = 6;

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  Home: [-99, 0],
  End: [99, 0],
};

export class Grid {
  readonly el: HTMLElement;
  readonly w: number;
  readonly h: number;
  readonly #on: Callbacks;
  readonly #cells: HTMLElement;
  readonly #buttons: HTMLButtonElement[] = [];
  readonly #shown: string[] = [];
  readonly #strike: SVGSVGElement;
  #ghost: SVGSVGElement | null = null;
  #mine: Mark | null = null;
  #fresh = true;
  #entry = 0;
  #over: number | null = null;
  readonly #advised: (string | undefined)[] = [];
  #aimed: number | null = null;

  constructor(w: number, rows: number, on: Callbacks) {
    this.w = w;
    this.h = rows;
    this.#on = on;
    this.#cells = h('div', { class: 'cells', role: 'grid' });
    for (let y = 0; y < rows; y++) {
      const row = h('div', { class: 'row', role: 'row' });
      for (let x = 0; x < w; x++) {
        const button = h('button', { type: 'button', class: 'cell', tabindex: '-1', 'data-n': y * w + x });
        this.#buttons.push(button);
        row.append(h('div', { role: 'gridcell' }, button));
      }
      this.#cells.append(row);
    }
    this.#strike = svg('svg', { class: 'strike', viewBox: `0 0 ${w * 100} ${rows * 100}`, 'aria-hidden': 'true' });
    const size = Math.max(w, rows) > ROOMY ? 'grid grid-fine' : 'grid';
    this.el = h('div', { class: size }, this.#letters(), this.#numbers(), h('div', { class: 'field' }, this.#rules(), this.#cells, this.#strike));
    this.#listen();
  }

  label(text: string): void {
    set(this.#cells, 'aria-label', text);
  }

  /** The cell on which the keyboard enters the grid. */
  enter(x: number, y: number): void {
    set(this.#buttons[this.#entry]!, 'tabindex', '-1');
    this.#entry = y * this.w + x;
    set(this.#buttons[this.#entry]!, 'tabindex', '0');
  }

  focus(x: number, y: number): void {
    this.enter(x, y);
    this.#buttons[this.#entry]!.focus();
  }

  /** Starts a picture; `fresh` marks appear without being drawn in. */
  begin(fresh: boolean, mine: Mark | null, outcome: string): void {
    this.#fresh = fresh;
    if (this.#mine !== mine) {
      this.#haunt(null);
      this.#aimed = null;
    }
    this.#mine = mine;
    set(this.#cells, 'class', `cells cells-${outcome}${mine ? ' cells-open' : ''}`);
  }

  cell(x: number, y: number, look: CellLook | null, label: string): void {
    const n = y * this.w + x;
    const button = this.#buttons[n]!;
    set(button, 'aria-label', label);
    const kind = look ? `${look.mark}${look.pending ? ' pending' : ''}${look.last ? ' last' : ''}${look.line ? ' won' : ''}` : '';
    const before = this.#shown[n] ?? '';
    if (before === kind) return;
    this.#shown[n] = kind;
    const had = before.split(' ')[0] ?? '';
    if (look?.mark !== had) {
      if (look) {
        const mark = markOf(look.mark, (x * 7 + y * 3) % 4);
        if (!this.#fresh) mark.classList.add('drawing');
        button.replaceChildren(mark);
      } else button.replaceChildren();
    }
    set(button, 'class', `cell${look ? ` has ${kind.split(' ').map((k) => `is-${k}`).join(' ')}` : ''}`);
  }

  /** Writes what the engine says into an empty cell. */
  advise(x: number, y: number, advice: CellAdvice | undefined): void {
    const n = y * this.w + x;
    const stamp = advice && `${advice.hint} ${advice.weight}`;
    if (this.#advised[n] === stamp) return;
    this.#advised[n] = stamp;
    const button = this.#buttons[n]!;
    set(button, 'data-hint', advice?.hint);
    button.querySelector('.weight')?.remove();
    if (advice?.weight === undefined) return;
    const label = h('span', { class: advice.most ? 'weight weight-most' : 'weight', 'data-weight': weightText(advice.weight, this.w > ROOMY) });
    label.style.setProperty('--heat', advice.heat.toFixed(2));
    button.prepend(label);
  }

  /** The cell under the mouse, or with the focus. */
  pointed(): { x: number; y: number } | null {
    const at = document.activeElement;
    const n = this.#over ?? this.#buttons.findIndex((b) => b === at);
    return n < 0 ? null : { x: n % this.w, y: Math.floor(n / this.w) };
  }

  /** Draws the strokes through the winning cells. */
  strike(line: readonly Cell[] | null, k: number): void {
    const stamp = JSON.stringify(line);
    if (this.#strike.dataset['stamp'] === stamp) return;
    this.#strike.dataset['stamp'] = stamp;
    this.#strike.replaceChildren(...(line ? segments(line, k) : []).map(({ from, to }) => {
      const [dx, dy] = [Math.sign(to[0]! - from[0]!), Math.sign(to[1]! - from[1]!)];
      const reach = dx !== 0 && dy !== 0 ? 32 : 40; // past the middle of the outer cells
      const at = (c: Cell, sign: number): string => `${c[0]! * 100 + 50 + sign * dx * reach} ${c[1]! * 100 + 50 + sign * dy * reach}`;
      return svg('path', { d: `M${at(from, -1)}L${at(to, 1)}`, class: this.#fresh ? '' : 'drawing' });
    }));
  }

  #letters(): HTMLElement {
    return h('div', { class: 'letters', 'aria-hidden': 'true' }, ...Array.from({ length: this.w }, (_, x) => h('span', {}, columnName(x))));
  }

  #numbers(): HTMLElement {
    return h('div', { class: 'numbers', 'aria-hidden': 'true' }, ...Array.from({ length: this.h }, (_, y) => h('span', {}, String(this.h - y))));
  }

  /** The ruled lines; on a roomy board by hand, that is, not quite straight. */
  #rules(): SVGSVGElement {
    const [W, H] = [this.w * 100, this.h * 100];
    const fine = Math.max(this.w, this.h) > ROOMY;
    const bend = fine ? 0 : 2.5;
    const lines: SVGPathElement[] = [];
    for (let x = 1; x < this.w; x++) {
      const b = x % 2 ? bend : -bend;
      lines.push(svg('path', { d: `M${x * 100 - b} ${fine ? 0 : 8}C${x * 100 + b} ${H * 0.3} ${x * 100 - b} ${H * 0.7} ${x * 100 + b} ${fine ? H : H - 6}` }));
    }
    for (let y = 1; y < this.h; y++) {
      const b = y % 2 ? -bend : bend;
      lines.push(svg('path', { d: `M${fine ? 0 : 6} ${y * 100 - b}C${W * 0.3} ${y * 100 + b} ${W * 0.7} ${y * 100 - b} ${fine ? W : W - 8} ${y * 100 + b}` }));
    }
    if (fine) lines.push(svg('path', { d: `M0 0H${W}V${H}H0Z`, class: 'frame' }));
    return svg('svg', { class: 'rules', viewBox: `0 0 ${W} ${H}`, 'aria-hidden': 'true' }, ...lines);
  }

  #listen(): void {
    const place = (e: Event): number | null => {
      const b = e.target instanceof Element ? e.target.closest<HTMLElement>('.cell') : null;
      return b ? Number(b.dataset['n']) : null;
    };
    this.#cells.addEventListener('click', (e) => {
      const n = place(e);
      if (n === null || (e.detail > 0 && !this.#on.clean())) return; // detail 0: by the keyboard
      this.enter(n % this.w, Math.floor(n / this.w));
      const small = e.detail > 0 && this.#on.touch() && this.#buttons[n]!.offsetWidth < FINGER_PX;
      if (small && this.#mine && !this.#shown[n] && this.#aimed !== n) {
        this.#aimed = n;
        this.#haunt(n);
        return this.#on.aim(n % this.w, Math.floor(n / this.w));
      }
      this.#aimed = null;
      this.#on.play(n % this.w, Math.floor(n / this.w));
    });
    this.#cells.addEventListener('keydown', (e) => {
      const n = place(e);
      if (n === null || e.altKey || e.ctrlKey || e.metaKey) return;
      if (e.repeat && (e.code === 'Enter' || e.code === 'NumpadEnter' || e.code === 'Space')) return e.preventDefault();
      const [x, y] = [n % this.w, Math.floor(n / this.w)];
      if (e.code === 'PageUp' || e.code === 'PageDown') {
        e.preventDefault();
        return this.#on.leave(x, y, e.code === 'PageUp' ? -1 : 1);
      }
      const step = STEPS[e.code];
      if (!step) return;
      e.preventDefault();
      this.focus(clamp(x + step[0], this.w), clamp(y + step[1], this.h));
    });
    this.#cells.addEventListener('pointerover', (e) => {
      if (e.pointerType !== 'mouse') return;
      this.#over = place(e);
      this.#haunt(this.#over);
    });
    this.#cells.addEventListener('pointerleave', (e) => {
      if (e.pointerType !== 'mouse') return;
      this.#over = null;
      this.#haunt(null);
    });
    this.#cells.addEventListener('focusin', (e) => {
      const n = place(e);
      if (n !== null) this.enter(n % this.w, Math.floor(n / this.w));
    });
  }

  /** Shows the mark that a click would make on the cell under the mouse. */
  #haunt(n: number | null): void {
    this.#ghost?.remove();
    this.#ghost = null;
    if (n === null || !this.#mine || this.#shown[n]) return;
    this.#ghost = markOf(this.#mine, ((n % this.w) * 7 + Math.floor(n / this.w) * 3) % 4);
    this.#ghost.classList.add('ghost');
    this.#buttons[n]!.append(this.#ghost);
  }
}

function clamp(v: number, n: number): number {
  return Math.max(0, Math.min(n - 1, v));
}
