// Parts of the page that are loaded when they are first looked at.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { reasonOf } from "./failure";
import { FetchProblem } from "./fetch-problem";
import { Loading } from "./screen-head";

/** A component in a file of its own. `isQuiet`: nobody misses it until it is there. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>, isQuiet = false): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [, setIsThere] = useState(loaded !== null);
    const [problem, setProblem] = useState<string | null>(null);
    const start = () => {
      setProblem(null);
      load().then(
        (component) => {
          loaded = component;
          setIsThere(true);
        },
        (error: unknown) => setProblem(reasonOf(error)),
      );
    };
    useEffect(() => {
      if (!loaded) start();
    }, []);
    if (problem && !isQuiet) return <FetchProblem text={problem} again={start} />;
    const View = loaded;
    return View ? <View {...props} /> : isQuiet ? null : <Loading />;
  };
}
