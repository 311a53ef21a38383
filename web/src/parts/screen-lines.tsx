// The last lines of an agent's screen, as text. Fetched when shown.

import { useEffect, useState } from "preact/hooks";
import { api } from "../api";
import { t } from "../text";

const LINES = 15;

export function ScreenLines({ agent, version }: { agent: string; version: string }) {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    api.screen(agent, LINES).then(
      (screen) => isCurrent && setText(screen.text),
      () => isCurrent && setText(t("screen.unreachable")),
    );
    return () => {
      isCurrent = false;
    };
  }, [agent, version]);
  return (
    <pre class="screen-lines" tabIndex={0} aria-label={t("prompt.screen")}>
      {text ?? t("state.loading")}
    </pre>
  );
}
