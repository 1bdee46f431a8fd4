// What the tabs of one browser share: the player's token.
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

/** Storage may be refused (private windows): then the tab plays with what it has in memory. */
const memory = new Map<string, string>();

export function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return memory.get(key) ?? null;
  }
}

export function write(key: string, value: string | null): void {
  if (value === null) memory.delete(key);
  else memory.set(key, value);
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // memory has it
  }
}
