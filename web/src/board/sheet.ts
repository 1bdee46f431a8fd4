// The unbounded board: a canvas that shows a part of it, and over that a window
// of buttons where the keyboard is. Loaded when somebody plays on it.
//
// One finger or the mouse pans, two fingers or the wheel zoom round where they
// are, a tap plays. Buttons in the corner do the same.

import { h, set } from '../dom.ts';
import { t } from '../i18n.ts';
import { icon } from '../marks.ts';
import type { Cell, Mark } from '../net/wire.ts';
import { describeCell } from './a11y.ts';
import type { Board, BoardCallbacks, Picture } from './board.ts';
import { coloursOf, Ink } from './ink.ts';
import { arrowTo, cellAt, centreOn, follow, frame, insetsOf, pan, sees, zoomAt, type Point, type Viewport } from './viewport.ts';
import { adviceFor } from './weights.ts';
import { CellWindow } from './window.ts';

/** A press that moves less than this is no drag. */
const STILL_PX = 8;
/** A cell narrower than this is aimed at first, when it is a finger that plays. */
const FINGER_PX = 30;
/** The size of cells at first: so many on the screen, but none too small for a finger. */
const ACROSS = 15;
const USUAL_PX = 34;
const ZOOM_STEP = 1.3;
const GLIDE_MS = 220;
/** How far from the edge the arrow's middle is. */
const ARROW_PX = 32;
const ARROW = 'M4 12H19M13 6L19 12L13 18';

export class Sheet implements Board {
  readonly el: HTMLElement;
  readonly #on: BoardCallbacks;
  readonly #canvas = h('canvas', { class: 'sheet-canvas', 'aria-hidden': 'true' });
  readonly #window: CellWindow;
  readonly #arrow: HTMLButtonElement;
  readonly #tools: HTMLElement;
  readonly #arrowIcon = icon(ARROW);
  readonly #ink: Ink;
  readonly #stop = new AbortController();
  readonly #sizes: ResizeObserver;
  readonly #fingers = new Map<number, Point>();
  #view: Viewport = { x: 0, y: 0, cell: USUAL_PX, w: 0, h: 0 };
  #picture: Picture | null = null;
  #taken: ReadonlyMap<string, Mark> = new Map();
  #line: ReadonlySet<string> = new Set();
  #framed = false;
  #dragged = false;
  #hover: Cell | null = null;
  #aimed: Cell | null = null;
  #drawing = 0;
  #gliding = 0;

  constructor(on: BoardCallbacks) {
    this.#on = on;
    this.#window = new CellWindow(t('game.infinite'), {
      play: (cell) => this.#play(cell),
      moved: (cell) => this.#show(follow(this.#view, cell, this.#view.cell)),
      describe: (cell) => this.#describe(cell),
      home: () => this.#last() ?? [0, 0],
    });
    const button = (label: string, d: string, onclick: () => void): HTMLButtonElement => h('button', { class: 'button sheet-button', type: 'button', 'aria-label': label, title: label, onclick }, icon(d));
    this.#arrow = button(t('sheet.last'), ARROW, () => this.#toLast());
    this.#arrow.replaceChildren(this.#arrowIcon);
    this.#arrow.classList.add('sheet-arrow');
    this.#arrow.hidden = true;
    this.#tools = h(
      'div',
      { class: 'sheet-tools' },
      button(t('sheet.in'), 'M12 5V19M5 12H19', () => this.#zoom(ZOOM_STEP)),
      button(t('sheet.out'), 'M5 12H19', () => this.#zoom(1 / ZOOM_STEP)),
      button(t('sheet.centre'), 'M12 3V8M12 16V21M3 12H8M16 12H21M10 12a2 2 0 1 0 4 0a2 2 0 1 0-4 0', () => this.#centre()),
    );
    this.el = h('div', { class: 'board board-sheet', dir: 'ltr' }, this.#canvas, this.#window.el, this.#arrow, this.#tools);
    const g = this.#canvas.getContext('2d', { alpha: false });
    if (!g) throw new Error('canvas');
    this.#ink = new Ink(g, getComputedStyle(document.body).fontFamily);
    this.#sizes = new ResizeObserver(() => this.#measure());
    this.#sizes.observe(this.el);
    this.#listen();
  }

  update(p: Picture): void {
    const before = this.#picture;
    this.#picture = p;
    this.#taken = new Map(p.marks.map(({ cell, mark }) => [cell.join(), mark]));
    this.#line = new Set(p.line?.map((cell) => cell.join()));
    if (before?.mine !== p.mine) this.#aimed = null;
    if (before?.game !== p.game) {
      this.#framed = false;
      this.#frame();
    } else if (p.pending && before.pending?.cell !== p.pending.cell && !sees(this.#view, p.pending.cell, this.#view.cell / 2)) {
      // A move of one's own is seen whole, also where a key made it.
      this.#glide(follow(this.#view, p.pending.cell, 2 * this.#view.cell));
    }
    set(this.el, 'data-mine', p.mine);
    this.#window.describe();
    this.#changed();
  }

  pointed(): Cell | null {
    return this.#hover ?? this.#window.focused;
  }

  destroy(): void {
    this.#stop.abort();
    this.#sizes.disconnect();
    cancelAnimationFrame(this.#drawing);
    cancelAnimationFrame(this.#gliding);
  }

  #last(): Cell | null {
    return this.#picture?.marks.at(-1)?.cell ?? null;
  }

  #describe(cell: Cell): string {
    const p = this.#picture;
    const at = cell.join();
    const mark = this.#taken.get(at);
    const pending = !mark && p?.pending?.cell.join() === at;
    const look = mark || pending ? { mark: mark ?? p!.pending!.mark, pending, last: this.#last()?.join() === at, line: this.#line.has(at) } : null;
    return describeCell(cell, null, look, p && !look ? adviceFor(cell, p) : undefined);
  }

  #usual(): number {
    return Math.max(USUAL_PX, Math.min(this.#view.w, this.#view.h) / ACROSS);
  }

  #measure(): void {
    const { clientWidth: w, clientHeight: height } = this.el;
    if (w === 0) return;
    this.#view = { ...this.#view, w, h: height };
    this.#canvas.width = Math.round(w * devicePixelRatio);
    this.#canvas.height = Math.round(height * devicePixelRatio);
    this.#ink.colours = coloursOf(this.el); // it is in the page by now
    this.#frame();
    this.#draw();
  }

  /** Shows a game that is new here from its middle; the keyboard begins at its last move. */
  #frame(): void {
    const p = this.#picture;
    if (this.#framed || !p || this.#view.w === 0) return;
    this.#framed = true;
    this.#view = frame(this.#view, p.marks.map((m) => m.cell), this.#usual());
    this.#window.jump(this.#last() ?? [0, 0]);
  }

  #centre(): void {
    this.#glide(frame(this.#view, this.#picture?.marks.map((m) => m.cell) ?? [], this.#usual()));
  }

  #toLast(): void {
    const last = this.#last();
    if (!last) return;
    const held = document.activeElement === this.#arrow;
    this.#window.jump(last);
    this.#glide(centreOn(this.#view, last));
    // The arrow goes once the move is seen; the focus goes to the move.
    if (held) this.#window.focus();
  }

  #zoom(factor: number): void {
    this.#glide(zoomAt(this.#view, { x: this.#view.w / 2, y: this.#view.h / 2 }, factor));
  }

  #show(v: Viewport): void {
    cancelAnimationFrame(this.#gliding);
    this.#view = v;
    this.#changed();
  }

  /** Goes there smoothly, where motion is welcome. */
  #glide(to: Viewport): void {
    cancelAnimationFrame(this.#gliding);
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return this.#show(to);
    const [from, start] = [this.#view, performance.now()];
    const step = (now: number): void => {
      const k = 1 - (1 - Math.min(1, Math.max(0, now - start) / GLIDE_MS)) ** 3;
      const between = (a: number, b: number): number => a + (b - a) * k;
      this.#view = k === 1 ? { ...to, w: this.#view.w, h: this.#view.h } : { ...this.#view, x: between(from.x, to.x), y: between(from.y, to.y), cell: between(from.cell, to.cell) };
      this.#changed();
      if (k < 1) this.#gliding = requestAnimationFrame(step);
    };
    this.#gliding = requestAnimationFrame(step);
  }

  /** Draws once for all the changes of a frame. */
  #changed(): void {
    this.#drawing ||= requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    cancelAnimationFrame(this.#drawing);
    this.#drawing = 0;
    const [view, picture, last] = [this.#view, this.#picture, this.#last()];
    if (!picture || view.w === 0) return;
    const at = this.#aimed ?? this.#hover;
    const ghost = at && picture.mine && !this.#taken.has(at.join()) ? at : null;
    this.#ink.draw({ view, picture, taken: this.#taken, ghost }, this.#canvas.width / view.w);
    this.#window.place(view);
    const off = last !== null && !sees(view, last);
    this.#arrow.hidden = !off;
    if (!off || !last) return;
    const arrow = arrowTo(view, last, ARROW_PX);
    const beside = arrow.x > view.w - 2 * ARROW_PX ? Math.min(arrow.y, this.#tools.offsetTop - ARROW_PX) : arrow.y; // not on the tools
    this.#arrow.style.left = `${arrow.x}px`;
    this.#arrow.style.top = `${beside}px`;
    this.#arrowIcon.style.rotate = `${arrow.angle}rad`;
  }

  #play(cell: Cell): void {
    this.#aimed = null;
    this.#window.jump(cell);
    this.#on.play(cell);
  }

  /** The cell under a point; none is under the strips with the numbers. */
  #under(p: Point): Cell | null {
    const { left, bottom } = insetsOf(this.#view);
    return p.x < left || p.y > this.#view.h - bottom ? null : cellAt(this.#view, p);
  }

  #tap(p: Point, touch: boolean): void {
    const cell = this.#under(p);
    if (!cell) return;
    const free = this.#picture?.mine && !this.#taken.has(cell.join());
    if (touch && free && this.#view.cell < FINGER_PX && this.#aimed?.join() !== cell.join()) {
      this.#aimed = cell;
      this.#changed();
      return this.#on.aim(cell);
    }
    this.#play(cell);
  }

  #listen(): void {
    const { signal } = this.#stop;
    const on = <K extends keyof HTMLElementEventMap>(type: K, act: (e: HTMLElementEventMap[K]) => void, passive = true): void => this.#canvas.addEventListener(type, act, { signal, passive });
    on('pointerdown', (e) => {
      if (e.button !== 0) return;
      this.#canvas.setPointerCapture(e.pointerId);
      if (e.isPrimary) this.#fingers.clear(); // whatever was never let go
      if (this.#fingers.size === 0) this.#dragged = false;
      this.#fingers.set(e.pointerId, point(e));
      if (this.#fingers.size > 1) this.#dragged = true; // a pinch never plays
    });
    on('pointermove', (e) => this.#move(e));
    on('pointerup', (e) => {
      if (!this.#fingers.delete(e.pointerId) || this.#dragged) return;
      this.#tap(point(e), e.pointerType === 'touch');
    });
    on('pointercancel', (e) => {
      this.#dragged = true;
      this.#fingers.delete(e.pointerId);
    });
    on('pointerleave', () => {
      this.#hover = null;
      this.#changed();
    });
    on(
      'wheel',
      (e) => {
        e.preventDefault();
        this.#show(zoomAt(this.#view, point(e), Math.exp(-Math.max(-120, Math.min(120, e.deltaY)) / 400)));
      },
      false,
    );
    this.el.addEventListener('keydown', (e) => this.#key(e), { signal });
    for (const query of ['(prefers-color-scheme: dark)', '(prefers-contrast: more)']) {
      matchMedia(query).addEventListener('change', () => {
        this.#ink.colours = coloursOf(this.el);
        this.#changed();
      }, { signal });
    }
  }

  #key(e: KeyboardEvent): void {
    if (e.altKey || e.ctrlKey || e.metaKey) return;
    if (e.key === '+' || e.key === '=') this.#zoom(ZOOM_STEP);
    else if (e.key === '-') this.#zoom(1 / ZOOM_STEP);
    else if (e.key === '0') this.#centre();
    else return;
    e.preventDefault();
  }

  #move(e: PointerEvent): void {
    const [now, before] = [point(e), this.#fingers.get(e.pointerId)];
    if (!before) {
      if (e.pointerType !== 'mouse') return;
      this.#hover = this.#under(now);
      return this.#changed();
    }
    if (!this.#dragged && Math.hypot(now.x - before.x, now.y - before.y) < STILL_PX) return;
    this.#dragged = true;
    this.#fingers.set(e.pointerId, now);
    const others = [...this.#fingers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
    const other = others[0];
    if (!other) return this.#show(pan(this.#view, now.x - before.x, now.y - before.y));
    // Two fingers: what was between them stays between them.
    const middle = (a: Point): Point => ({ x: (a.x + other.x) / 2, y: (a.y + other.y) / 2 });
    const apart = (a: Point): number => Math.max(1, Math.hypot(a.x - other.x, a.y - other.y));
    const [from, to] = [middle(before), middle(now)];
    this.#show(zoomAt(pan(this.#view, to.x - from.x, to.y - from.y), to, apart(now) / apart(before)));
  }
}

/** Where on the canvas something happened. */
function point(e: MouseEvent): Point {
  return { x: e.offsetX, y: e.offsetY };
}
