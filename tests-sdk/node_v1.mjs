// The published JavaScript SDK 1.3 as a client: node_v1.mjs URL BINDING, with the agent `dummy` at that URL.
// Where it is installed is in SDK; a module is looked for beside the script, not in the folder it runs in.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const [url, binding] = process.argv.slice(2);
const sdk = (path) => import(pathToFileURL(`${process.env.SDK}/node_modules/@a2a-js/sdk/dist/${path}/index.js`));
const { ClientFactory, ClientFactoryOptions } = await sdk('client');
const { Role, TaskState } = await import(pathToFileURL(`${process.env.SDK}/node_modules/@a2a-js/sdk/dist/index.js`));

// Who calls through a gateway shows its token.
const token = process.env.A2A_TOKEN;
if (token) {
  const plain = globalThis.fetch;
  globalThis.fetch = (where, how = {}) => {
    const headers = new Headers(how.headers);
    headers.set('Authorization', `Bearer ${token}`);
    return plain(where, { ...how, headers });
  };
}

const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { preferredTransports: [binding] });
const client = await new ClientFactory(options).createFromUrl(url);

const request = (text, { taskId = '', now = false, push } = {}) => ({
  tenant: '',
  message: {
    messageId: randomUUID(), role: Role.ROLE_USER, contextId: '', taskId,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
    metadata: undefined, extensions: [], referenceTaskIds: [],
  },
  configuration: {
    acceptedOutputModes: [], historyLength: undefined, returnImmediately: now, taskPushNotificationConfig: push,
  },
  metadata: undefined,
});

const send = async (text, more) => {
  const answer = await client.sendMessage(request(text, more));
  return answer.payload?.value ?? answer;
};
const collect = async (stream) => {
  const frames = [];
  for await (const frame of stream) frames.push(frame.payload);
  return frames;
};
const words = (task) =>
  task.artifacts.flatMap((one) => one.parts).map((part) => part.content?.value ?? '').join('');

// The task that the frames of a stream add up to.
const fold = (frames) => {
  let task;
  for (const { $case: kind, value } of frames) {
    if (kind === 'task') task = structuredClone(value);
    else if (kind === 'statusUpdate') task.status = value.status;
    else if (kind === 'artifactUpdate') {
      const at = task.artifacts.findIndex((one) => one.artifactId === value.artifact.artifactId);
      if (at < 0) task.artifacts.push(structuredClone(value.artifact));
      else if (value.append) task.artifacts[at].parts.push(...value.artifact.parts);
      else task.artifacts[at] = structuredClone(value.artifact);
    }
  }
  return task;
};

const get = (id) => client.getTask({ tenant: '', id, historyLength: undefined });

const cases = {
  async discovery() {
    const card = await client.getAgentCard();
    assert.equal(card.name, 'dummy');
    assert.equal(client.protocolVersion, '1.0');
    assert.equal(client.transport.protocolName, binding);
  },
  async blocking() {
    const task = await send('say:hello there');
    assert.equal(task.status.state, TaskState.TASK_STATE_COMPLETED);
    assert.equal(words(task), 'hello there');
    assert.equal(words(await get(task.id)), 'hello there');
  },
  async streaming() {
    const frames = await collect(client.sendMessageStream(request('slow:1')));
    assert.equal(frames[0].$case, 'task');
    const folded = fold(frames);
    assert.equal(folded.status.state, TaskState.TASK_STATE_COMPLETED);
    assert.equal(words(folded), words(await get(folded.id)));
  },
  async listing() {
    const task = await send('say:listed');
    const page = await client.listTasks({
      tenant: '', contextId: task.contextId, status: TaskState.TASK_STATE_UNSPECIFIED, pageSize: 1, pageToken: '',
      historyLength: undefined, statusTimestampAfter: undefined, includeArtifacts: true,
    });
    assert.deepEqual(page.tasks.map((one) => one.id), [task.id]);
    assert.equal(words(page.tasks[0]), 'listed');
    assert.equal(page.totalSize, 1);
  },
  async cancel() {
    const task = await send('slow:60', { now: true });
    const gone = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    assert.equal(gone.status.state, TaskState.TASK_STATE_CANCELED);
    await assert.rejects(() => get('nobody'), /there is no task nobody/);
  },
  async resubscribe() {
    const task = await send('slow:2', { now: true });
    const folded = fold(await collect(client.resubscribeTask({ tenant: '', id: task.id })));
    assert.equal(folded.status.state, TaskState.TASK_STATE_COMPLETED);
    assert.equal(words(folded), words(await get(task.id)));
  },
  async questions() {
    const task = await send('ask:yn Really?');
    assert.equal(task.status.state, TaskState.TASK_STATE_INPUT_REQUIRED);
    assert.match(task.status.message.parts[0].content.value, /Really\?/);
    const done = await send('yes', { taskId: task.id });
    assert.equal(done.id, task.id);
    assert.equal(done.status.state, TaskState.TASK_STATE_COMPLETED);
  },
  async push() {
    const posted = [];
    let tell;
    const over = new Promise((resolve) => { tell = resolve; });
    const server = createServer((incoming, response) => {
      let body = '';
      incoming.on('data', (chunk) => { body += chunk; });
      incoming.on('end', () => {
        posted.push({ headers: incoming.headers, body: JSON.parse(body) });
        response.end();
        if (body.includes('TASK_STATE_COMPLETED')) tell();
      });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const place = {
      tenant: '', id: 'mine', taskId: '', url: `http://127.0.0.1:${server.address().port}/hook`, token: 'secret',
      authentication: { scheme: 'Bearer', credentials: 'card' },
    };
    const task = await send('say:pushed', { push: place });
    await over;
    server.close();
    assert.equal(Object.keys(posted[0].body)[0], 'task');
    for (const { headers } of posted) {
      assert.equal(headers['x-a2a-notification-token'], 'secret');
      assert.equal(headers.authorization, 'Bearer card');
    }
    const kept = await client.getTaskPushNotificationConfig({ tenant: '', taskId: task.id, id: 'mine' });
    assert.equal(kept.url, place.url);
    await client.deleteTaskPushNotificationConfig({ tenant: '', taskId: task.id, id: 'mine' });
  },
  async five_at_once() {
    const numbers = [0, 1, 2, 3, 4];
    const tasks = await Promise.all(numbers.map((number) => send(`say:number ${number}`)));
    assert.deepEqual(tasks.map(words), numbers.map((number) => `number ${number}`));
  },
};

for (const [name, run] of Object.entries(cases)) {
  await run();
  console.log(`ok ${name}`);
}
process.exit(0);
