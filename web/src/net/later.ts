// Parts of the page that are loaded when they are needed.

/** start.ts listens to it. */
const STALE = 'oxo:stale';

/**
 * Loads a part. During a deploy another release may answer, which does not
 * have ours: then the page is loaded again, once, in the release that is there
 * now. Where the network is at fault the promise just fails, and whoever needs
 * the part asks again later.
 */
export async function later<T>(part: () => Promise<T>): Promise<T> {
  try {
    return await part();
  } catch (e) {
    const there = await fetch('/', { method: 'HEAD', cache: 'no-store' }).then((r) => r.ok, () => false);
    if (there) dispatchEvent(new Event(STALE));
    throw e;
  }
}
