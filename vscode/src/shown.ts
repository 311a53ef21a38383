// Which agents a window shows, by its settings. Pure.

import type { Agent } from "../../web/src/types";

export type Shown = { agents: "all" | "workspace"; names: readonly string[]; folders: readonly string[] };

export function isShown(agent: Pick<Agent, "handle" | "dir" | "repository" | "machine">, shown: Shown): boolean {
  if (shown.names.length > 0 && !shown.names.some((pattern) => fits(agent.handle, pattern))) return false;
  if (shown.agents === "all") return true;
  // The same path on another machine is another folder.
  if (agent.machine) return false;
  return shown.folders.some((folder) => isBelow(agent.dir, folder) || isBelow(folder, agent.dir) || (agent.repository !== null && isBelow(folder, agent.repository)));
}

function isBelow(path: string, folder: string): boolean {
  const [inner, outer] = [path, folder].map((one) => `${one.replace(/\/+$/, "")}/`) as [string, string];
  return inner.startsWith(outer);
}

function fits(handle: string, pattern: string): boolean {
  const words = pattern.replace(/^@/, "").split("*");
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join(".*")}$`, "i").test(handle);
}
