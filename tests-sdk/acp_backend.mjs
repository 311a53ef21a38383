// Synapse as the client of an agent made from the published TypeScript SDK of ACP (acp_agent.mjs).
// Where it is installed is in SDK, the command to test in SYNAPSE_BIN.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const binary = process.env.SYNAPSE_BIN;
const script = fileURLToPath(new URL('acp_agent.mjs', import.meta.url));
const quoted = (text) => `'${text.replaceAll("'", "''")}'`;
writeFileSync('scripted.yaml', `name: scripted
backend: acp
command: [${quoted(process.execPath)}, ${quoted(script)}]
acp: { command: [${quoted(process.execPath)}, ${quoted(script)}], auth: word }
`);

const run = (...args) => spawnSync(binary, args, { encoding: 'utf8' });
const json = (...args) => {
  const done = run(...args, '--json');
  return JSON.parse(done.stdout || `{"stderr": ${JSON.stringify(done.stderr)}}`);
};
const send = (text) => json('send', 'scripted', text, '--return');
const state = () => json('status', 'scripted').status;
const until = async (what, isSo) => {
  const deadline = Date.now() + 20_000;
  while (!isSo()) {
    assert.ok(Date.now() < deadline, `${what}: not within 20 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const start = async (...args) => {
  const done = run('start', './scripted.yaml', '--port', '0', ...args);
  assert.equal(done.status, 0, done.stderr);
  await until('it is ready', () => state() === 'IDLE');
};

const cases = {
  'a reply is exact, and a thought is one step': () => {
    const exact = '**Yes**, `x`\n\n- one\n- 日本語 🎉\n\n```sh\nls\n```';
    const sent = send(`say:${exact}`);
    assert.equal(sent.reply, exact, JSON.stringify(sent));
    assert.equal(sent.source, 'acp');
    const { steps } = json('task', sent.task_id);
    assert.deepEqual(steps?.map((step) => [step.kind, step.text]), [['thought', 'What was asked?']], JSON.stringify(steps));
  },
  'a permission has its options, and yes is not always': async () => {
    const sent = send('tool:touch a.txt');
    assert.equal(sent.state, 'input_required', JSON.stringify(sent));
    const asked = sent.task.status.message;
    assert.equal(asked.type, 'permission');
    assert.deepEqual(asked.options, ['Allow (always)', 'Allow: Go on', 'Reject: Leave it']);
    assert.equal(state(), 'INPUT_REQUIRED');
    const answered = run('answer', 'scripted', 'yes');
    assert.equal(answered.status, 0, answered.stderr);
    await until('it is done', () => state() === 'IDLE');
    const task = json('task', sent.task_id);
    assert.equal(task.reply, 'I need a file.\n\nYou chose once.');
    assert.deepEqual(task.steps.map((step) => [step.kind, step.subject, step.state]), [['command', 'touch a.txt', 'ok']]);
  },
  'what goes further is chosen by its name alone': async () => {
    const sent = send('tool:touch b.txt');
    run('answer', 'scripted', 'Allow (always)');
    await until('it is done', () => state() === 'IDLE');
    assert.match(json('task', sent.task_id).reply, /You chose always/);
  },
  'a refusal is told': async () => {
    const sent = send('tool:touch c.txt');
    run('answer', 'scripted', 'no');
    await until('it is done', () => state() === 'IDLE');
    const task = json('task', sent.task_id);
    assert.match(task.reply, /You chose never/);
    assert.equal(task.steps[0].state, 'failed');
  },
  'a stop is confirmed by the end of the turn, and keeps what was said': async () => {
    run('send', 'scripted', 'wait:');
    await until('it works', () => state() === 'BUSY');
    const receipt = json('interrupt', 'scripted');
    assert.equal(receipt.confirmed, true, JSON.stringify(receipt));
    const [task] = json('tasks', 'scripted').tasks;
    assert.equal(task.status.state, 'failed');
    assert.equal(task.reply, 'I wait.');
  },
  'a stop at an open question ends it': async () => {
    send('tool:touch d.txt');
    const receipt = json('interrupt', 'scripted');
    assert.equal(receipt.confirmed, true, JSON.stringify(receipt));
    await until('it rests', () => state() === 'IDLE');
  },
  'an error is told in its words': () => {
    const sent = send('fail:no credit');
    assert.equal(sent.state, 'failed', JSON.stringify(sent));
    assert.match(JSON.stringify(sent.error), /no credit/);
    assert.equal(send('limit:').task.reply, 'half a');
  },
  'a turn without words is complete': () => {
    const sent = send('nothing');
    assert.equal(sent.state, 'completed', JSON.stringify(sent));
    assert.equal(sent.reply, '');
  },
  'a conversation goes on': async () => {
    run('stop', 'scripted');
    await start('--resume', 'conversation-1');
    const sent = send('whoami');
    assert.deepEqual(JSON.parse(sent.reply), { sessionId: 'conversation-1', loaded: true });
  },
};

await start();
for (const [name, test] of Object.entries(cases)) {
  await test();
  console.log(`ok ${name}`);
}
