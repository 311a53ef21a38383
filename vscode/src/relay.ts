// What a conversation may ask of the hub: what it shows and what it does for its own agent. Whatever found its way into a
// webview could otherwise make logins, read files or end other agents. Pure.

type Request = { method: string; path: string; body: string | null };

const ID = "[^/?]+";

/** Whether this request belongs to a conversation with this agent. */
export function isAllowed({ method, path, body }: Request, agent: string): boolean {
  const own = escape(agent);
  const plain = path.split("?", 1)[0] ?? "";
  if (/(^|\/)\.\.?(\/|$)|%2f|%2e/i.test(plain)) return false;
  const is = (pattern: string) => new RegExp(`^/api/${pattern}$`).test(plain);
  if (method === "GET") {
    return ["session", `agents/${own}`, `agents/${own}(~${ID})?/(messages|screen|explain)`, `history/${own}(~${ID})?`, `tasks/${ID}`, "prompts", "auto-answer", "flows"].some(is);
  }
  if (method !== "POST") return false;
  if ([`agents/${own}/(send|interrupt|keys)`, `agents/${own}/prompt/${ID}/answer`, `tasks/${ID}/cancel`, "deaths/seen"].some(is)) return true;
  // `@other …` in the message bar goes to another agent in this one's name.
  return is(`agents/${ID}/send`) && senderOf(body) === agent;
}

function senderOf(body: string | null): unknown {
  try {
    return body === null ? null : (JSON.parse(body) as Record<string, unknown>)["from"];
  } catch {
    return null;
  }
}

function escape(text: string): string {
  return encodeURIComponent(text).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
