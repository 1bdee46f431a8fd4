// What a screen is.

import type { Store } from '../state/store.ts';

export interface View {
  readonly el: HTMLElement;
  /** What the browser's tab says. */
  title(): string;
  /** The store has changed. */
  update(): void;
  destroy(): void;
}

/** What every screen is given. */
export interface App {
  readonly store: Store;
  /** Goes to another screen. */
  go(path: string): void;
}

export function roomPath(room: string): string {
  return `/r/${room}`;
}
