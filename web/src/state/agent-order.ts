// In which order agents are shown, grouped by where they work. Pure.

import type { Agent, Status } from "../types";

const RANK: Record<Status, number> = {
  waiting: 0,
  failed: 1,
  stopping: 2,
  working: 3,
  starting: 4,
  idle: 5,
  away: 6,
  stopped: 7,
};

/** Who waits for a person comes first, the longest waiting at the top; the rest by what they do, then by name. */
export function byUrgency(a: Agent, b: Agent): number {
  const rank = RANK[a.status] - RANK[b.status];
  if (rank !== 0) return rank;
  if (a.status === "waiting") return a.since.localeCompare(b.since);
  return a.handle.localeCompare(b.handle);
}

export type Group = Pick<Agent, "dir" | "worktree" | "branch" | "repository" | "machine" | "seen"> & { agents: Agent[] };

/** One group per worktree, those of a machine and of a repository side by side, in the order of their first agents. */
export function groups(agents: Iterable<Agent>): Group[] {
  const byWorktree = new Map<string, Group>();
  for (const agent of agents) {
    const group = byWorktree.get(agent.worktree);
    if (group) group.agents.push(agent);
    else {
      const { dir, worktree, branch, repository, machine, seen } = agent;
      byWorktree.set(worktree, { dir, worktree, branch, repository, machine, seen, agents: [agent] });
    }
  }
  const byRepository = new Map<string, Group[]>();
  for (const group of byWorktree.values()) {
    const home = group.repository ?? group.worktree;
    byRepository.set(home, [...(byRepository.get(home) ?? []), group]);
  }
  // This machine first, then one after the other.
  const machine = (group: Group) => group.machine ?? "";
  return [...byRepository.values()].flat().sort((a, b) => machine(a).localeCompare(machine(b)));
}

/** The name of the repository, where a worktree has another name than that. */
export function repositoryName(group: Group): string | null {
  const { repository } = group;
  return repository === null || group.dir === repository || group.dir.startsWith(`${repository}/`) ? null : folderName(repository);
}

export type Counts = Partial<Record<Status, number>>;

export function counts(agents: Iterable<Agent>): Counts {
  const sum: Counts = {};
  for (const agent of agents) sum[agent.status] = (sum[agent.status] ?? 0) + 1;
  return sum;
}

/** Whether every word of the filter is somewhere in what is shown of the agent. */
export function matches(agent: Agent, filter: string): boolean {
  const seen = [agent.handle, agent.profile, agent.branch ?? "", agent.dir, agent.status].join(" ").toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => seen.includes(word));
}

/** The last folder of a path. */
export function folderName(dir: string): string {
  return dir.replace(/\/+$/, "").split("/").pop() || dir;
}
