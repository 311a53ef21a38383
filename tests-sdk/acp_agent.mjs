// An agent made from the published TypeScript SDK of ACP, which does what a message says. Where the SDK is installed is
// in SDK. Synapse starts it (acp_backend.mjs).

import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const sdk = `${process.env.SDK}/node_modules/@agentclientprotocol/sdk/dist/v1/stable/acp.js`;
const acp = await import(pathToFileURL(sdk));

let isAuthenticated = false;
const stops = new Map();
const loaded = new Set();

const OPTIONS = [
  { optionId: 'always', name: 'Allow', kind: 'allow_always' },
  { optionId: 'once', name: 'Go on', kind: 'allow_once' },
  { optionId: 'never', name: 'Leave it', kind: 'reject_once' },
];

const prompt = async ({ params, client }) => {
  const { sessionId } = params;
  const tell = (update) => client.notify('session/update', { sessionId, update });
  const say = (text) => tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  const text = params.prompt.map((block) => block.text).join('');
  const [word, rest] = text.split(/:(.*)/s);
  const stopped = new Promise((resolve) => stops.set(sessionId, resolve));
  switch (word) {
    case 'say':
      await tell({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'What was ' } });
      await tell({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'asked?' } });
      for (const piece of rest.match(/.{1,7}/gsu) ?? []) await say(piece);
      return { stopReason: 'end_turn' };
    case 'tool': {
      await say('I need a file.');
      const toolCall = { toolCallId: 'call-1', title: rest, kind: 'execute', status: 'pending', rawInput: { command: rest } };
      await tell({ sessionUpdate: 'tool_call', ...toolCall });
      const { outcome } = await client.request('session/request_permission', { sessionId, toolCall, options: OPTIONS });
      if (outcome.outcome === 'cancelled') return { stopReason: 'cancelled' };
      const status = outcome.optionId === 'never' ? 'failed' : 'completed';
      await tell({ sessionUpdate: 'tool_call_update', toolCallId: 'call-1', status });
      await say(`You chose ${outcome.optionId}.`);
      return { stopReason: 'end_turn' };
    }
    case 'wait':
      await say('I wait.');
      await stopped;
      return { stopReason: 'cancelled' };
    case 'limit':
      await say('half a');
      return { stopReason: 'max_tokens' };
    case 'fail':
      throw acp.RequestError.internalError({ details: rest });
    case 'whoami':
      await say(JSON.stringify({ sessionId, loaded: loaded.has(sessionId) }));
      return { stopReason: 'end_turn' };
    default:
      return { stopReason: 'end_turn' };
  }
};

const open = () => {
  if (!isAuthenticated) throw acp.RequestError.authRequired();
};

const agent = acp
  .agent({ name: 'scripted' })
  .onRequest('initialize', () => ({
    protocolVersion: 1, agentCapabilities: { loadSession: true }, authMethods: [{ id: 'word', name: 'A word' }],
  }))
  .onRequest('authenticate', ({ params }) => {
    if (params.methodId !== 'word') throw acp.RequestError.invalidParams({ details: params.methodId });
    isAuthenticated = true;
    return {};
  })
  .onRequest('session/new', () => {
    open();
    return { sessionId: 'conversation-1' };
  })
  .onRequest('session/load', async ({ params, client }) => {
    open();
    loaded.add(params.sessionId);
    const content = { type: 'text', text: 'an old reply' };
    const update = { sessionUpdate: 'agent_message_chunk', content };
    await client.notify('session/update', { sessionId: params.sessionId, update });
    return {};
  })
  .onRequest('session/prompt', prompt)
  .onNotification('session/cancel', ({ params }) => { stops.get(params.sessionId)?.(); });

const stream = acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
await agent.connect(stream).closed;
process.exit(0);
