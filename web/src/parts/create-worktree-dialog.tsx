// Makes a worktree on a branch of its own, and starts its first agent.

import { useState } from "preact/hooks";
import { api, type NewWorktree } from "../api";
import { agentUrl, go, worktreeUrl } from "../state/route";
import { toast } from "../state/toasts";
import { t } from "../text";
import type { Repository } from "../types";
import { Dialog } from "./dialog";
import { reasonOf } from "./failure";
import { useFetched } from "./use-fetched";

type Props = { repository: Repository; onClose: () => void; onDone: () => void };

export function CreateWorktreeDialog({ repository, onClose, onDone }: Props) {
  const profiles = useFetched(api.profiles, []);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const create = async (form: HTMLFormElement) => {
    const said = new FormData(form);
    const field = (name: string) => String(said.get(name) ?? "").trim();
    const what: NewWorktree = { repository: repository.id, branch: field("branch") };
    if (field("base")) what.base = field("base");
    if (field("name")) what.name = field("name");
    if (field("profile")) what.agent = { profile: field("profile") };
    setIsBusy(true);
    setProblem(null);
    try {
      const { worktree, agent, agent_error } = await api.createWorktree(what);
      onClose();
      onDone();
      if (agent_error) toast("bad", agent_error);
      go(agent ? agentUrl(agent.id) : worktreeUrl(worktree.id));
    } catch (error) {
      setProblem(reasonOf(error));
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={t("create.title", { name: repository.name })} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void create(event.currentTarget);
        }}
      >
        <label>
          <span>{t("create.branch")}</span>
          <input name="branch" required autocomplete="off" autocapitalize="off" spellcheck={false} list="branches" />
          <datalist id="branches">
            {repository.branches.map((branch) => (
              <option key={branch} value={branch} />
            ))}
          </datalist>
        </label>
        <label>
          <span>{t("create.base")}</span>
          <select name="base">
            {repository.branches.map((branch) => (
              <option key={branch} value={branch} selected={branch === repository.default_branch}>
                {branch}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{t("create.name")}</span>
          <input name="name" autocomplete="off" placeholder={t("create.nameHint", { name: repository.name })} />
        </label>
        <label>
          <span>{t("create.agent")}</span>
          <select name="profile">
            <option value="">{t("create.noAgent")}</option>
            {profiles.value?.profiles.filter((profile) => profile.installed).map((profile) => (
              <option key={profile.name} value={profile.name}>
                {profile.name}
              </option>
            ))}
          </select>
        </label>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="form-acts">
          <button type="button" class="button" onClick={onClose}>
            {t("act.cancel")}
          </button>
          <button type="submit" class="button primary" disabled={isBusy}>
            {isBusy ? t("create.busy") : t("create.do")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
