// What was said to an agent before, fetched page by page.

import { useEffect, useState } from "preact/hooks";
import { api } from "../api";
import { hasTask, keep, lookAt } from "../state/tasks";
import { toast } from "../state/toasts";
import { helloCount } from "../state/world";
import { t } from "../text";
import { reasonOf } from "./failure";

export type Past = { hasOlder: boolean; isLoading: boolean; problem: string | null; older: () => Promise<void>; again: () => void };

/** Pages that are looked through for a message that an address names are larger, and not endless. */
const LARGE_PAGE = 500;
const MOST_PAGES = 40;

/** Down to `meant` at first, if the address names a message. */
export function usePast(id: string, meant = ""): Past {
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isLoading, setIsLoading] = useState(true);
  const load = async (before: string | null) => {
    setIsLoading(true);
    try {
      let page = await api.messages(id, before);
      keep(page.tasks);
      const isThere = () => meant === "" || hasTask(meant);
      for (let pages = 1; !isThere() && page.next !== null && pages < MOST_PAGES; pages += 1) {
        page = await api.messages(id, page.next, LARGE_PAGE);
        keep(page.tasks);
      }
      if (!isThere()) toast("plain", t("entry.gone"));
      setNext(page.next);
      setProblem(null);
    } catch (error) {
      setProblem(reasonOf(error));
    } finally {
      setIsLoading(false);
    }
  };
  useEffect(() => lookAt(id), [id]);
  // Another hello may have left out what happened in between.
  useEffect(() => void load(null), [id, meant, helloCount.value]);
  return { hasOlder: next !== null, isLoading, problem, older: () => load(next), again: () => void load(null) };
}
