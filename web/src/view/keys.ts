// Keys that are commands wherever one is on the screen of a game.

/** The letter of a key, or null where it is being typed into something or means something else. */
export function keyOf(e: KeyboardEvent): string | null {
  if (e.repeat || e.defaultPrevented || e.altKey || e.ctrlKey || e.metaKey || e.isComposing) return null;
  if (e.target instanceof Element && e.target.closest('input, textarea, select, dialog, [contenteditable]')) return null;
  // On keyboards of other scripts the place of the key tells.
  const letter = /^[a-z]$/i.test(e.key) ? e.key : /^Key([A-Z])$/.exec(e.code)?.[1];
  return letter?.toLowerCase() ?? null;
}
