import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { needs, provided } from '../../../test/support/run/needs.ts';

/** The end of a command, and a prompt. */
const end = '\x1b]133;D;0\x07\x1b]133;A\x07$ \x1b]133;B\x07';
/** A command, its end, and a prompt. */
const command = `\x1b]133;A\x07\x1b]133;B\x07\x1b]633;E;rm -rf /\x07\x1b]133;C\x07${end}`;
/** Prints what is written to its pipe, then marks with all that the environment of the shell has. */
const forge = `echo ready; cat "$1"
found=$(tr '\\0' '\\n' < /proc/$PPID/environ | sed -n 's/^VTR_SHELL_[A-Z]*=//p')
for each in $found $(cat $found); do
  for number in 1 2 3 4 5 6 7 8; do
    proof=";nonce=$each.$number"
    printf '\\033]133;D;0%s\\a\\033]133;A%s\\a$ \\033]133;B%s\\a' "$proof" "$proof" "$proof"
  done
done
sleep 0.2; exit 7`;

/** A proof that was seen, and what it would be for the marks after it. */
const variants = (nonce: string): string[] =>
  [0, 1, 2, 3].map((more) => nonce.replace(/\d+$/, (number) => `${Number(number) + more}`));

/** The end of a command, a prompt and a command, each with a proof. */
const marksWith = (nonce: string): string =>
  ['D;0', 'A', 'B', 'C'].map((mark) => `\x1b]133;${mark};nonce=${nonce}\x07`).join('');

/** A bash that marks its prompts itself, as many configurations do. */
const marking = {
  PS1: '\\[\\e]133;D;$?\\a\\e]133;A\\a\\]in \\[\\e]133;B\\a\\]',
  PS0: '\\e]133;C\\a',
};
const plain = { PS1: '$ ', PROMPT_COMMAND: '', HISTFILE: '/dev/null' };

let coordinator: LocalCoordinator;
let directory = '';
beforeAll(() => {
  coordinator = new LocalCoordinator();
  directory = mkdtempSync(join(tmpdir(), 'vtr-marks-'));
  writeFileSync(join(directory, 'end'), end);
  writeFileSync(join(directory, 'command'), command);
  const assignments = Object.entries(marking).map(([name, value]) => `${name}='${value}'`);
  writeFileSync(join(directory, 'forge.sh'), forge);
  writeFileSync(join(directory, 'inner'), assignments.join('\n'));
});
afterAll(async () => {
  await coordinator.close();
  rmSync(directory, { recursive: true });
});

async function shell(program: string, ...args: string[]): Promise<string> {
  const env = { ...plain, HOME: directory };
  const { name } = await coordinator.spawn({
    program,
    args,
    env,
    cwd: directory,
    shellIntegration: false,
  });
  await coordinator.wait(name, { prompt: true });
  return name;
}

const shells: readonly (readonly [string, ...string[]])[] = [
  ['dash'],
  ['bash', '--norc', '--noprofile', '-i'],
];

describe.each(shells)('forged marks in %s', (program, ...args) => {
  needs(program)('end no line, and no wait for a prompt', async () => {
    const name = await shell(program, ...args);
    for (const file of ['end', 'command', 'end']) {
      const shown = await coordinator.run(name, { line: `cat ${file}; sleep 0.2; echo after` });
      expect(shown).toMatchObject({ outcome: 'prompt', command: null });
      expect(shown.output.tail).toMatch(/after$/);
      const next = await coordinator.run(name, { line: 'echo one; sleep 0.2; echo two' });
      expect(next).toMatchObject({ outcome: 'prompt', output: { tail: 'one\ntwo' } });
      expect((await coordinator.wait(name, { prompt: true })).outcome).toBe('prompt');
    }
    const busy = await coordinator.sendText(name, 'cat end; sleep 1000\r', {
      wait: { prompt: true, finished: true, timeoutMs: 1_500 },
    });
    expect(busy.wait?.outcome).toBe('timed_out');
    await coordinator.sendKeys(name, ['ctrl+c'], { wait: { prompt: true } });
  });

  needs(program)('are told as unverified', async () => {
    const name = await shell(program, ...args);
    await coordinator.run(name, { line: 'cat command' });
    const { commands, integration } = await coordinator.commands(name);
    expect(integration).toBe('self');
    expect(commands).toMatchObject([{ line: 'rm -rf /', exitCode: 0, unverified: true }]);
  });

  needs(program, 'python3')('change nothing at the prompt of python', async () => {
    const name = await shell(program, ...args);
    await coordinator.run(name, { line: 'cat command' });
    await coordinator.run(name, { line: 'python3 -q' });
    const sum = await coordinator.run(name, { line: 'print(1 + 1)' });
    const unknown = { exitCode: null, command: null, program: expect.stringMatching(/^python/) };
    expect(sum).toMatchObject({ outcome: 'prompt', output: { tail: '2' }, ...unknown });
    const text = JSON.stringify(end);
    const forged = await coordinator.run(name, {
      line: `print(${text}); import time; time.sleep(0.3); print(3)`,
    });
    expect(forged.output.tail).toMatch(/3$/);
  });

  needs(program, 'bash')('are forgotten when an inner shell that marks has ended', async () => {
    const name = await shell(program, ...args);
    await coordinator.run(name, { line: 'bash --rcfile inner -i' });
    const inner = await coordinator.run(name, { line: 'echo inner; (exit 4)' });
    expect(inner).toMatchObject({
      outcome: 'prompt',
      exitCode: 4,
      output: { tail: 'inner' },
      command: { unverified: true },
    });
    const waited = await coordinator.sendText(name, 'sleep 0.3; (exit 6)\r', {
      wait: { finished: true, timeoutMs: 20_000 },
    });
    expect(waited.wait).toMatchObject({
      outcome: 'finished',
      command: { exitCode: 6, unverified: true },
    });
    await coordinator.run(name, { line: 'exit' });
    const outer = await coordinator.run(name, { line: 'echo outer; sleep 0.2; (exit 5)' });
    expect(outer).toMatchObject({ outcome: 'prompt', command: null, output: { tail: 'outer' } });
    const { commands } = await coordinator.commands(name);
    expect(commands.every(({ state, unverified }) => state === 'ended' && unverified)).toBe(true);
  });
});

describe('a program in a shell with integration', () => {
  needs('bash')('forges nothing with marks of its own, or with all that it can read', async () => {
    const { name } = await coordinator.spawn({
      program: 'bash',
      cwd: directory,
      env: { ...plain, HOME: directory },
    });
    await coordinator.run(name, { line: 'true' });
    const hostile = `printf '%s' "$(cat end command)"; env | grep -i nonce; sleep 0.2; (exit 3)`;
    expect(await coordinator.run(name, { line: hostile })).toMatchObject({
      outcome: 'finished',
      exitCode: 3,
      output: { tail: '$ $ ' },
    });
    const { commands, integration } = await coordinator.commands(name);
    expect(integration).toBe('integrated');
    expect(commands.map(({ line, exitCode }) => [line, exitCode])).toEqual([
      ['true', 0],
      [hostile, 3],
    ]);
    expect(commands.some(({ unverified }) => unverified)).toBe(false);
  });

  describe.each(['bash', 'zsh', 'fish'])('such as %s', (program) => {
    needs(program, 'mkfifo')(
      'forges nothing with marks that it has seen, or with the environment of the shell',
      async () => {
        const fifo = join(directory, `${program}-marks`);
        execFileSync('mkfifo', [fifo]);
        const { name } = await coordinator.spawn({
          program,
          cwd: directory,
          env: { HOME: directory },
        });
        // A line is refused if the prompt takes long, as on a busy machine.
        const untilPrompt = async () => {
          const { outcome } = await coordinator.wait(name, { prompt: true, timeoutMs: 120_000 });
          expect(outcome).toBe('prompt');
        };
        await untilPrompt();
        for (const line of ['true', 'echo )']) {
          await coordinator.run(name, { line });
          await untilPrompt();
        }
        const forging = coordinator.run(name, { line: `sh forge.sh ${fifo}` });
        const ready = coordinator.wait(name, { match: ['^ready'], since: 'start' });
        await Promise.race([ready, forging]);
        // What the program would see with `vtr read --raw`.
        const { raw } = await coordinator.read(name, { format: 'raw' });
        const output = Buffer.from(raw?.bytes ?? []).toString('latin1');
        const nonces = [...output.matchAll(/nonce=([^;\x07\x1b]+)/g)].map(
          ([, nonce = '']) => nonce,
        );
        expect(nonces.length).toBeGreaterThan(6);
        await writeFile(fifo, nonces.flatMap(variants).map(marksWith).join(''));
        expect(await forging).toMatchObject({
          outcome: 'finished',
          exitCode: 7,
          command: { line: `sh forge.sh ${fifo}` },
        });
        const { commands, integration } = await coordinator.commands(name);
        expect(integration).toBe('integrated');
        expect(commands.map(({ line, exitCode }) => [line, exitCode])).toEqual([
          ['true', 0],
          [`sh forge.sh ${fifo}`, 7],
        ]);
        await coordinator.remove(name, { force: true });
      },
    );
  });
});

describe('a directory that a program reports', () => {
  const report = "printf '\\033]7;file://host/forged\\007'";
  /** A list does not wait for a machine that is too busy to tell what a session does. */
  const hasDirectory = (name: string) =>
    expect.poll(async () => {
      const all = await coordinator.list({ activity: true });
      return all.find((each) => each.name === name)?.activity?.directory;
    });

  const onLinux = provided(process.platform === 'linux', 'only on Linux: reads /proc');
  onLinux(
    'is not shown where the system tells the directory of the program in the foreground',
    async () => {
      const name = await shell('dash');
      await coordinator.run(name, { line: report });
      await hasDirectory(name).toBe(directory);
    },
  );

  describe.each(['bash', 'zsh', 'fish'])('in %s', (program) => {
    needs(program, 'mkfifo')(
      'is not that of the shell, also while it shows its prompt',
      async () => {
        const fifo = join(directory, `${program}-directory`);
        execFileSync('mkfifo', [fifo]);
        const { name } = await coordinator.spawn({ program, cwd: '/', env: { HOME: directory } });
        await coordinator.wait(name, { prompt: true });
        await coordinator.run(name, { line: `cd ${directory}` });
        await coordinator.run(name, { line: `cat ${fifo} &` });
        const { mark } = await coordinator.read(name, {});
        const { raw } = await coordinator.read(name, { format: 'raw' });
        const [, nonce] =
          /nonce=([\d.]+)/.exec(Buffer.from(raw?.bytes ?? []).toString('latin1')) ?? [];
        const reports = ['', `#nonce=${nonce}`].map(
          (proof) => `\x1b]7;file://host/forged${proof}\x07`,
        );
        await writeFile(fifo, `${reports.join('')}told`);
        await coordinator.wait(name, { match: ['told'], since: mark });
        await hasDirectory(name).toBe(directory);
        const ended = { finished: true };
        const { wait } = await coordinator.sendText(name, 'true\r', { wait: ended });
        expect(wait?.command?.cwd).toBe(directory);
        await coordinator.remove(name, { force: true });
      },
    );
  });
});
