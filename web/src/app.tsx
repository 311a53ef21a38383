// The frame around every screen, and which screen an address is.

import { BottomBar } from "./parts/bottom-bar";
import { lazy } from "./parts/lazy";
import { closeOverlay, overlay } from "./parts/overlays";
import { Rail } from "./parts/rail";
import { RailDrawer } from "./parts/rail-drawer";
import { ReconnectBanner } from "./parts/reconnect-banner";
import { Empty, Loading } from "./parts/screen-head";
import { LiveRegion, ToastStack } from "./parts/toast-stack";
import { AgentsScreen } from "./screens/agents-screen";
import { MoreScreen } from "./screens/more-screen";
import { prefs } from "./state/prefs";
import { route, type Route } from "./state/route";
import { session } from "./state/world";
import { t } from "./text";

const AgentScreen = lazy(() => import("./screens/agent-screen").then((file) => file.AgentScreen));
const HelpDialog = lazy(() => import("./screens/later").then((file) => file.HelpDialog));
const InboxScreen = lazy(() => import("./screens/later").then((file) => file.InboxScreen));
const LoginScreen = lazy(() => import("./screens/later").then((file) => file.LoginScreen));
const MeshScreen = lazy(() => import("./screens/later").then((file) => file.MeshScreen));
const NewAgentDialog = lazy(() => import("./screens/later").then((file) => file.NewAgentDialog));
const Palette = lazy(() => import("./screens/later").then((file) => file.Palette));
const SearchScreen = lazy(() => import("./screens/later").then((file) => file.SearchScreen));
const SettingsScreen = lazy(() => import("./screens/later").then((file) => file.SettingsScreen));
const TaskScreen = lazy(() => import("./screens/later").then((file) => file.TaskScreen));
const WorktreeScreen = lazy(() => import("./screens/later").then((file) => file.WorktreeScreen));
const WorktreesScreen = lazy(() => import("./screens/later").then((file) => file.WorktreesScreen));

export function App() {
  if (session.value === null) return <Loading />;
  if (session.value === false) {
    return (
      <>
        <LoginScreen />
        <ToastStack />
        <LiveRegion />
      </>
    );
  }
  const here = route.value;
  const isRailClosed = prefs.value.railClosed;
  return (
    <div class={`shell on-${here.screen}${isRailClosed ? " without-rail" : ""}`}>
      <a class="skip" href="#main" onClick={skip}>
        {t("nav.skip")}
      </a>
      {!isRailClosed && (
        <aside class="rail-place">
          <Rail />
        </aside>
      )}
      <main id="main" tabIndex={-1}>
        <ReconnectBanner />
        <Screen route={here} />
        {here.screen !== "agent" && <ToastStack />}
      </main>
      <BottomBar />
      <Overlays />
      <LiveRegion />
    </div>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Screen({ route: here }: { route: Route }) {
  switch (here.screen) {
    case "agents":
      return <AgentsScreen />;
    case "agent":
      return <AgentScreen id={here.id} tab={here.tab} path={here.path} find={here.find} message={here.message} />;
    case "inbox":
      return <InboxScreen />;
    case "mesh":
      return <MeshScreen />;
    case "task":
      return <TaskScreen key={here.id} id={here.id} />;
    case "worktrees":
      return <WorktreesScreen />;
    case "worktree":
      return <WorktreeScreen key={here.id} id={here.id} tab={here.tab} path={here.path} />;
    case "search":
      return <SearchScreen q={here.q} />;
    case "settings":
      return <SettingsScreen />;
    case "more":
      return <MoreScreen />;
    case "lost":
      return (
        <Empty title={t("nav.lost")} isScreen>
          <a class="button" href="/">
            {t("nav.agents")}
          </a>
        </Empty>
      );
  }
}

function Overlays() {
  const open = overlay.value;
  switch (open?.name) {
    case "palette":
      return <Palette />;
    case "help":
      return <HelpDialog onClose={closeOverlay} />;
    case "new-agent":
      return <NewAgentDialog worktree={open.worktree} onClose={closeOverlay} />;
    case "drawer":
      return <RailDrawer />;
    default:
      return null;
  }
}
