// The keys of the page.

import { prefer, prefs } from "../state/prefs";
import { t, type TextKey } from "../text";
import { Dialog } from "./dialog";
import { isMac } from "./rail";
import { Switch } from "./switch";

const KEYS: readonly { keys: string; text: TextKey }[] = [
  { keys: "g a", text: "help.agents" },
  { keys: "g i", text: "help.inbox" },
  { keys: "g m", text: "help.mesh" },
  { keys: "g w", text: "help.worktrees" },
  { keys: "j · k", text: "help.nextAgent" },
  { keys: "n", text: "help.nextWaiting" },
  { keys: "1–9", text: "help.answer" },
  { keys: "s", text: "help.stop" },
  { keys: "/", text: "help.write" },
  { keys: "?", text: "help.help" },
];

export function HelpDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t("help.title")} onClose={onClose}>
      <dl class="key-list">
        <div>
          <dt>
            <kbd>{isMac() ? "⌘K" : "Ctrl K"}</kbd>
          </dt>
          <dd>{t("help.palette")}</dd>
        </div>
        {KEYS.map(({ keys, text }) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{t(text)}</dd>
          </div>
        ))}
      </dl>
      <Switch label={t("settings.letterKeys")} isOn={prefs.value.letterKeys} onSet={(letterKeys) => prefer({ letterKeys })} />
      <p class="hint">{t("help.letters")}</p>
    </Dialog>
  );
}
