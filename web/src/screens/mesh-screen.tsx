// Who talks to whom: a graph, or a table for those who cannot see it, and the tasks between them in time.

import { useMemo, useState } from "preact/hooks";
import { api } from "../api";
import { FetchProblem } from "../parts/fetch-problem";
import { MeshGraph } from "../parts/mesh-graph";
import { MeshTable } from "../parts/mesh-table";
import { Empty, Loading, ScreenHead } from "../parts/screen-head";
import { Since } from "../parts/since";
import { OpenState } from "../parts/task-chip";
import { useFetched } from "../parts/use-fetched";
import { now } from "../state/clock";
import { DENSE_FROM, within, type Period } from "../state/graph";
import { taskUrl } from "../state/route";
import { isWide } from "../state/window";
import { helloCount, world } from "../state/world";
import { t } from "../text";
import type { Edge, Mesh, TaskLine } from "../types";

type View = "graph" | "table" | "timeline";

export function MeshScreen() {
  const mesh = useFetched(api.mesh, [edgeVersion(world.value.edges), helloCount.value]);
  const [view, setView] = useState<View>(isWide.value ? "graph" : "timeline");
  const [picked, setPicked] = useState<string | null>(null);
  const [period, setPeriod] = useState<Period>("day");
  const [peopleWish, setPeopleWish] = useState<boolean | null>(null);
  // Among very many, people would be all there is to see.
  const hasPeople = peopleWish ?? (mesh.value?.nodes.length ?? 0) <= DENSE_FROM;
  const minute = Math.floor(now.value / 60_000);
  const found = useMemo(() => mesh.value && within(mesh.value, period, hasPeople, now.peek()), [mesh.value, period, hasPeople, minute]);
  const edge = found?.edges.find((one) => edgeId(one) === picked) ?? null;
  const lines = found ? found.tasks.filter((line) => edge === null || isBetween(line, edge)) : [];
  const views: View[] = isWide.value ? ["graph", "table"] : ["timeline", "graph", "table"];
  return (
    <>
      <ScreenHead title={t("nav.mesh")}>
        <div class="segments" role="group" aria-label={t("mesh.view")}>
          {views.map((name) => (
            <button type="button" key={name} aria-pressed={view === name} onClick={() => setView(name)}>
              {t(`mesh.${name}`)}
            </button>
          ))}
        </div>
      </ScreenHead>
      <div class="screen-body">
        <div class="mesh-filters">
          <div class="segments" role="group" aria-label={t("mesh.period")}>
            {(["hour", "day", "all"] as const).map((name) => (
              <button type="button" key={name} aria-pressed={period === name} onClick={() => setPeriod(name)}>
                {t(`mesh.period.${name}`)}
              </button>
            ))}
          </div>
          <label class="check">
            <input type="checkbox" checked={hasPeople} onChange={(event) => setPeopleWish(event.currentTarget.checked)} />
            {t("mesh.people")}
          </label>
        </div>
        {mesh.error && <FetchProblem text={mesh.error} again={mesh.again} />}
        {!found && mesh.isLoading && <Loading />}
        {found && found.nodes.length === 0 && <Empty title={t("mesh.empty")} />}
        {found && found.nodes.length > 0 && view === "graph" && <MeshGraph mesh={found} picked={picked} onPick={setPicked} />}
        {found && found.nodes.length > 0 && view === "table" && <MeshTable mesh={found} picked={picked} onPick={setPicked} />}
        {found && found.nodes.length > 0 && (view !== "graph" || isWide.value) && (
          <section class="timeline">
            <header class="group-head">
              <h2>{edge ? t("mesh.between", { from: nameOf(found, edge.from), to: nameOf(found, edge.to) }) : t("mesh.timeline")}</h2>
              {edge && (
                <button type="button" class="button small" onClick={() => setPicked(null)}>
                  {t("mesh.all")}
                </button>
              )}
            </header>
            {lines.length === 0 && <p class="hint">{t("mesh.noTasks")}</p>}
            <ol class="task-list">
              {lines.map((line) => (
                <li key={line.id}>
                  <a href={taskUrl(line.id)}>
                    <span class="route-chip">
                      {line.from} → {line.to}
                    </span>
                    <span class="task-text">{line.text}</span>
                    <span class="task-side">
                      <span class="card-note" title={t("bar.priority")}>{t("mesh.priority", { n: line.priority })}</span>
                      <OpenState state={line.state} />
                      <Since at={line.updated_at} />
                    </span>
                  </a>
                </li>
              ))}
            </ol>
          </section>
        )}
      </div>
    </>
  );
}

/** Another value whenever an edge changed, so that the timeline is fetched again. */
const edgeVersion = (edges: readonly Edge[]) => edges.map((edge) => `${edge.last_task}${edge.count}${edge.live}`).join();

const edgeId = (edge: Edge) => `${edge.from} ${edge.to}`;

function nameOf(mesh: Mesh, id: string): string {
  const node = mesh.nodes.find((one) => one.id === id);
  return (node?.handle ?? id).replace(/^@/, "");
}

/** Both directions make one conversation. */
function isBetween(line: TaskLine, edge: Edge): boolean {
  const ends = [edge.from, edge.to];
  return ends.includes(line.from) && ends.includes(line.to);
}
