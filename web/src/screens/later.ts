// The screens, tabs and dialogs that nobody sees first: one file, fetched when one of them is shown or when the page has
// nothing else to do.

export { HelpDialog } from "../parts/help-dialog";
export { NewAgentDialog } from "../parts/new-agent-dialog";
export { Palette } from "../parts/palette";
export { TurnUsageLine, UsageChip } from "../parts/usage";
export { ChangesTab } from "./changes-tab";
export { FilesTab } from "./files-tab";
export { FormerScreen } from "./former-screen";
export { InboxScreen } from "./inbox-screen";
export { InfoTab } from "./info-tab";
export { LoginScreen } from "./login-screen";
export { MeshScreen } from "./mesh-screen";
export { SearchScreen } from "./search-screen";
export { SettingsScreen } from "./settings-screen";
export { TaskScreen } from "./task-screen";
export { WorktreeScreen } from "./worktree-screen";
export { WorktreesScreen } from "./worktrees-screen";
