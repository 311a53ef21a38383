// The older conversations of a folder: a new agent may go on with one of them.

import { api } from "../api";
import { t } from "../text";
import { ago } from "../state/when";
import { useFetched } from "./use-fetched";

export function PastConversations({ profile, worktree }: { profile: string; worktree: string }) {
  const past = useFetched(async () => (profile === "" ? [] : (await api.conversations(profile, worktree)).conversations), [profile, worktree]);
  // Nothing is offered where there is nothing, or where nobody can tell.
  if (!past.value || past.value.length === 0) return null;
  return (
    <label>
      <span>{t("new.conversation")}</span>
      <select name="resume">
        <option value="">{t("new.conversationNew")}</option>
        {past.value.map(({ id, last_at, begins }) => (
          <option key={id} value={id}>
            {`${age(last_at)} · ${begins.slice(0, 60)}`}
          </option>
        ))}
      </select>
    </label>
  );
}

function age(at: string): string {
  const { key, n } = ago(at, Date.now());
  return t(key, { n });
}
