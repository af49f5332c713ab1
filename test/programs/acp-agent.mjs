// An agent of the Agent Client Protocol that follows its prompt: steps in JSON, each a request or a notification to its
// client, or a line for its shell. `"$N.field"` stands for a field of the answer to step N. The answer to the prompt has
// all answers and failures in `_meta.answers`.
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';

const [exitCode = '0', ...ways] = process.argv.slice(2);
/** @typedef {any} Any the tests check the requests and answers */

/** @type {Any} */
let pending = {};
let conversations = 0;

/** @type {Any} */
const app = acp
  .agent({ name: 'test-agent' })
  .onRequest('initialize', ({ params }) => {
    pending = params;
    return { protocolVersion: acp.PROTOCOL_VERSION, _meta: { initialize: params } };
  })
  .onRequest('session/new', ({ params }) => {
    conversations++;
    return { sessionId: `conversation-${conversations}`, _meta: { new: params, asked: pending } };
  })
  .onRequest('session/prompt', async ({ params }) => {
    /** @type {Any[]} */
    const answers = [];
    const [prompt] = params.prompt;
    for (const step of JSON.parse(prompt?.type === 'text' ? prompt.text : '[]')) {
      answers.push(await take(step, params.sessionId, answers));
    }
    return { stopReason: 'end_turn', _meta: { answers } };
  });

/**
 * @param {Any} step
 * @param {string} sessionId
 * @param {Any[]} answers
 * @returns {Promise<Any>}
 */
async function take(step, sessionId, answers) {
  const { request, notify, leave, stderr, stdout } = step;
  if (step.run !== undefined) return run(step);
  const params = resolved({ sessionId, ...step.params }, answers);
  if (leave !== undefined) process.exit(leave);
  if (stderr !== undefined) process.stderr.write(stderr);
  if (stdout !== undefined) process.stdout.write(stdout);
  if (notify !== undefined) await connection.client.notify(notify, params);
  if (request === undefined) return null;
  try {
    return await connection.client.request(request, params);
  } catch (error) {
    const { code, message, data } = /** @type {Any} */ (error);
    return { error: { code, message, data } };
  }
}

/**
 * Runs a line as agents do: by SHELL, as the leader of a session.
 *
 * @param {Any} step `run`: the line; `before`: words before the shell; `input`: its standard input; `isApart`: false to
 * run it as the agent's own; `endOn`: a text of its output that makes the agent send `signal` to its group, `times` times, each after more output; `until`: a
 * text after which a process in the background may keep the output open
 * @returns {Promise<Any>}
 */
function run({ run: line, before = [], input, isApart = true, endOn, signal, times = 1, until }) {
  const [program = '', ...args] = [...before, process.env['SHELL'], '-c', line];
  const child = spawn(program, args, {
    detached: isApart,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let left = times;
  const onText = () => {
    if (endOn === undefined || left === 0 || !stdout.includes(endOn)) return;
    left--;
    process.kill(-(child.pid ?? 0), signal);
  };
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
    onText();
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin?.end(input);
  return new Promise((resolve) => {
    const end = () => resolve({ code: child.exitCode, signal: child.signalCode, stdout, stderr });
    const endIfTold = () => {
      if (until === undefined || child.exitCode === null || !stdout.includes(until)) return;
      child.stdout?.destroy();
      child.stderr?.destroy();
      end();
    };
    child.stdout?.on('data', endIfTold);
    child.once('exit', endIfTold);
    child.once('close', end);
  });
}

/**
 * @param {Any} value
 * @param {Any[]} answers
 * @returns {Any}
 */
function resolved(value, answers) {
  if (typeof value === 'string') {
    const [, step, field] = /^\$(\d+)\.(\w+)$/.exec(value) ?? [];
    return step === undefined ? value : answers[Number(step)][field];
  }
  if (Array.isArray(value)) return value.map((each) => resolved(each, answers));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, resolved(each, answers)]);
  return Object.fromEntries(entries);
}

if (ways.includes('--with-child')) {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  process.stderr.write(`child ${child.pid}\n`);
}
if (ways.includes('--deaf'))
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {});

const stream = acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
/** @type {Any} */
const connection = app.connect(stream);
process.stderr.write(`agent ${process.pid}\n`);
await connection.closed;
if (ways.includes('--stay')) setInterval(() => {}, 1000);
else process.exit(Number(exitCode));
