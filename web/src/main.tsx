// Starts the page: takes the one-time code out of the address first, then finds out who is here.

import { effect } from "@preact/signals";
import { render } from "preact";
import { api, NoAnswer, whenLoggedOut } from "./api";
import { App } from "./app";
import { listenToKeys } from "./keyboard";
import { reasonOf } from "./parts/failure";
import { startClock } from "./state/clock";
import { fetchFailures } from "./state/inbox";
import { followKeyboard } from "./state/window";
import { keepAsked, openAsked } from "./state/asked-address";
import { prefs, wearPrefs } from "./state/prefs";
import { agentUrl, followLinks, go } from "./state/route";
import { toast } from "./state/toasts";
import { connect, helloCount, loggedOut, session, watchWorld } from "./state/world";
import { learn } from "./text";
import "./styles/index.css";

/** How soon a hub that does not answer is asked again: it may be starting. */
const RETRY_MS = 1_500;
/** How long after the page has loaded the rest is fetched, so that it does not compete with the first screen. */
const LATER_MS = 1_000;

function takeCode(): string | null {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  return code;
}

async function begin(code: string | null): Promise<void> {
  try {
    const entered = code === null ? await api.session() : await api.exchange(code);
    session.value = entered.session;
    if (code !== null) openAsked();
    connect();
  } catch (error) {
    if (error instanceof NoAnswer) {
      window.setTimeout(() => void begin(code), RETRY_MS);
      return;
    }
    // A used code is no reason to throw out somebody who is already in.
    if (code !== null) {
      toast("bad", reasonOf(error));
      await begin(null);
    } else {
      session.value = false;
      keepAsked();
    }
  }
}

const code = takeCode();
wearPrefs();
startClock();
followKeyboard();
followLinks();
listenToKeys();
whenLoggedOut(loggedOut);
watchWorld((id) => go(agentUrl(id)));
effect(() => {
  if (helloCount.value > 0) fetchFailures();
});
effect(() => void learn(prefs.value.language).catch(() => {}));
const place = document.getElementById("app");
// A language that cannot be fetched is no reason to show nothing.
learn(prefs.value.language)
  .catch(() => {})
  .then(() => place && render(<App />, place));
void begin(code);
// Fetched ahead of their first use, so that a lost line locks nobody out of them.
window.addEventListener("load", () => window.setTimeout(() => void Promise.all([import("./screens/agent-screen"), import("./screens/later")]).catch(() => {}), LATER_MS));
// A link opened where the page is already shown changes only the fragment.
window.addEventListener("hashchange", () => {
  const another = takeCode();
  if (another !== null) void begin(another);
});
