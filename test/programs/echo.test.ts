import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SpawnRequest, WaitResult } from '#model';
import { LocalCoordinator } from '../../src/coordinator/index.ts';
import { needs } from '../support/run/needs.ts';

let coordinator: LocalCoordinator;

beforeEach(() => {
  coordinator = new LocalCoordinator();
});
afterEach(() => coordinator.close());

const size = { cols: 40, rows: 10 };
const env = { PS1: '$ ', PROMPT: '$ ', HOME: '/nonexistent', LC_ALL: 'C.UTF-8' };

/** The programs, with and without marks. */
const plain = { shellIntegration: false };
const shells: [string, SpawnRequest][] = [
  ['bash', { program: 'bash', env }],
  ['bash', { program: 'bash', args: ['--norc'], env, ...plain }],
  ['zsh', { program: 'zsh', env }],
  ['zsh', { program: 'zsh', args: ['-f'], env, ...plain }],
  ['fish', { program: 'fish', env }],
  ['fish', { program: 'fish', args: ['-N'], env, ...plain }],
  ['dash', { program: 'dash', env, ...plain }],
];

const how = ({ shellIntegration }: SpawnRequest) =>
  shellIntegration === false ? 'without marks' : 'with marks';

async function start(request: SpawnRequest): Promise<string> {
  const { name } = await coordinator.spawn({ size, ...request });
  await coordinator.wait(name, { prompt: true, timeoutMs: 60_000 });
  return name;
}

async function send(name: string, text: string, match: string, timeoutMs = 60_000) {
  const wait = { match: [match], timeoutMs };
  return (await coordinator.sendText(name, text, { wait })).wait as WaitResult;
}

/** The result of a wait that ended with the output, and was sure of it. */
const output = (text: string) => ({
  outcome: 'matched',
  match: expect.objectContaining({ text }),
});

const delayMs = 700;
const sleep = `sleep 0.${delayMs / 100}`;

describe.each(shells)('%s, a wait that sends a line', (program, request) => {
  needs(program)(`${how(request)}, is for its output, not for its echo`, async () => {
    const name = await start(request);
    const result = await send(name, `${sleep}; echo DONE\r`, 'DONE');
    expect(result).toMatchObject(output('DONE'));
    expect(result.inEcho).toBeUndefined();
    expect(result.elapsedMs).toBeGreaterThan(delayMs - 50);
  });

  needs(program)(`${how(request)}, ignores the echo of a line over several rows`, async () => {
    const name = await start(request);
    const long = 'x'.repeat(60);
    const result = await send(name, `${sleep}; : ${long} DONE ${long}; echo DONE\r`, 'DONE');
    expect(result).toMatchObject(output('DONE'));
    expect(result.inEcho).toBeUndefined();
  });

  needs(program)(`${how(request)}, ignores the echo since its mark, and that of keys`, async () => {
    const name = await start(request);
    const { mark } = await coordinator.sendText(name, `${sleep}; echo DONE\r`);
    const result = await coordinator.wait(name, { since: mark, match: ['DONE'] });
    expect(result).toMatchObject(output('DONE'));
    const keys = [...'echo', 'space', ...'ABC', 'enter'];
    const typed = await coordinator.sendKeys(name, keys, { wait: { match: ['ABC'] } });
    // The keys may arrive before the shell prints its prompt, in front of the output.
    expect(typed.wait?.match?.text).toMatch(/^([$%#>] )?ABC$/);
  });

  needs(program)(`${how(request)}, never counts the echo if nothing else matches`, async () => {
    const name = await start(request);
    const result = await send(name, 'true DONE\r', 'DONE', 1_200);
    expect(result).toMatchObject({ outcome: 'timed_out', inEcho: true });
  });

  needs(program)(`${how(request)}, matches each line of several`, async () => {
    const name = await start(request);
    const result = await send(name, `echo one; ${sleep}\recho two\r`, '^(\\$ )?two$');
    expect(result.match?.text).toMatch(/^(\$ )?two$/);
    expect(result.inEcho).toBeUndefined();
  });
});

describe.each(shells.filter(([, request]) => how(request) === 'with marks'))(
  '%s with marks, a line typed ahead',
  (program, request) => {
    needs(program)('is not matched, neither its first nor its second echo', async () => {
      const name = await start(request);
      await coordinator.sendText(name, `${sleep}; ${sleep}\r`);
      const result = await send(name, `${sleep}; echo DONE\r`, 'DONE');
      expect(result).toMatchObject(output('DONE'));
      expect(result.inEcho).toBeUndefined();
    });

    needs(program)('is not matched if the shell has not started', async () => {
      const { name } = await coordinator.spawn({ size, ...request });
      const result = await send(name, `${sleep}; echo DONE\r`, 'DONE');
      expect(result).toMatchObject(output('DONE'));
      expect(result.inEcho).toBeUndefined();
    });
  },
);

describe('a wait that sends input to another program', () => {
  it('counts the line of cat, not the echo of the terminal', async () => {
    const { name } = await coordinator.spawn({ program: 'cat', ...plain, env });
    const result = await send(name, 'hello\r', '^hello');
    expect(result).toMatchObject({ outcome: 'matched', match: { line: 1 } });
    expect(result.inEcho).toBeUndefined();
  });

  it('counts what a program prints without an echo', async () => {
    const args = ['-c', 'stty -echo; printf ready; read -r x; printf "$x"; read -r x'];
    const { name } = await coordinator.spawn({ program: 'sh', args });
    await coordinator.wait(name, { screen: ['ready'] });
    const result = await send(name, 'hello\r', 'hello');
    expect(result).toMatchObject(output('readyhello'));
    expect(result.inEcho).toBeUndefined();
  });

  needs('python3')('ignores the echo of a REPL', async () => {
    const { name } = await coordinator.spawn({ program: 'python3', args: ['-q'] });
    await coordinator.wait(name, { screen: ['>>> '] });
    const line = `import time; time.sleep(0.${delayMs / 100}); print("DONE")\r`;
    const result = await send(name, line, 'DONE');
    expect(result).toMatchObject(output('DONE'));
    expect(result.elapsedMs).toBeGreaterThan(delayMs - 50);
  });

  needs('vim')('says that text on the alternate screen may be the echo', async () => {
    const { name } = await coordinator.spawn({ program: 'vim', args: ['-n', '-u', 'NONE'], size });
    await coordinator.wait(name, { quietMs: 500 });
    const typed = await send(name, 'ihello', 'hello');
    expect(typed).toMatchObject({ outcome: 'matched', inEcho: true });
    const result = await send(name, '\x1b:echo 6 * 7\r', '^42');
    expect(result).toMatchObject({ outcome: 'matched' });
    expect(result.inEcho).toBeUndefined();
  });
});
