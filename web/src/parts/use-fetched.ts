// Something fetched from the hub: loading, there, or failed; fetched again when what it depends on changes.

import { useEffect, useState } from "preact/hooks";
import { reasonOf } from "./failure";

export type Fetched<T> = { value: T | null; error: string | null; isLoading: boolean; again: () => void; take: (value: T) => void };

export function useFetched<T>(fetchIt: () => Promise<T>, on: readonly unknown[]): Fetched<T> {
  const [value, setValue] = useState<T | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isLoading, setIsLoading] = useState(true);
  const [count, setCount] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    setIsLoading(true);
    fetchIt()
      .then(
        (got) => {
          if (!isCurrent) return;
          setValue(got);
          setError(null);
        },
        (failure: unknown) => isCurrent && setError(reasonOf(failure)),
      )
      .finally(() => isCurrent && setIsLoading(false));
    return () => {
      isCurrent = false;
    };
  }, [...on, count]);
  return { value, error, isLoading, again: () => setCount((n) => n + 1), take: (got) => setValue(got) };
}
