// Keeps the end of a conversation in view while somebody reads it there, and the place of whoever reads elsewhere.

import { effect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { taskOf } from "../state/tasks";

/** So near to the end counts as reading the end. */
const NEAR_PX = 80;

/** `first` and `last` name the lines at both ends of what is drawn, `newest` the last of all, `meant` the message that is
 *  gone to once. */
export function useEndInView({ first, last, newest, meant }: { first: string; last: string; newest: string; meant: string }) {
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(meant === "");
  const shown = useRef("");
  const before = useRef({ first, last, newest, height: 0 });
  const [hasNews, setHasNews] = useState(false);
  const toEnd = () => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
    isAtEnd.current = true;
    setHasNews(false);
  };
  // What the last one says grows without another line: it is followed by its own signal.
  useEffect(
    () =>
      effect(() => {
        void taskOf(last);
        // Drawn first, measured then.
        requestAnimationFrame(() => isAtEnd.current && toEnd());
      }),
    [last],
  );
  useLayoutEffect(() => {
    const box = list.current;
    if (!box) return;
    const was = before.current;
    const entry = meant === "" || shown.current === meant ? null : box.querySelector<HTMLElement>(".is-meant");
    if (entry) {
      shown.current = meant;
      isAtEnd.current = false;
      entry.scrollIntoView({ block: "start" });
      entry.focus({ preventScroll: true });
    } else if (isAtEnd.current) toEnd();
    // What comes above pushes nothing out of view: the browser sees to it, but not at the very top.
    else if (first !== was.first && last === was.last && box.scrollTop === 0) box.scrollTop = Math.max(0, box.scrollHeight - was.height);
    if (!isAtEnd.current && !entry && newest !== was.newest && was.newest !== "") setHasNews(true);
    before.current = { first, last, newest, height: box.scrollHeight };
  }, [first, last, newest, meant]);
  useEffect(() => {
    const watched = list.current;
    if (!watched) return;
    const watcher = new ResizeObserver(() => isAtEnd.current && toEnd());
    watcher.observe(watched);
    return () => watcher.disconnect();
  }, []);
  const onScroll = () => {
    const box = list.current;
    if (!box) return;
    before.current.height = box.scrollHeight;
    isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
    if (isAtEnd.current) setHasNews(false);
  };
  return { list, hasNews, toEnd, onScroll };
}
