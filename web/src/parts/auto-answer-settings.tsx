// The rules by which the hub answers questions: off until somebody turns them on, made and removed here.

import { useState } from "preact/hooks";
import { api } from "../api";
import { autoAnswer, fetchAutoAnswer } from "../state/auto-answer";
import { agents, isReadOnly } from "../state/world";
import { t } from "../text";
import type { NewRule, Profile, Rule, RuleKind } from "../types";
import { AutoUsesFold } from "./auto-uses";
import { reasonOf, tell } from "./failure";

const KINDS: readonly RuleKind[] = ["permission", "confirmation", "selection"];

export function AutoAnswerSettings({ profiles }: { profiles: readonly Profile[] }) {
  const known = autoAnswer.value;
  if (!known) return null;
  const change = (act: Promise<unknown>) => void act.then(fetchAutoAnswer, tell);
  return (
    <section class="settings-group" aria-labelledby="auto-answer">
      <h2 id="auto-answer">{t("auto.title")}</h2>
      <label class="setting">
        <span>{t("auto.switch")}</span>
        <input type="checkbox" role="switch" checked={known.enabled} disabled={isReadOnly.value} onChange={(event) => change(api.switchAutoAnswer(event.currentTarget.checked))} />
      </label>
      <p class="hint">{t("auto.hint", { n: known.in_a_row })}</p>
      <ul class="rule-list">
        {known.rules.map((rule) => (
          <li key={rule.id}>
            <span>{ruleText(rule)}</span>
            {!isReadOnly.value && (
              <button type="button" class="button small" aria-label={t("auto.remove", { rule: ruleText(rule) })} onClick={() => change(api.removeRule(rule.id))}>
                {t("devices.revoke")}
              </button>
            )}
          </li>
        ))}
      </ul>
      {!isReadOnly.value && <RuleForm profiles={profiles} />}
      <AutoUsesFold used={known.used} />
    </section>
  );
}

export function ruleText(rule: Rule): string {
  const who = [rule.agent && `@${rule.agent}`, rule.profile].filter(Boolean).join(" · ");
  return t("auto.rule", { who, kind: t(`kind.${rule.kind}`), contains: rule.contains, choose: rule.choose });
}

function RuleForm({ profiles }: { profiles: readonly Profile[] }) {
  const [problem, setProblem] = useState<string | null>(null);
  const add = async (form: HTMLFormElement) => {
    setProblem(null);
    try {
      await api.addRule(wishOf(new FormData(form)));
      form.reset();
      fetchAutoAnswer();
    } catch (error) {
      setProblem(reasonOf(error));
    }
  };
  return (
    <form
      class="form rule-form"
      onSubmit={(event) => {
        event.preventDefault();
        void add(event.currentTarget);
      }}
    >
      <label>
        <span>{t("auto.who")}</span>
        <select name="who">
          <optgroup label={t("settings.profiles")}>
            {profiles.map(({ name }) => (
              <option key={name} value={`profile ${name}`}>
                {name}
              </option>
            ))}
          </optgroup>
          <optgroup label={t("nav.agents")}>
            {agents.value.map(({ id, handle }) => (
              <option key={id} value={`agent ${handle}`}>
                @{handle}
              </option>
            ))}
          </optgroup>
        </select>
      </label>
      <label>
        <span>{t("auto.kind")}</span>
        <select name="kind">
          {KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {t(`kind.${kind}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{t("auto.contains")}</span>
        <input name="words" required minLength={3} maxLength={500} autocomplete="off" placeholder={t("auto.containsHint")} />
      </label>
      <label>
        <span>{t("auto.choose")}</span>
        <input name="choose" required maxLength={500} autocomplete="off" placeholder={t("auto.chooseHint")} />
      </label>
      <p class="hint">{t("auto.warning")}</p>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="form-acts is-left">
        <button type="submit" class="button">
          {t("auto.add")}
        </button>
      </div>
    </form>
  );
}

/** No field is called `contains`: a form would lose its own method of that name. */
function wishOf(said: FormData): NewRule {
  const text = (name: string) => String(said.get(name) ?? "").trim();
  const [field, name = ""] = text("who").split(" ");
  const who = field === "agent" ? { agent: name } : { profile: name };
  return { ...who, kind: text("kind") as RuleKind, contains: text("words"), choose: text("choose") };
}
