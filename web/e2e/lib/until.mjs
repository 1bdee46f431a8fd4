// Waiting for a condition, with a deadline and without a fixed sleep.

/** Asks again and again until `condition` gives something true, which it returns. */
export async function until(what, condition, ms = 10_000) {
  const deadline = Date.now() + ms;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
