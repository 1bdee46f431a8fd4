// When to try again. Pure, so that a test can look at it.

/** The first wait is at most this long; each further failure doubles it. */
export const BASE_MS = 300;
export const CAP_MS = 10_000;

/**
 * A wait drawn evenly from nought to the ceiling ("full jitter"), on the first
 * reconnect as well: when a server restarts, all of its clients come back, and
 * they had better not come in the same instant.
 */
export function backoff(failures: number, random: () => number = Math.random): number {
  return Math.round(random() * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures, 20)));
}

/** What is waited on top of the time that a restarting server gave: up to as much again. */
export function spread(after: number, failures: number, random: () => number = Math.random): number {
  return Math.max(backoff(failures, random), Math.round(random() * Math.min(CAP_MS, after)));
}

/** The N of a close reason `{"retry_after_ms":N}`, or null where there is none. */
export function retryAfter(reason: string): number | null {
  try {
    const n: unknown = (JSON.parse(reason) as { retry_after_ms?: unknown }).retry_after_ms;
    return typeof n === 'number' && n >= 0 && n < 3_600_000 ? n : null;
  } catch {
    return null;
  }
}
