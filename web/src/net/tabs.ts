// What the tabs of one browser share: the player's token, and what they tell
// each other.
//
// Every tab has a socket of its own and they play side by side. Only the very
// first visit needs care: two tabs opened at once must not become two people.

const TOKEN = 'oxo.token';
const NAME = 'oxo.name';

export function token(): string | null {
  return read(TOKEN);
}

/** Forgets a token that the server does not know, unless another tab has a newer one already. */
export function forget(unknown: string): void {
  if (read(TOKEN) === unknown) write(TOKEN, null);
}

export function keep(newToken: string): void {
  write(TOKEN, newToken);
}

/** The name to ask for when a new token has to be drawn. */
export function name(): string | null {
  return read(NAME);
}

export function keepName(value: string): void {
  write(NAME, value);
}

/**
 * Runs `ask` while no other tab asks for a token. The lock is let go when the
 * promise settles; where the platform has no locks it just runs.
 */
export function alone(ask: () => Promise<void>): void {
  if (navigator.locks) void navigator.locks.request('oxo.token', ask).catch(() => undefined);
  else void ask();
}

/**
 * What storage did not take (private windows, a full disk): newer than what is
 * stored, and this tab's own. A null is a removal that was refused.
 */
const memory = new Map<string, string | null>();

export function read(key: string): string | null {
  const own = memory.get(key);
  if (own !== undefined) return own;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    memory.delete(key);
  } catch {
    memory.set(key, value);
  }
}

interface Word {
  readonly say: 'start' | 'too' | 'stop';
  readonly what: string;
}

/**
 * Finds out whether another tab does the same as this one: looks for an
 * opponent, or waits for one at the same invitation. They are one player, and
 * would wait for each other for ever.
 */
export class Twins {
  found = false;
  readonly #channel = new BroadcastChannel('oxo.tabs');
  readonly #changed: () => void;
  #what: string | null = null;

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#channel.onmessage = (e: MessageEvent<Word>) => this.#hear(e.data);
    addEventListener('pagehide', () => this.do(null));
  }

  /** What this tab does from now on; null is nothing that matters. */
  do(what: string | null): void {
    const before = this.#what;
    if (what === before) return;
    this.#what = what;
    this.found = false;
    if (before !== null) this.#tell('stop', before);
    if (what !== null) this.#tell('start', what);
  }

  #tell(say: Word['say'], what: string): void {
    this.#channel.postMessage({ say, what } satisfies Word);
  }

  #hear({ say, what }: Word): void {
    if (what !== this.#what) return;
    this.found = say !== 'stop';
    if (say === 'start') this.#tell('too', what);
    else if (say === 'stop') this.#tell('start', what); // a third one may be left
    this.#changed();
  }
}
