// Which clicks of a pointer count as one deliberate tap.

/**
 * Watches the touches on the page. A gesture that ever had two of them (a
 * pinch, a hand that rests) never plays: `clean` says whether the gesture that
 * has just ended was made by one pointer alone.
 */
export class Gesture {
  readonly #down = new Set<number>();
  #many = false;
  #touch = false;
  readonly #stop = new AbortController();

  constructor() {
    // On the window, in the capture phase: the second finger may come down
    // beside the board.
    const options = { capture: true, passive: true, signal: this.#stop.signal };
    addEventListener('pointerdown', (e) => this.#press(e), options);
    for (const end of ['pointerup', 'pointercancel'] as const) addEventListener(end, (e) => this.#down.delete(e.pointerId), options);
  }

  #press(e: PointerEvent): void {
    this.#touch = e.pointerType === 'touch';
    if (e.pointerType === 'mouse') return; // its release may happen outside the window and never be heard of
    if (e.isPrimary) this.#down.clear(); // the first finger of a new gesture
    if (this.#down.size === 0) this.#many = false;
    this.#down.add(e.pointerId);
    if (this.#down.size > 1) this.#many = true;
  }

  get clean(): boolean {
    return !this.#many && this.#down.size === 0;
  }

  /** Whether the latest press was a finger's, which is wider than a small cell. */
  get touch(): boolean {
    return this.#touch;
  }

  stop(): void {
    this.#stop.abort();
  }
}
