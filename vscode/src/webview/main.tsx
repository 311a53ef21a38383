// The conversation with one agent: the page's own components, in an editor's tab.

import { render } from "preact";
import { ReconnectBanner } from "../../../web/src/parts/reconnect-banner";
import { Loading } from "../../../web/src/parts/screen-head";
import { LiveRegion } from "../../../web/src/parts/toast-stack";
import { ConversationTab } from "../../../web/src/screens/conversation-tab";
import { FormerScreen } from "../../../web/src/screens/former-screen";
import { startClock } from "../../../web/src/state/clock";
import { prefer, prefs, wearPrefs } from "../../../web/src/state/prefs";
import { agentUrl, route } from "../../../web/src/state/route";
import { agentById, connect, hasWorld, session, watchWorld } from "../../../web/src/state/world";
import { learn } from "../../../web/src/text";
import type { ToWebview } from "../messages";
import { Head } from "./head";
import { listenToHost, vscode } from "./host";
import "../../../web/src/styles/index.css";
import "./editor.css";

function Conversation({ id }: { id: string }) {
  const agent = agentById(id);
  if (!agent) return hasWorld.value ? <FormerScreen id={id} meant="" /> : <Loading />;
  return (
    <div class="agent-screen">
      <Head agent={agent} />
      <div class="agent-pane">
        <ConversationTab key={agent.id} agent={agent} meant="" bindStop={() => {}} />
      </div>
    </div>
  );
}

function Frame({ id }: { id: string }) {
  if (session.value === null) return <Loading />;
  return (
    <main id="main">
      <ReconnectBanner />
      <Conversation id={id} />
      <LiveRegion />
    </main>
  );
}

/** The page is as dark as the editor, and changes with it. */
function followTheme(): void {
  const wear = () => {
    const kind = document.body.dataset["vscodeThemeKind"] ?? "";
    prefer({ theme: kind.includes("light") ? "light" : "dark" });
  };
  new MutationObserver(wear).observe(document.body, { attributes: true, attributeFilter: ["data-vscode-theme-kind", "class"] });
  wear();
}

/** What the page would show on a screen of its own is opened by the editor. */
function followLinks(): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const href = link?.getAttribute("href") ?? "";
    if (!href.startsWith("/")) return;
    event.preventDefault();
    vscode.postMessage({ type: "open", href });
  });
}

async function start({ agent, language }: Extract<ToWebview, { type: "start" }>): Promise<void> {
  vscode.setState({ agent });
  prefer({ language });
  wearPrefs();
  followTheme();
  startClock();
  followLinks();
  route.value = { screen: "agent", id: agent, tab: "conversation", path: "", find: "", message: "" };
  watchWorld((id) => vscode.postMessage({ type: "open", href: agentUrl(id) }));
  await learn(prefs.value.language).catch(() => {});
  const place = document.getElementById("app");
  if (place) render(<Frame id={agent} />, place);
  connect();
}

let isStarted = false;
listenToHost((said) => {
  if (isStarted) return;
  isStarted = true;
  void start(said);
});
