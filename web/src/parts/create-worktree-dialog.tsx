// Makes a worktree on a branch of its own, and starts its first agent.

import { api, type NewWorktree } from "../api";
import { branchName } from "../state/branch-name";
import { agentUrl, go, worktreeUrl } from "../state/route";
import { toast } from "../state/toasts";
import { t } from "../text";
import type { Repository } from "../types";
import { FirstTask, sendFirst, useSuggestion } from "./first-task";
import { fieldIn, FormDialog } from "./form-dialog";
import { useFetched } from "./use-fetched";

type Props = { repository: Repository; onClose: () => void; onDone: () => void };

export function CreateWorktreeDialog({ repository, onClose, onDone }: Props) {
  const profiles = useFetched(api.profiles, []);
  const { field, suggest } = useSuggestion(branchName);
  const create = async (said: FormData) => {
    const [base, name, profile] = [fieldIn(said, "base"), fieldIn(said, "name"), fieldIn(said, "profile")];
    const what: NewWorktree = {
      repository: repository.id,
      branch: fieldIn(said, "branch"),
      ...(base && { base }),
      ...(name && { name }),
      ...(profile && { agent: { profile } }),
    };
    const { worktree, agent, agent_error } = await api.createWorktree(what);
    onDone();
    if (agent_error) toast("bad", agent_error);
    go(agent ? agentUrl(agent.id) : worktreeUrl(worktree.id));
    if (agent) await sendFirst(agent, said);
  };
  return (
    <FormDialog title={t("create.title", { name: repository.name })} act={t("create.do")} busy={t("create.busy")} onClose={onClose} onSubmit={create}>
      <label>
        <span>{t("create.branch")}</span>
        <input ref={field} name="branch" required autocomplete="off" autocapitalize="off" spellcheck={false} list="branches" />
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
      <FirstTask onWritten={suggest} />
    </FormDialog>
  );
}
