// Asks for the inputs of a flow and starts it.

import { ask } from "../api";
import { fieldIn, FormDialog } from "../parts/form-dialog";
import { go } from "../state/route";
import { toast } from "../state/toasts";
import type { KnownFlow } from "./shapes";
import { w } from "./words";

export function StartFlowDialog({ flow, onClose }: { flow: KnownFlow; onClose: () => void }) {
  const start = async (said: FormData) => {
    const given = flow.inputs.map((input) => [input.name, fieldIn(said, input.name)] as const).filter(([, value]) => value !== "");
    const { id } = await ask<{ id: string }>("POST", "/api/flows", { name: flow.name, inputs: Object.fromEntries(given), simulate: said.get("simulate") !== null });
    toast("plain", w("started", { name: flow.name }));
    go(`/flows/${id}`);
  };
  return (
    <FormDialog title={w("start", { name: flow.name })} act={w("run")} busy={w("running")} onClose={onClose} onSubmit={start}>
      {flow.inputs.map((input) => (
        <label key={input.name} class="field">
          <span>{input.name}</span>
          <input name={input.name} autocomplete="off" required={input.default === null} placeholder={shown(input.default)} />
          {input.about && <span class="hint">{input.about}</span>}
        </label>
      ))}
      <label class="check">
        <input type="checkbox" name="simulate" />
        {w("simulate")}
      </label>
    </FormDialog>
  );
}

const shown = (value: unknown) => (Array.isArray(value) ? value.join(", ") : value === null ? "" : String(value));
