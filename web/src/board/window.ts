// The part of the unbounded board that the keyboard is on, as a grid of buttons
// over the canvas: focus, names and clicks for those who do not use a pointer.

import { h, set } from '../dom.ts';
import type { Cell } from '../net/wire.ts';
import { LIMIT, toScreen, type Viewport } from './viewport.ts';

const SIDE = 15;
const HALF = (SIDE - 1) / 2;

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  PageUp: [0, -HALF],
  PageDown: [0, HALF],
};

interface Callbacks {
  play(cell: Cell): void;
  /** The keyboard is on another cell. */
  moved(cell: Cell): void;
  describe(cell: Cell): string;
  /** The cell that Home leads to. */
  home(): Cell;
}

export class CellWindow {
  readonly el: HTMLElement;
  readonly #on: Callbacks;
  readonly #buttons: HTMLButtonElement[] = [];
  #left = -HALF;
  #top = -HALF;
  #x = 0;
  #y = 0;

  constructor(label: string, on: Callbacks) {
    this.#on = on;
    this.el = h('div', { class: 'sheet-window', role: 'grid', 'aria-label': label });
    for (let y = 0; y < SIDE; y++) {
      const row = h('div', { class: 'row', role: 'row' });
      for (let x = 0; x < SIDE; x++) {
        const button = h('button', { type: 'button', class: 'cell', tabindex: '-1', 'data-n': y * SIDE + x });
        this.#buttons.push(button);
        row.append(h('div', { role: 'gridcell' }, button));
      }
      this.el.append(row);
    }
    this.#enter();
    this.el.addEventListener('click', (e) => {
      const cell = this.#cellOf(e.target);
      if (cell) this.#on.play(cell);
    });
    this.el.addEventListener('focusin', (e) => {
      const cell = this.#cellOf(e.target);
      if (cell) this.#go(cell, false);
    });
    this.el.addEventListener('keydown', (e) => this.#key(e));
  }

  get cursor(): Cell {
    return [this.#x, this.#y];
  }

  /** The cell that has the focus. */
  get focused(): Cell | null {
    return this.el.contains(document.activeElement) ? this.cursor : null;
  }

  /** Puts the cursor somewhere, and the focus only if it was here. Whoever does it knows, so nobody is told. */
  jump(cell: Cell): void {
    this.#go(cell, this.focused !== null, false);
  }

  focus(): void {
    this.#button().focus({ preventScroll: true });
  }

  /** Writes the names of all cells anew. */
  describe(): void {
    for (const [n, button] of this.#buttons.entries()) set(button, 'aria-label', this.#on.describe(this.#cell(n)));
  }

  /** Lies down over the cells of the canvas. */
  place(v: Viewport): void {
    const at = toScreen(v, [this.#left, this.#top]);
    const { style } = this.el;
    style.left = `${at.x - v.cell / 2}px`;
    style.top = `${at.y - v.cell / 2}px`;
    style.width = style.height = `${v.cell * SIDE}px`;
  }

  #cell(n: number): [number, number] {
    return [this.#left + (n % SIDE), this.#top + Math.floor(n / SIDE)];
  }

  #cellOf(target: EventTarget | null): [number, number] | null {
    const button = target instanceof Element ? target.closest<HTMLElement>('.cell') : null;
    return button ? this.#cell(Number(button.dataset['n'])) : null;
  }

  #key(e: KeyboardEvent): void {
    if (e.altKey || e.ctrlKey || e.metaKey) return;
    if (e.repeat && (e.code === 'Enter' || e.code === 'NumpadEnter' || e.code === 'Space')) return e.preventDefault();
    const step = STEPS[e.code];
    if (!step && e.code !== 'Home') return;
    e.preventDefault();
    this.#go(step ? [this.#x + step[0], this.#y + step[1]] : this.#on.home(), true);
  }

  #go([x = 0, y = 0]: Cell, focus: boolean, tell = true): void {
    [x, y] = [Math.max(-LIMIT, Math.min(LIMIT, x)), Math.max(-LIMIT, Math.min(LIMIT, y))];
    if (x === this.#x && y === this.#y) return;
    set(this.#button(), 'tabindex', '-1');
    [this.#x, this.#y] = [x, y];
    // The cursor is never at the edge: whoever listens hears of the neighbours.
    if (Math.max(Math.abs(x - this.#left - HALF), Math.abs(y - this.#top - HALF)) >= HALF) {
      [this.#left, this.#top] = [x - HALF, y - HALF];
      this.describe();
    }
    this.#enter();
    if (tell) this.#on.moved([x, y]);
    if (focus) this.focus();
  }

  #enter(): void {
    set(this.#button(), 'tabindex', '0');
  }

  #button(): HTMLButtonElement {
    return this.#buttons[(this.#y - this.#top) * SIDE + this.#x - this.#left]!;
  }
}
