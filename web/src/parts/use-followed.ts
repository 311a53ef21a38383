// Something of the hub that changes by itself, such as files: fetched again every few seconds while somebody looks, and
// taken in only if it is another.

import { useEffect, useRef } from "preact/hooks";
import { useFetched, type Fetched } from "./use-fetched";

export function useFollowed<T>(fetchIt: () => Promise<T>, on: readonly unknown[], everyMs: number): Fetched<T> {
  const found = useFetched(fetchIt, on);
  const latest = useRef(found.value);
  latest.current = found.value;
  useEffect(() => {
    let isCurrent = true;
    let isAsking = false;
    const look = async () => {
      if (isAsking || document.visibilityState !== "visible") return;
      isAsking = true;
      // What cannot be fetched now stays as it was; the next look may tell more.
      const next = await fetchIt().catch(() => null);
      isAsking = false;
      if (isCurrent && next !== null && JSON.stringify(next) !== JSON.stringify(latest.current)) found.take(next);
    };
    const timer = window.setInterval(() => void look(), everyMs);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [...on, everyMs]);
  return found;
}
