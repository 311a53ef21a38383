// Lets a person in with the one-time code of `synapse web`. Takes nothing else.

import { useState } from "preact/hooks";
import { api } from "../api";
import { reasonOf } from "../parts/failure";
import { connect, session } from "../state/world";
import { t } from "../text";

export function LoginScreen() {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const login = async (form: HTMLFormElement) => {
    const said = String(new FormData(form).get("code") ?? "").trim();
    setIsBusy(true);
    setProblem(null);
    try {
      session.value = (await api.exchange(codeIn(said))).session;
      connect();
    } catch (error) {
      setProblem(reasonOf(error));
      setIsBusy(false);
    }
  };
  return (
    <main class="login">
      <form
        class="login-box"
        onSubmit={(event) => {
          event.preventDefault();
          void login(event.currentTarget);
        }}
      >
        <img src="/icon.svg" alt="" width="56" height="56" />
        <h1>Synapse</h1>
        <p>{t("login.text")}</p>
        <p>
          <code class="command">synapse web login</code>
        </p>
        <label>
          <span>{t("login.code")}</span>
          <input name="code" type="text" autocomplete="one-time-code" autocapitalize="off" spellcheck={false} required />
        </label>
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="button primary" disabled={isBusy}>
          {t("login.enter")}
        </button>
      </form>
    </main>
  );
}

/** People paste the whole link as often as the code. */
export function codeIn(said: string): string {
  return /#code=([\w-]+)/.exec(said)?.[1] ?? said;
}
