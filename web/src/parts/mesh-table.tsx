// The mesh in words: the same as the drawing, row by row.

import { agentUrl } from "../state/route";
import { agentById } from "../state/world";
import { t } from "../text";
import type { Mesh } from "../types";
import { Badge } from "./badge";
import { JsonCard } from "./json-card";
import { Since } from "./since";

type Props = { mesh: Mesh; picked: string | null; onPick: (edge: string | null) => void };

export function MeshTable({ mesh, picked, onPick }: Props) {
  const name = (id: string) => (mesh.nodes.find((node) => node.id === id)?.handle ?? id).replace(/^@/, "");
  const agentOf = (id: string) => {
    const agent = mesh.nodes.find((node) => node.id === id)?.agent;
    return agent ? agentById(agent) : undefined;
  };
  const linked = (id: string) => {
    const kind = mesh.nodes.find((node) => node.id === id)?.kind;
    // One that is gone is found by its name.
    return kind === "agent" ? <a href={agentUrl(agentOf(id)?.id ?? name(id))}>{name(id)}</a> : name(id);
  };
  const externals = mesh.nodes.filter((node) => node.kind === "external");
  return (
    <div class="table-box" role="region" tabIndex={0} aria-label={t("mesh.table")}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t("mesh.from")}</th>
            <th scope="col">{t("mesh.to")}</th>
            <th scope="col">{t("mesh.tasks")}</th>
            <th scope="col">{t("mesh.live")}</th>
            <th scope="col">{t("mesh.last")}</th>
            <th scope="col">
              <span class="visually-hidden">{t("mesh.show")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {mesh.edges.map((edge) => {
            const id = `${edge.from} ${edge.to}`;
            return (
              <tr key={id} class={picked === id ? "is-picked" : ""}>
                <td>{linked(edge.from)}</td>
                <td>{linked(edge.to)}</td>
                <td>{edge.count}</td>
                <td>{edge.live}</td>
                <td>
                  <Since at={edge.last_at} />
                </td>
                <td>
                  <button type="button" class="button small" aria-pressed={picked === id} onClick={() => onPick(picked === id ? null : id)}>
                    {t("mesh.show")}
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <ul class="node-list">
        {mesh.nodes.map((node) => {
          const status = agentOf(node.id)?.status ?? node.status;
          return (
            <li key={node.id}>
              {linked(node.id)} {status ? <Badge status={status} /> : <span class="card-note">{t(`node.${node.kind}`)}</span>}
            </li>
          );
        })}
      </ul>
      {externals.map((node) => node.card !== null && <JsonCard key={node.id} name={t("mesh.card", { name: node.handle })} data={node.card} />)}
    </div>
  );
}
