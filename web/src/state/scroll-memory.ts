// Where each entry of the history was scrolled to, so that Back shows what was seen before.

/** What scrolls on a screen. A conversation that was at its end keeps to it by itself. */
const SCROLLERS = [".screen-body", ".pane", ".entries"];
/** So near to its end a conversation is at its end. */
const NEAR_PX = 80;
/** Lists are fetched, so it takes a moment until there is enough to scroll. */
const PATIENCE_MS = 2_000;

const places = new Map<number, { scroller: string; top: number }[]>();
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
  places.set(here, SCROLLERS.flatMap((scroller) => placeOf(scroller)));
  if (how === "push") here += 1;
  if (how === "back") here = entryNumber() ?? here;
  return { entry: here };
}

function placeOf(scroller: string): { scroller: string; top: number }[] {
  const box = document.querySelector(scroller);
  const isAtEnd = scroller === ".entries" && box !== null && box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
  return box === null || box.scrollTop === 0 || isAtEnd ? [] : [{ scroller, top: box.scrollTop }];
}

/** Scrolls to where the entry was left, as soon as there is so much to scroll. */
export function restoreScroll(): void {
  let left = places.get(here) ?? [];
  if (left.length === 0) return;
  const until = performance.now() + PATIENCE_MS;
  let isTouched = false;
  const touch = () => (isTouched = true);
  for (const kind of ["wheel", "touchstart", "keydown"]) window.addEventListener(kind, touch, { once: true, passive: true });
  const attempt = () => {
    if (isTouched || performance.now() > until) return;
    left = left.filter(({ scroller, top }) => {
      const box = document.querySelector(scroller);
      if (!box || box.scrollHeight - box.clientHeight < top) return true;
      box.scrollTop = top;
      return false;
    });
    if (left.length > 0) requestAnimationFrame(attempt);
  };
  requestAnimationFrame(attempt);
}
