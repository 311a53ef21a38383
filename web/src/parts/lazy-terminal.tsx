// The terminal is large, so it is loaded when it is first looked at.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Agent } from "../types";
import { reasonOf } from "./failure";
import { FetchProblem } from "./fetch-problem";
import { Loading } from "./screen-head";

type Props = { agent: Agent; fontSize: number; find: string };

let loaded: ComponentType<Props> | null = null;

export function LazyTerminal(props: Props) {
  const [View, setView] = useState<{ it: ComponentType<Props> | null }>({ it: loaded });
  const [problem, setProblem] = useState<string | null>(null);
  const load = () => {
    setProblem(null);
    import("../terminal/terminal-view").then(
      (module) => {
        loaded = module.TerminalView;
        setView({ it: loaded });
      },
      (error: unknown) => setProblem(reasonOf(error)),
    );
  };
  useEffect(() => {
    if (!View.it) load();
  }, []);
  if (problem) return <FetchProblem text={problem} again={load} />;
  return View.it ? <View.it {...props} /> : <Loading />;
}
