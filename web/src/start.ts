// Runs before everything else, from an address that every release has. Assets
// have their content's hash in the name; while two releases run side by side,
// the one that answers may not have what the other one's page names. Then the
// page is loaded again: once, and not again within a minute, so that a fault
// can never become a loop.

(() => {
  const NOTE = 'oxo.reloaded';
  const PAUSE_MS = 60_000;

  function again(): void {
    try {
      const last = Number(sessionStorage.getItem(NOTE));
      if (Date.now() - last < PAUSE_MS) return;
      sessionStorage.setItem(NOTE, String(Date.now()));
    } catch {
      return; // where nothing can be noted, once can't be told from for ever
    }
    location.reload();
  }

  // Errors of loading do not bubble, but they can be caught on the way down.
  addEventListener(
    'error',
    (e) => {
      const el = e.target;
      const from = el instanceof HTMLScriptElement ? el.src : el instanceof HTMLLinkElement ? el.href : '';
      if (from.startsWith(`${location.origin}/assets/`)) again();
    },
    true,
  );
  addEventListener('oxo:stale', again);
})();
