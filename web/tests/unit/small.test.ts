import { describe, expect, it } from "vitest";
import { byUrgency, counts, groups, matches, repositoryName } from "../../src/state/agent-order";
import { heldOrder } from "../../src/parts/use-held-order";
import { draw, thickness, within, type Period } from "../../src/state/graph";
import { hexLines } from "../../src/state/hex";
import { backoff } from "../../src/state/line";
import { isWebAddress, pieces } from "../../src/state/links";
import { agentName, branchName } from "../../src/state/branch-name";
import { firstWords } from "../../src/state/last-task";
import { bestFirst } from "../../src/state/match";
import { asKeys, completing, readTarget } from "../../src/state/message-target";
import { looksLikeDiff, rows } from "../../src/state/patch";
import { messageOf, type Remark } from "../../src/state/review";
import { isDefault, questionOf, takesText, valueOf, wantsKeys } from "../../src/state/prompt-answer";
import { agentUrl, parseRoute } from "../../src/state/route";
import { actOf } from "../../src/state/shortcuts";
import { ago, bytes } from "../../src/state/when";
import type { Node } from "../../src/types";
import { sizeIn } from "../../src/terminal/terminal-line";
import { agent, edge, prompt, task } from "./builders";

describe("agents in a list", () => {
  const waiting = agent({ id: "2", handle: "zoe", status: "waiting", worktree: "w2", since: "2026-01-01T00:00:05Z" });
  const longer = agent({ id: "3", handle: "mia", status: "waiting", worktree: "w2", since: "2026-01-01T00:00:01Z" });
  const working = agent({ id: "4", handle: "abe", status: "working", worktree: "w1" });

  it("are grouped by worktree, who waits longest first", () => {
    const found = groups([working, waiting, longer].sort(byUrgency));
    expect(found.map((group) => group.agents.map((one) => one.handle))).toEqual([["mia", "zoe"], ["abe"]]);
  });

  it("keeps the worktrees of a repository side by side, and says which one is meant", () => {
    const shop = { repository: "/c/shop" };
    const main = agent({ id: "m", worktree: "m", dir: "/c/shop/src", status: "waiting", ...shop });
    const other = agent({ id: "o", worktree: "o", dir: "/c/other", repository: "/c/other", status: "working" });
    const login = agent({ id: "l", worktree: "l", dir: "/c/shop-login", ...shop });
    const found = groups([login, other, main].sort(byUrgency));
    expect(found.map((group) => group.worktree)).toEqual(["m", "l", "o"]);
    expect(found.map(repositoryName)).toEqual([null, "shop", null]);
  });

  it("are grouped by machine, this one first", () => {
    const there = agent({ id: "t", worktree: "t", machine: "laptop", handle: "codex@laptop", status: "waiting" });
    const here = agent({ id: "h", worktree: "h", status: "idle" });
    expect(groups([there, here].sort(byUrgency)).map((group) => group.machine)).toEqual([null, "laptop"]);
  });

  it("are counted and filtered by every word", () => {
    expect(counts([working, waiting, longer])).toEqual({ working: 1, waiting: 2 });
    expect(matches(waiting, "ZOE main")).toBe(true);
    expect(matches(waiting, "zoe codex")).toBe(false);
  });
});

describe("a list under a pointer", () => {
  it("keeps its order; who comes is added at the end", () => {
    expect(heldOrder(["b", "a"], null)).toEqual(["b", "a"]);
    expect(heldOrder(["c", "b", "a"], ["a", "b", "gone"])).toEqual(["a", "b", "c"]);
  });
});

describe("what was typed into the palette", () => {
  it("finds the best match first", () => {
    const names = ["src/cart.py shop", "carter", "go cart", "cart", "discart"];
    expect(bestFirst(names, "cart", (name) => name)).toEqual(["cart", "carter", "src/cart.py shop", "go cart", "discart"]);
    expect(bestFirst(names, "shop src", (name) => name)).toEqual(["src/cart.py shop"]);
  });
});

describe("comments on changes", () => {
  it("are one message, in the order of the files", () => {
    const remark = (over: Partial<Remark>): Remark => ({ path: "b.py", line: 2, isOld: false, code: "x = 1", text: "why?", ...over });
    expect(messageOf("Comments:", [remark({}), remark({ path: "a.py", line: 9, isOld: true, text: "keep it" })])).toBe("Comments:\n\na.py:9 (removed)\n> x = 1\nkeep it\n\nb.py:2\n> x = 1\nwhy?");
  });
});

describe("a branch", () => {
  it("is named after what is to be done in it", () => {
    expect(branchName("Fix the login: it's slow on Ångström phones!")).toBe("fix-the-login-it-s");
    expect(branchName("ログイン")).toBe("");
  });

  it("and an agent, shorter, and apart from those that are there", () => {
    expect(agentName("Fix the login page, please", () => false)).toBe("fix-the-login");
    expect(agentName("Fix it", (name) => name === "fix-it" || name === "fix-it-2")).toBe("fix-it-3");
    expect(agentName("直して", () => true)).toBe("");
  });
});

describe("a line for what was done last", () => {
  it("is the first of the reply that says something", () => {
    const said = (reply: string) => firstWords(task({ reply }));
    expect(said("\n---\n## **Done**: `x`\nmore")).toBe("Done: x");
    expect(said("```sh\nls -la\n```")).toBe("ls -la");
    expect(said("")).toBe("");
  });
});

describe("links in an agent's words", () => {
  it("are only those of the web, without what ends the sentence", () => {
    expect(pieces("see https://a.example/x. Or (http://b.example)!").filter((piece) => piece.href).map((piece) => piece.href)).toEqual([
      "https://a.example/x",
      "http://b.example",
    ]);
    expect(pieces("javascript:alert(1) data:text/html,x file:///etc/passwd").every((piece) => piece.href === null)).toBe(true);
    expect(isWebAddress("javascript:alert(1)")).toBe(false);
  });

  it("lose no character of the text", () => {
    const text = "a <b>https://x.example/?q=1&b=2</b> 日本語https://y.example、続き";
    expect(pieces(text).map((piece) => piece.text).join("")).toBe(text);
  });
});

describe("the message bar", () => {
  it("knows to whom a line goes", () => {
    expect(readTarget("@Codex review this", ["codex"], [])).toEqual({ kind: "other", handle: "codex", text: "review this" });
    expect(readTarget("@nobody hello", ["codex"], []).kind).toBe("here");
    expect(readTarget("me@example.com", ["example.com"], []).kind).toBe("here");
    expect(readTarget("/clear", [], ["/clear"]).kind).toBe("command");
    expect(readTarget("/etc/passwd", [], ["/clear"]).kind).toBe("here");
  });

  it("completes a first word and types commands key by key", () => {
    expect(completing("@co", 3)).toEqual({ mark: "@", word: "co" });
    expect(completing("say @co", 7)).toBeNull();
    expect(asKeys("/a b")).toEqual(["/", "a", "Space", "b", "Enter"]);
  });
});

describe("a diff", () => {
  it("has the numbers of both sides", () => {
    const found = rows("@@ -3,2 +3,3 @@ fn\n a\n-b\n+c\n+d\n\\ No newline at end of file\n");
    expect(found.map((row) => [row.kind, row.old, row.new])).toEqual([
      ["hunk", null, null], ["same", 3, 3], ["del", 4, null], ["add", null, 4], ["add", null, 5], ["note", null, null],
    ]);
    expect(looksLikeDiff("diff", "")).toBe(true);
    expect(looksLikeDiff("rust", "@@ -1 +1 @@")).toBe(false);
  });
});

describe("a question", () => {
  it("is answered by label, or by number where labels are alike", () => {
    expect(valueOf(prompt(), 1)).toBe("No");
    const twins = prompt({ options: [{ label: "Go", key: "1" }, { label: "Go", key: "2" }] });
    expect(valueOf(twins, 1)).toBe("2");
    expect(valueOf(prompt({ options: [{ label: "7", key: "a" }] }), 0)).toBe("1");
  });

  it("outlines its default and offers what its kind wants", () => {
    expect(isDefault(prompt({ default: "yes" }), 0)).toBe(true);
    expect(isDefault(prompt({ default: "n" }), 1)).toBe(true);
    expect(isDefault(prompt({ selected: 1 }), 1)).toBe(true);
    expect(takesText(prompt({ kind: "password", options: [] }))).toBe(true);
    expect(takesText(prompt())).toBe(false);
    expect(wantsKeys(prompt({ kind: "unknown" }))).toBe(true);
    expect(questionOf(prompt({ question: "Go on? (y/n): " }))).toBe("Go on?");
    expect(questionOf(prompt({ question: "Go on? [Y/n]", options: [] }))).toBe("Go on? [Y/n]");
  });
});

describe("a file that is no text", () => {
  it("is shown by its bytes, sixteen in a line", () => {
    const [first, second] = hexLines(Uint8Array.from([0, 83, 255, ...Array(13).fill(65), 66]));
    expect(first).toBe("00000000  00 53 ff 41 41 41 41 41 41 41 41 41 41 41 41 41  ·S·AAAAAAAAAAAAA");
    expect(second).toBe(`00000010  42${" ".repeat(47)}B`);
    expect(hexLines(new Uint8Array())).toEqual([]);
  });
});

describe("the mesh", () => {
  const node = (id: string, over: Partial<Node> = {}): Node => ({ id, kind: "agent", handle: id, agent: id, profile: null, status: null, card: null, ...over });
  const many = (count: number) => Array.from({ length: count }, (_, at) => node(`agent-${at}`));

  it("draws there and back as two lines and leaves out what has no ends", () => {
    const { arcs, spots } = draw([node("a"), node("b")], [edge(), edge({ from: "b", to: "a" }), edge({ to: "gone" })]);
    expect(spots).toHaveLength(2);
    expect(arcs).toHaveLength(2);
    expect(arcs[0]?.path).not.toBe(arcs[1]?.path);
    expect(thickness(64)).toBeGreaterThan(thickness(1));
  });

  it("gives every node room for its name, with people apart", () => {
    for (const count of [2, 3, 5, 10, 14, 15, 30, 31, 100]) {
      const { spots, width, height, isDense } = draw([...many(count), node("user", { kind: "person" }), node("ext", { kind: "external" })], []);
      const room = isDense ? { x: 100, y: 60 } : { x: 100, y: 100 };
      const overlaps = spots.flatMap((a, at) => spots.slice(at + 1).filter((b) => Math.abs(a.x - b.x) < room.x && Math.abs(a.y - b.y) < room.y));
      expect(overlaps, `${count}`).toEqual([]);
      for (const { x, y } of spots) expect(x > 30 && x < width - 30 && y > 20 && y < height - 20, `${count}`).toBe(true);
      const person = spots.find((spot) => spot.node.kind === "person");
      expect(spots.every((spot) => spot === person || spot.x > (person?.x ?? 0) + 100)).toBe(true);
    }
  });

  it("writes no number over another or over a node", () => {
    const all = many(10);
    const edges = all.flatMap((a) => all.filter((b) => b !== a).slice(0, 4).map((b) => edge({ from: a.id, to: b.id })));
    const labels = draw(all, edges).arcs.flatMap((arc) => arc.label ?? []);
    expect(labels.length).toBeGreaterThan(10);
    const close = labels.flatMap((a, at) => labels.slice(at + 1).filter((b) => Math.hypot(a.x - b.x, a.y - b.y) < 22));
    expect(close).toEqual([]);
  });

  it("runs no line through a node, whoever a person asks", () => {
    for (const count of [2, 3, 4, 5, 8, 10]) {
      const nodes = [...many(count), node("user", { kind: "person" })];
      const { arcs, spots } = draw(nodes, many(count).map((one) => edge({ from: "user", to: one.id })));
      for (const { edge: drawn, path } of arcs) {
        const [sx = 0, sy = 0, tx = 0, ty = 0, ex = 0, ey = 0] = (path.match(/-?[\d.]+/g) ?? []).map(Number);
        const others = spots.filter((spot) => spot.node.id !== drawn.from && spot.node.id !== drawn.to);
        for (let t = 0; t <= 1; t += 0.02) {
          const x = (1 - t) ** 2 * sx + 2 * t * (1 - t) * tx + t ** 2 * ex;
          const y = (1 - t) ** 2 * sy + 2 * t * (1 - t) * ty + t ** 2 * ey;
          for (const spot of others) expect(Math.hypot(spot.x - x, spot.y - y), `${count}: ${drawn.to} through ${spot.node.id}`).toBeGreaterThan(26);
        }
      }
    }
  });

  it("shows a period, and people only if asked for", () => {
    const mesh = {
      nodes: [node("@a"), node("@b", { agent: null }), node("@c", { agent: null }), node("user", { kind: "person" })],
      edges: [edge({ from: "user", to: "@a", last_at: "2026-01-01T11:30:00Z" }), edge({ from: "@a", to: "@b", last_at: "2026-01-01T11:30:00Z" }), edge({ from: "@a", to: "@c", last_at: "2025-01-01T00:00:00Z" })],
    };
    const seen = (period: Period, people: boolean) => within(mesh, period, people, Date.parse("2026-01-01T12:00:00Z")).nodes.map((one) => one.id);
    expect(seen("hour", true)).toEqual(["@a", "@b", "user"]);
    expect(seen("hour", false)).toEqual(["@a", "@b"]);
    expect(seen("all", false)).toEqual(["@a", "@b", "@c"]);
  });
});

describe("addresses", () => {
  it("lead to their screens", () => {
    expect(parseRoute("/", "")).toEqual({ screen: "agents" });
    expect(parseRoute("/a/abc/files", "?path=src%2Fa.rs")).toEqual({ screen: "agent", id: "abc", tab: "files", path: "src/a.rs", find: "", message: "" });
    expect(parseRoute("/a/abc", "")).toEqual({ screen: "agent", id: "abc", tab: null, path: "", find: "", message: "" });
    expect(parseRoute("/a/abc/terminal", "?find=a+b")).toMatchObject({ tab: "terminal", find: "a b" });
    expect(parseRoute("/a/abc", agentUrl("abc", { message: "t 1" }).slice(6))).toMatchObject({ message: "t 1" });
    expect(parseRoute("/t/x", "")).toEqual({ screen: "task", id: "x" });
    expect(parseRoute("/w/x/files", "")).toEqual({ screen: "worktree", id: "x", tab: "files", path: "" });
    expect(parseRoute("/search", "?q=a+b")).toEqual({ screen: "search", q: "a b" });
    expect(parseRoute("/%E0%A4%A", "")).toEqual({ screen: "lost" });
  });
});

describe("keys", () => {
  const press = (key: string, over = {}) => ({ key, isCommand: false, isAlt: false, isTyping: false, hasLetters: true, ...over });

  it("mean nothing while somebody types, but for the palette", () => {
    expect(actOf(press("s", { isTyping: true }), 0, null).act).toBeNull();
    expect(actOf(press("k", { isCommand: true, isTyping: true }), 0, null).act).toEqual({ do: "palette" });
  });

  it("go somewhere in two strokes, if the second comes soon", () => {
    const { chordAt } = actOf(press("g"), 0, null);
    expect(actOf(press("m"), 500, chordAt).act).toEqual({ do: "go", to: "/mesh" });
    expect(actOf(press("m"), 5_000, chordAt).act).toBeNull();
    expect(actOf(press("3"), 0, null).act).toBeNull();
  });

  it("of one letter can be switched off", () => {
    expect(actOf(press("s", { hasLetters: false }), 0, null).act).toBeNull();
    expect(actOf(press("k", { hasLetters: false, isCommand: true }), 0, null).act).toEqual({ do: "palette" });
  });
});

describe("numbers for people", () => {
  it("are short", () => {
    const from = "2026-01-01T00:00:00Z";
    const later = (seconds: number) => ago(from, Date.parse(from) + seconds * 1_000);
    expect([2, 30, 90, 7_300, 200_000].map((n) => later(n).key)).toEqual(["ago.now", "ago.seconds", "ago.minutes", "ago.hours", "ago.days"]);
    expect([12, 1_500, 999_950, 25_000_000].map(bytes)).toEqual(["12 B", "1.5 kB", "1.0 MB", "25 MB"]);
  });

  it("of waiting grow to ten seconds", () => {
    expect([0, 1, 2, 9].map(backoff)).toEqual([500, 1_000, 2_000, 10_000]);
  });

  it("of a terminal's size are checked", () => {
    expect(sizeIn('{"size":[80,24]}')).toEqual([80, 24]);
    expect(['{"size":[0,24]}', '{"size":"x"}', "nonsense", '{"size":[80]}'].map(sizeIn)).toEqual([null, null, null, null]);
  });
});
