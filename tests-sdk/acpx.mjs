// The published command line client of ACP: acpx.mjs, with the agent `dummy` in the present folder. Where acpx is
// installed is in SDK, the command to test in SYNAPSE_BIN.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

const binary = process.env.SYNAPSE_BIN;
const acpx = (flags, text) =>
  execFileSync(
    process.execPath,
    [
      `${process.env.SDK}/node_modules/acpx/dist/cli.js`, ...flags, '--timeout', '60',
      '--agent', `${binary} acp dummy`, 'exec', text,
    ],
    { encoding: 'utf8', timeout: 90_000 },
  );

const cases = {
  prompt() {
    assert.match(acpx([], 'say:hello from acpx'), /hello from acpx/);
  },
  wire() {
    const lines = acpx(['--format', 'json'], 'say:on the wire').trim().split('\n').map((line) => JSON.parse(line));
    const results = lines.filter((line) => line.result?.stopReason);
    assert.equal(results.at(-1).result.stopReason, 'end_turn');
  },
  approve() {
    const lines = acpx(['--approve-all', '--format', 'json'], 'ask:yn May I?').trim().split('\n').map(JSON.parse);
    const asked = lines.find((line) => line.method === 'session/request_permission');
    assert.match(asked.params.toolCall.title, /May I\?/);
    const answer = lines.find((line) => line.id === asked.id && line.result?.outcome);
    assert.equal(answer.result.outcome.optionId, asked.params.options.find((one) => one.kind === 'allow_once').optionId);
  },
};

for (const [name, run] of Object.entries(cases)) {
  run();
  console.log(`ok ${name}`);
}
