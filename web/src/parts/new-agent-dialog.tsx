// Starts an agent: which program, where, under which name.

import { useState } from "preact/hooks";
import { api } from "../api";
import { agentName } from "../state/branch-name";
import { agentUrl, go } from "../state/route";
import { agentById } from "../state/world";
import { t } from "../text";
import { Dialog } from "./dialog";
import { FetchProblem } from "./fetch-problem";
import { FirstTask, sendFirst, useSuggestion } from "./first-task";
import { fieldIn, FormDialog } from "./form-dialog";
import { PastConversations } from "./past-conversations";
import { Loading } from "./screen-head";
import { useFetched } from "./use-fetched";

export function NewAgentDialog({ worktree, onClose }: { worktree?: string | undefined; onClose: () => void }) {
  const choices = useFetched(async () => {
    const [{ profiles }, { repositories }] = await Promise.all([api.profiles(), api.repositories()]);
    return { profiles, repositories };
  }, []);
  const [profile, setProfile] = useState<string | null>(null);
  const [where, setWhere] = useState(worktree ?? "");
  const isOther = profile === "";
  const { field, suggest } = useSuggestion((task) => agentName(task, (name) => agentById(name) !== undefined));
  const start = async (said: FormData) => {
    const [name, resume] = [fieldIn(said, "name"), fieldIn(said, "resume")];
    const program = isOther ? { command: fieldIn(said, "command") } : { profile: fieldIn(said, "profile") };
    const { agent } = await api.start({
      ...program,
      ...(where && { worktree: where }),
      ...(name && { name }),
      ...(resume && { resume }),
      ...(said.get("may-answer") !== null && { may_answer_itself: true }),
    });
    go(agentUrl(agent.id));
    await sendFirst(agent, said);
  };
  const usual = choices.value?.profiles.find((profile) => profile.installed)?.name ?? "";
  if (!choices.value) {
    return (
      <Dialog title={t("new.title")} onClose={onClose}>
        {choices.error ? <FetchProblem text={choices.error} again={choices.again} /> : <Loading />}
      </Dialog>
    );
  }
  return (
    <FormDialog title={t("new.title")} act={t("new.start")} busy={t("new.starting")} onClose={onClose} onSubmit={start}>
      <label>
        <span>{t("new.profile")}</span>
        <select name="profile" defaultValue={usual} onChange={(event) => setProfile(event.currentTarget.value)}>
          {choices.value.profiles.map((profile) => (
            <option key={profile.name} value={profile.name} disabled={!profile.installed} selected={profile.name === usual}>
              {profile.installed ? profile.name : t("new.missing", { name: profile.name })}
            </option>
          ))}
          <option value="">{t("new.other")}</option>
        </select>
      </label>
      {isOther && (
        <label>
          <span>{t("new.command")}</span>
          <input name="command" autocomplete="off" spellcheck={false} required placeholder="python3 -i" />
        </label>
      )}
      <label>
        <span>{t("new.worktree")}</span>
        <select name="worktree" onChange={(event) => setWhere(event.currentTarget.value)}>
          <option value="">{t("new.here")}</option>
          {choices.value.repositories.map((repository) => (
            <optgroup key={repository.id} label={repository.name}>
              {repository.worktrees.filter((tree) => !tree.missing).map((tree) => (
                <option key={tree.id} value={tree.id} selected={tree.id === worktree}>
                  {tree.branch ? `${tree.name} · ${tree.branch}` : tree.name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <PastConversations profile={profile ?? usual} worktree={where} />
      <label>
        <span>{t("new.name")}</span>
        <input ref={field} name="name" autocomplete="off" placeholder={t("new.nameHint")} pattern="[A-Za-z0-9][A-Za-z0-9_.\-]*" />
      </label>
      <FirstTask onWritten={suggest} />
      <label class="check">
        <input name="may-answer" type="checkbox" />
        {t("new.mayAnswer")}
      </label>
    </FormDialog>
  );
}
