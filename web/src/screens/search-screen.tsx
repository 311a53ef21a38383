// Finds messages, agents, files and worktrees.

import { useEffect, useState } from "preact/hooks";
import { api } from "../api";
import { Badge } from "../parts/badge";
import { FetchProblem } from "../parts/fetch-problem";
import { Empty, Loading, ScreenHead } from "../parts/screen-head";
import { Since } from "../parts/since";
import { OpenState } from "../parts/task-chip";
import { useFetched } from "../parts/use-fetched";
import { agentUrl, go, worktreeUrl } from "../state/route";
import { t } from "../text";

const TYPING_PAUSE_MS = 250;

export function SearchScreen({ q }: { q: string }) {
  const [text, setText] = useState(q);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      if (text.trim() !== q) go(`/search?q=${encodeURIComponent(text.trim())}`, "replace");
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const search = useFetched(async () => (q === "" ? null : api.search(q)), [q]);
  const found = search.value;
  const isNothing = found && found.agents.length + found.former.length + found.tasks.length + found.files.length + found.worktrees.length === 0;
  return (
    <>
      <ScreenHead title={t("nav.search")} />
      <div class="screen-body narrow">
        <input class="search-field" type="search" autofocus value={text} aria-label={t("search.label")} placeholder={t("search.label")} onInput={(event) => setText(event.currentTarget.value)} />
        {search.error && <FetchProblem text={search.error} again={search.again} />}
        {search.isLoading && q !== "" && <Loading />}
        {isNothing && <Empty title={t("search.none")} />}
        {found && found.agents.length > 0 && (
          <section>
            <h2>{t("nav.agents")}</h2>
            <ul class="found">
              {found.agents.map((agent) => (
                <li key={agent.id}>
                  <a href={agentUrl(agent.id)}>
                    <Badge status={agent.status} />
                    <span>{agent.handle}</span>
                    <span class="card-note">{agent.branch ?? agent.dir}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )}
        {found && found.former.length > 0 && (
          <section>
            <h2>{t("former.title")}</h2>
            <ul class="found">
              {found.former.map((agent) => (
                <li key={agent.id}>
                  <a href={agentUrl(agent.id)}>
                    <Badge status="stopped" />
                    <span>{agent.handle}</span>
                    <span class="card-note">{agent.dir}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )}
        {found && found.tasks.length > 0 && (
          <section>
            <h2>{t("search.messages")}</h2>
            <ul class="found">
              {found.tasks.map(({ task, snippet }) => (
                <li key={task.id}>
                  <a href={agentUrl(task.agent, { message: task.id })}>
                    <span class="route-chip">
                      {task.from} → {task.to}
                    </span>
                    <span class="task-text">{snippet || task.text}</span>
                    <OpenState state={task.state} />
                    <Since at={task.updated_at} />
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )}
        {found && found.worktrees.length > 0 && (
          <section>
            <h2>{t("nav.worktrees")}</h2>
            <ul class="found">
              {found.worktrees.map((tree) => (
                <li key={tree.id}>
                  <a href={worktreeUrl(tree.id)}>
                    <span>{tree.name}</span>
                    <span class="card-note">{tree.branch ?? ""}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )}
        {found && found.files.length > 0 && (
          <section>
            <h2>{t("tab.files")}</h2>
            <ul class="found">
              {found.files.map((file) => (
                <li key={`${file.worktree}${file.path}`}>
                  <a class="file-path" href={worktreeUrl(file.worktree, "files", file.path)}>
                    {file.path}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </>
  );
}
