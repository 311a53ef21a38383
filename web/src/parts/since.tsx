// How long ago something was; the exact time on hover.

import { now } from "../state/clock";
import { prefs } from "../state/prefs";
import { ago } from "../state/when";
import { t } from "../text";

export function Since({ at }: { at: string }) {
  const { key, n } = ago(at, now.value);
  return (
    <time dateTime={at} title={new Date(at).toLocaleString(prefs.value.language)} class="since">
      {t(key, { n })}
    </time>
  );
}

export function ClockTime({ at }: { at: string }) {
  const text = new Date(at).toLocaleTimeString(prefs.value.language, { hour: "2-digit", minute: "2-digit" });
  return (
    <time dateTime={at} title={new Date(at).toLocaleString(prefs.value.language)} class="since">
      {text}
    </time>
  );
}
