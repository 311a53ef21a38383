// The published TypeScript SDK of ACP as an editor: acp_v1.mjs, with the agent `dummy` in the present folder.
// Where it is installed is in SDK, the command to test in SYNAPSE_BIN.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const sdk = `${process.env.SDK}/node_modules/@agentclientprotocol/sdk/dist/v1/stable/acp.js`;
const acp = await import(pathToFileURL(sdk));
const binary = process.env.SYNAPSE_BIN;
const cwd = process.cwd();

/** An editor with one agent: what it was told, and how it answers questions. */
const open = async (args, { answer, form, capabilities = {} } = {}, use) => {
  const child = spawn(binary, ['acp', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const seen = { updates: [], questions: [], forms: [] };
  const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  const client = acp
    .client({ name: 'test-editor' })
    .onNotification('session/update', ({ params }) => { seen.updates.push(params.update); })
    .onRequest('session/request_permission', ({ params }) => {
      seen.questions.push(params);
      return answer(params);
    })
    .onRequest('elicitation/create', ({ params }) => {
      seen.forms.push(params);
      return form(params);
    });
  try {
    return await client.connectWith(stream, async (agent) => {
      const hello = await agent.request('initialize', {
        protocolVersion: 1, clientCapabilities: capabilities, clientInfo: { name: 'test-editor', version: '1' },
      });
      return use(agent, seen, hello);
    });
  } finally {
    child.kill();
  }
};

const begin = (agent) => agent.request('session/new', { cwd, mcpServers: [] });
const say = (agent, session, ...prompt) =>
  agent.request('session/prompt', {
    sessionId: session.sessionId ?? session,
    prompt: prompt.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block)),
  });
const words = (seen, kind = 'agent_message_chunk') =>
  seen.updates.filter((one) => one.sessionUpdate === kind).map((one) => one.content.text).join('');
const pick = (name) => ({ options }) => {
  const option = options.find((one) => one.name === name);
  assert.ok(option, `${name} is not among ${JSON.stringify(options)}`);
  return { outcome: { outcome: 'selected', optionId: option.optionId } };
};
const isBusy = () => JSON.parse(execFileSync(binary, ['status', 'dummy', '--json'])).status === 'BUSY';
const until = async (what, isSo) => {
  const deadline = Date.now() + 20_000;
  while (!isSo()) {
    assert.ok(Date.now() < deadline, `${what}: not within 20 s`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

const cases = {
  async initialize() {
    await open(['dummy'], {}, async (agent, seen, hello) => {
      assert.equal(hello.protocolVersion, 1);
      assert.equal(hello.agentCapabilities.loadSession, true);
      assert.equal(hello.agentCapabilities.promptCapabilities.image, true);
      assert.equal(hello.agentInfo.name, 'synapse');
    });
  },
  async prompt() {
    await open(['dummy'], {}, async (agent, seen) => {
      const session = await begin(agent);
      const done = await say(agent, session, 'say:hello from the editor');
      assert.equal(done.stopReason, 'end_turn');
      assert.equal(words(seen), 'hello from the editor');
    });
  },
  async streaming() {
    await open(['dummy'], {}, async (agent, seen) => {
      const session = await begin(agent);
      let isDone = false;
      const turn = say(agent, session, 'long:6 0.3').then((done) => { isDone = true; return done; });
      await until('the first line is there', () => words(seen).includes('line 1 of 6'));
      assert.equal(isDone, false, 'it is told while it grows');
      assert.equal((await turn).stopReason, 'end_turn');
      const expected = [1, 2, 3, 4, 5, 6].map((n) => `line ${n} of 6`).join('\n');
      assert.equal(words(seen).trimEnd(), expected);
    });
  },
  async permission() {
    const options = { answer: pick('y') };
    await open(['dummy'], options, async (agent, seen) => {
      const session = await begin(agent);
      const done = await say(agent, session, 'ask:yn Really?');
      assert.equal(done.stopReason, 'end_turn');
      const [asked] = seen.questions;
      assert.equal(asked.sessionId, session.sessionId);
      assert.match(asked.toolCall.title, /Really\?/);
      assert.deepEqual(asked.options.map((one) => one.kind), ['allow_once', 'reject_once']);
      assert.equal(seen.questions.length, 1);
    });
  },
  async choice() {
    await open(['dummy'], { answer: pick('green') }, async (agent, seen) => {
      const session = await begin(agent);
      await say(agent, session, 'select:red|green|blue');
      assert.deepEqual(seen.questions[0].options.map((one) => one.name), ['red', 'green', 'blue']);
      assert.match(words(seen), /green/);
    });
  },
  async cancel() {
    await open(['dummy'], {}, async (agent, seen) => {
      const session = await begin(agent);
      const turn = say(agent, session, 'slow:60');
      await until('it works', () => isBusy());
      await agent.notify('session/cancel', { sessionId: session.sessionId });
      assert.equal((await turn).stopReason, 'cancelled');
      // It is free again: nothing is left of what was stopped.
      assert.equal((await say(agent, session, 'say:free')).stopReason, 'end_turn');
      assert.match(words(seen), /free$/);
    });
  },
  async cancel_a_question() {
    const never = () => new Promise(() => {});
    await open(['dummy'], { answer: never }, async (agent, seen) => {
      const session = await begin(agent);
      const turn = say(agent, session, 'ask:yn Sure?');
      await until('it asks', () => seen.questions.length === 1);
      await agent.notify('session/cancel', { sessionId: session.sessionId });
      assert.equal((await turn).stopReason, 'cancelled');
    });
  },
  async files() {
    await open(['dummy'], {}, async (agent, seen) => {
      const session = await begin(agent);
      const image = { type: 'image', mimeType: 'image/png', data: Buffer.from('pixels').toString('base64') };
      const file = { type: 'resource', resource: { uri: `file://${cwd}/notes.txt`, text: 'remember' } };
      const link = { type: 'resource_link', name: 'a.rs', uri: `file://${cwd}/a.rs` };
      await say(agent, session, 'echo: look', image, file, link);
      const said = words(seen).replaceAll('\n', '');
      const named = [...said.matchAll(/\[File: ([^\]]+)\]/g)].map((found) => found[1]);
      assert.equal(named.length, 3, said);
      assert.equal(readFileSync(named[0], 'utf8'), 'pixels');
      assert.equal(readFileSync(named[1], 'utf8'), 'remember');
      assert.equal(named[2], `${cwd}/a.rs`);
    });
  },
  async load() {
    const id = await open(['dummy'], {}, async (agent) => {
      const session = await begin(agent);
      await say(agent, session, 'say:first');
      await say(agent, session, 'say:second');
      return session.sessionId;
    });
    await open(['dummy'], {}, async (agent, seen) => {
      const listed = await agent.request('session/list', { cwd });
      const own = listed.sessions.find((one) => one.sessionId === id);
      assert.equal(own.title, 'say:first');
      await agent.request('session/load', { sessionId: id, cwd, mcpServers: [] });
      assert.equal(words(seen, 'user_message_chunk'), 'say:firstsay:second');
      assert.equal(words(seen), 'firstsecond');
      await say(agent, id, 'say:third');
      assert.equal(words(seen), 'firstsecondthird');
      await assert.rejects(
        agent.request('session/load', { sessionId: 'nobody', cwd, mcpServers: [] }), /no session 'nobody'/);
    });
  },
  async every_agent() {
    execFileSync(binary, ['start', 'dummy', '--name', 'other', '--port', '0']);
    await open([], {}, async (agent, seen) => {
      const session = await begin(agent);
      const names = session.modes.availableModes.map((mode) => mode.id);
      assert.ok(names.includes('dummy') && names.includes('other'), names.join());
      await agent.request('session/set_mode', { sessionId: session.sessionId, modeId: 'other' });
      await say(agent, session, 'say:by mode');
      await say(agent, session, '@dummy say:by name');
      assert.equal(words(seen), 'by modeby name');
      await assert.rejects(
        agent.request('session/set_mode', { sessionId: session.sessionId, modeId: 'nobody' }), /no agent 'nobody'/);
    });
  },
  async mistakes() {
    await open(['dummy'], {}, async (agent) => {
      await assert.rejects(agent.request('session/new', { cwd: 'here', mcpServers: [] }), /'cwd' must be a path/);
      await assert.rejects(agent.request('session/new', { cwd: '/no/such', mcpServers: [] }), /no folder \/no\/such/);
      await assert.rejects(agent.request('session/prompt', { sessionId: 'x', prompt: [] }), /no session 'x'/);
      await assert.rejects(agent.request('session/nothing', {}), /no method 'session\/nothing'/);
      const session = await begin(agent);
      await assert.rejects(agent.request('session/prompt', { sessionId: session.sessionId, prompt: [] }), /empty/);
    });
    await assert.rejects(open(['nobody'], {}, begin), /no agent is called 'nobody'/);
  },
};

for (const [name, run] of Object.entries(cases)) {
  if (process.env.ONLY && process.env.ONLY !== name) continue;
  await run();
  console.log(`ok ${name}`);
}
process.exit(0);
