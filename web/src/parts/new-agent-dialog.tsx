// Starts an agent: which program, where, under which name.

import { useState } from "preact/hooks";
import { api } from "../api";
import { agentUrl, go } from "../state/route";
import { t } from "../text";
import { Dialog } from "./dialog";
import { reasonOf } from "./failure";
import { Loading } from "./screen-head";
import { useFetched } from "./use-fetched";

export function NewAgentDialog({ worktree, onClose }: { worktree?: string | undefined; onClose: () => void }) {
  const choices = useFetched(async () => {
    const [{ profiles }, { repositories }] = await Promise.all([api.profiles(), api.repositories()]);
    return { profiles, repositories };
  }, []);
  const [isStarting, setIsStarting] = useState(false);
  const [isOther, setIsOther] = useState(false);
  const [problem, setProblem] = useState<string | null>(choices.error);
  const start = async (form: HTMLFormElement) => {
    const said = new FormData(form);
    const name = String(said.get("name") ?? "").trim();
    const where = String(said.get("worktree") ?? "");
    setIsStarting(true);
    setProblem(null);
    try {
      const program = isOther ? { command: String(said.get("command")) } : { profile: String(said.get("profile")) };
      const mayAnswer = said.get("may-answer") !== null;
      const what = {
        ...program,
        ...(where && { worktree: where }),
        ...(name && { name }),
        ...(mayAnswer && { may_answer_itself: true }),
      };
      const { agent } = await api.start(what);
      onClose();
      go(agentUrl(agent.id));
    } catch (error) {
      setProblem(reasonOf(error));
      setIsStarting(false);
    }
  };
  const usual = choices.value?.profiles.find((profile) => profile.installed)?.name ?? "";
  return (
    <Dialog title={t("new.title")} onClose={onClose}>
      {choices.value === null && choices.isLoading && <Loading />}
      {choices.value && (
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            void start(event.currentTarget);
          }}
        >
          <label>
            <span>{t("new.profile")}</span>
            <select name="profile" defaultValue={usual} onChange={(event) => setIsOther(event.currentTarget.value === "")}>
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
            <select name="worktree">
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
          <label>
            <span>{t("new.name")}</span>
            <input name="name" autocomplete="off" placeholder={t("new.nameHint")} pattern="[A-Za-z0-9][A-Za-z0-9_.\-]*" />
          </label>
          <label class="setting">
            <span>{t("new.mayAnswer")}</span>
            <input name="may-answer" type="checkbox" />
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
            <button type="submit" class="button primary" disabled={isStarting}>
              {isStarting ? t("new.starting") : t("new.start")}
            </button>
          </div>
        </form>
      )}
      {choices.error && <p class="problem">{choices.error}</p>}
    </Dialog>
  );
}
