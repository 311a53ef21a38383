// A conversation longer than anybody wants to wait for: the hub's answers to the page, made up.

import type { Page } from "@playwright/test";

const REPLY = "Done. I changed `src/cart.py`:\n\n- the total is rounded\n- a test covers it\n\n```python\ndef total(prices):\n    return round(sum(prices), 2)\n```\n";

/** Answers for the conversation of an agent: message 1 is the oldest. Each took these steps. */
export async function longConversation(page: Page, agent: string, handle: string, count: number, steps: object[] = []): Promise<void> {
  const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
  const task = (n: number) => ({
    id: `task-${n}`,
    context_id: "c",
    agent,
    owner: agent,
    handle,
    run: at(0),
    sender: "user",
    priority: 1,
    status: { state: "completed", message: null, error: null, timestamp: at(n) },
    message: { role: "user", parts: [{ type: "text", text: `message ${n}` }] },
    artifacts: [{ type: "text", parts: [{ type: "text", text: `${REPLY}\n${n}` }] }],
    reply: REPLY,
    steps,
    source: "record",
    created_at: at(n),
    updated_at: at(n),
  });
  await page.route("**/api/agents/*/messages*", (route) => {
    const query = new URL(route.request().url()).searchParams;
    const before = Number(query.get("before") ?? count + 1);
    const first = Math.max(1, before - Number(query.get("limit") ?? 50));
    const tasks = Array.from({ length: before - first }, (_, index) => task(before - 1 - index));
    return route.fulfill({ json: { tasks, next: first > 1 ? String(first) : null } });
  });
}
