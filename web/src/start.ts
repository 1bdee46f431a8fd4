// Runs before everything else, from an address that every release has. Assets
// have their content's hash in the name; while two releases run side by side,
// the one that answers may not have what the other one's page names. Then the
// page is loaded again: once, and not again within a minute, so that a fault
// can never become a loop. Where that did not help, it says so. The words stand
// in the page itself, since those of the locale file may be what is missing.

(() => {
  const NOTE = 'oxo.reloaded';
  const PAUSE_MS = 60_000;
  let leaving = false;

  /** Loads the page again; `bare` is a page that works and has no looks. */
  function again(bare: boolean): void {
    try {
      const last = Number(sessionStorage.getItem(NOTE));
      if (Date.now() - last < PAUSE_MS) return stuck(bare);
      sessionStorage.setItem(NOTE, String(Date.now()));
    } catch {
      return stuck(bare); // where nothing can be noted, once can't be told from for ever
    }
    leaving = true;
    location.reload();
  }

  /** Says that the page is not all there, unless it is and only a part of it will be missed. */
  function stuck(bare: boolean): void {
    if (leaving) return;
    if (document.readyState === 'loading') return document.addEventListener('DOMContentLoaded', () => stuck(bare), { once: true });
    const [app, words] = [document.getElementById('app'), document.querySelector<HTMLTemplateElement>('#stuck')];
    if (!app || !words || document.querySelector('.stuck') || (!bare && app.firstChild)) return;
    const note = words.content.cloneNode(true) as DocumentFragment;
    note.querySelector('button')?.addEventListener('click', () => location.reload());
    // What is in the page's own place goes when the page comes after all.
    if (bare) app.before(note);
    else app.append(note);
  }

  // Errors of loading do not bubble, but they can be caught on the way down.
  addEventListener(
    'error',
    (e) => {
      const el = e.target;
      const from = el instanceof HTMLScriptElement ? el.src : el instanceof HTMLLinkElement ? el.href : '';
      if (from.startsWith(`${location.origin}/assets/`)) again(el instanceof HTMLLinkElement && el.rel === 'stylesheet');
    },
    true,
  );
  addEventListener('oxo:stale', () => again(false));
  addEventListener('oxo:stuck', () => stuck(false));
})();
