// What an agent did between a message and its reply: a folding line for each tool call and thought, while they happen and
// after.

import { useState } from "preact/hooks";
import { changedBy, linesOf, thoughtTitle, took, type StepLine } from "../state/steps";
import { t, tn } from "../text";
import type { Step } from "../types";
import { DiffView } from "./diff-view";
import { Icon } from "./icon";
import { PlainText } from "./plain-text";

/** What is longer does not fit its row and folds out. */
const ONE_ROW = 48;
/** So many lines need not be folded away. */
const FEW = 6;

/** `isLive`: more may come, so the steps are open; they stay so until somebody folds them. */
export function StepList({ steps, isLive }: { steps: readonly Step[]; isLive: boolean }) {
  const [isOpen, setIsOpen] = useState(() => isLive || linesOf(steps).length <= FEW);
  const { added, removed, files } = changedBy(steps);
  const failed = steps.filter(({ state }) => state === "failed").length;
  return (
    <section class="steps" aria-label={t("steps.label")}>
      <button type="button" class="steps-head" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <Icon name="chevron" />
        {tn("steps.count", steps.length)}
        {files > 0 && (
          <span class="step-note">
            {tn("steps.files", files)} <Counts added={added} removed={removed} />
          </span>
        )}
        {failed > 0 && <span class="step-note is-failed">{tn("steps.failed", failed)}</span>}
      </button>
      {isOpen && (
        <ul class="step-lines" aria-live="off">
          {linesOf(steps).map((line) => (
            <Line key={line.kind === "one" ? line.step.id : line.steps[0]?.id} line={line} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Line({ line }: { line: StepLine }) {
  if (line.kind === "one") return <StepRow step={line.step} />;
  return (
    <Folding
      step={{ kind: "read", state: "ok" }}
      title={<>{tn("steps.read", line.steps.length)}</>}
      inside={
        <ul class="step-paths">
          {line.steps.map((step) => (
            <li key={step.id}>{step.subject}</li>
          ))}
        </ul>
      }
    />
  );
}

function StepRow({ step }: { step: Step }) {
  if (step.kind === "thought") {
    const text = step.text ?? "";
    return <Folding step={step} title={<span class="step-thought">{thoughtTitle(text)}</span>} inside={<PlainText text={text} />} />;
  }
  const title = (
    <>
      <span class="step-tool">{step.tool}</span> {step.subject && <code>{step.subject}</code>}
    </>
  );
  const diff = step.edit?.diff;
  if (diff) return <Folding step={step} title={title} inside={<DiffView path={step.edit?.path ?? ""} patch={diff} />} />;
  const subject = step.subject ?? "";
  const isLong = subject.length > ONE_ROW || subject.includes("\n");
  return <Folding step={step} title={title} inside={isLong ? <pre class="step-whole">{subject}</pre> : null} />;
}

type FoldingProps = { step: Pick<Step, "kind" | "state" | "duration_ms" | "edit">; title: preact.ComponentChildren; inside: preact.ComponentChildren };

function Folding({ step, title, inside }: FoldingProps) {
  const row = (
    <>
      <span class={`step-state is-${step.state}`} aria-hidden="true" />
      <span class="step-title">{title}</span>
      {step.edit && <Counts added={step.edit.added} removed={step.edit.removed} />}
      <span class="step-note">
        {step.kind !== "thought" && t(`step.${step.state}`)}
        {step.duration_ms !== undefined && ` · ${took(step.duration_ms)}`}
      </span>
    </>
  );
  return (
    <li class={`step kind-${step.kind}`} data-state={step.state}>
      {inside ? (
        <details>
          <summary>{row}</summary>
          <div class="step-inside">{inside}</div>
        </details>
      ) : (
        <div class="step-row">{row}</div>
      )}
    </li>
  );
}

function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="step-counts">
      <span class="is-added">+{added}</span> <span class="is-removed">−{removed}</span>
    </span>
  );
}
