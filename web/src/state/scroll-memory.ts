// Where each entry of the history was scrolled to, so that Back shows what was seen before.

/** What scrolls on a screen; a conversation keeps to its end by itself. */
const SCROLLERS = ".screen-body, .pane";
/** Lists are fetched, so it takes a moment until there is enough to scroll. */
const PATIENCE_MS = 2_000;

const places = new Map<number, number>();
let here = 0;

/** Marks the entry that the page was opened with. */
export function rememberScroll(): void {
  history.scrollRestoration = "manual";
  here = entryNumber() ?? 0;
  history.replaceState({ entry: here }, "");
}

const entryNumber = () => {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null && "entry" in state && typeof state.entry === "number" ? state.entry : null;
};

/** The page is about to be left: for a new entry, or for one that is there already. */
export function leaveEntry(how: "push" | "replace" | "back"): { entry: number } {
  places.set(here, document.querySelector(SCROLLERS)?.scrollTop ?? 0);
  if (how === "push") here += 1;
  if (how === "back") here = entryNumber() ?? here;
  return { entry: here };
}

/** Scrolls to where the entry was left, as soon as there is so much to scroll. */
export function restoreScroll(): void {
  const wanted = places.get(here) ?? 0;
  if (wanted === 0) return;
  const until = performance.now() + PATIENCE_MS;
  let isTouched = false;
  const touch = () => (isTouched = true);
  for (const kind of ["wheel", "touchstart", "keydown"]) window.addEventListener(kind, touch, { once: true, passive: true });
  const attempt = () => {
    const box = document.querySelector(SCROLLERS);
    if (isTouched || performance.now() > until) return;
    if (box && box.scrollHeight - box.clientHeight >= wanted) box.scrollTop = wanted;
    else requestAnimationFrame(attempt);
  };
  requestAnimationFrame(attempt);
}
