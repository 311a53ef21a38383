// What the page knows of the agents: a fold over what the hub says on the live line. Pure.
// A gap in the numbers makes everything known doubtful, so nothing is applied until the next hello.

import type { Agent, Death, Delta, Edge, Said, Session } from "../types";

export type World = {
  boot: string | null;
  seq: number;
  /** A delta was missed; wait for a hello. */
  isBehind: boolean;
  session: Session | null;
  agents: ReadonlyMap<string, Agent>;
  edges: readonly Edge[];
  /** Who died, and was not looked at since. */
  deaths: readonly Death[];
};

export const emptyWorld: World = {
  boot: null,
  seq: 0,
  isBehind: true,
  session: null,
  agents: new Map(),
  edges: [],
  deaths: [],
};

export type Step = {
  world: World;
  /** The delta that was applied, for those who care about the event itself. */
  applied: Delta | null;
  /** The hub must be asked for a new hello. */
  isGap: boolean;
};

/** Takes in one message of the live line. */
export function step(world: World, said: Said): Step {
  if (said.type === "hello") {
    const agents = new Map(said.agents.map((agent) => [agent.id, agent]));
    const { boot, seq, session, edges, deaths } = said;
    return { world: { boot, seq, isBehind: false, session, agents, edges, deaths }, applied: null, isGap: false };
  }
  if (world.isBehind) return { world, applied: null, isGap: false };
  if (said.type === "beat") {
    return said.seq === world.seq ? { world, applied: null, isGap: false } : behind(world);
  }
  if (said.seq <= world.seq) return { world, applied: null, isGap: false };
  if (said.seq > world.seq + 1) return behind(world);
  return { world: { ...apply(world, said), seq: said.seq }, applied: said, isGap: false };
}

function behind(world: World): Step {
  return { world: { ...world, isBehind: true }, applied: null, isGap: true };
}

function apply(world: World, delta: Delta): World {
  switch (delta.type) {
    case "agent.added":
    case "agent.changed": {
      const agents = new Map(world.agents);
      agents.set(delta.agent.id, delta.agent);
      return { ...world, agents };
    }
    case "agent.removed": {
      const agents = new Map(world.agents);
      agents.delete(delta.id);
      return { ...world, agents };
    }
    case "deaths":
      return { ...world, deaths: delta.deaths };
    case "mesh.edge": {
      const isSame = (edge: Edge) => edge.from === delta.edge.from && edge.to === delta.edge.to;
      return { ...world, edges: [...world.edges.filter((edge) => !isSame(edge)), delta.edge] };
    }
    default:
      return world;
  }
}
