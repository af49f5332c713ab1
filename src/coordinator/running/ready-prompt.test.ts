import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { makeFishHome } from '../../../test/support/pty/fish-home.ts';
import { needs } from '../../../test/support/run/needs.ts';

// Commands that take the hooks and the marks of the integration away: `run` is exact for them, and after them.

async function start(program: string, args: readonly string[]) {
  const coordinator = new LocalCoordinator();
  onTestFinished(() => coordinator.close());
  const env = { LC_ALL: 'C.UTF-8', PS1: '$ ', HISTFILE: '', PROMPT_COMMAND: '' };
  const { name } = await coordinator.spawn({ program, args, env, environment: 'minimal' });
  const run = async (line: string) => {
    const { outcome, exitCode, output } = await coordinator.run(name, { line });
    return [outcome, exitCode, output.tail];
  };
  return { coordinator, name, run };
}

const replaced: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'bash',
    ['--norc'],
    [
      "PS1='$ '; unset PROMPT_COMMAND",
      "PS1='no prompt at all'; PROMPT_COMMAND=",
      'PROMPT_COMMAND+=("PS1=\'new> \'")',
      "PS0=; PS1='> '; PROMPT_COMMAND=:",
    ],
  ],
  [
    'zsh',
    ['-f'],
    [
      'precmd_functions=()',
      'precmd_functions=(); preexec_functions=()',
      "PS1='no prompt at all'; precmd_functions=(f); f() { PS1='new> ' }",
      "unsetopt prompt_sp; PS1='> '; precmd_functions=(); preexec_functions=()",
    ],
  ],
];

for (const [program, args, lines] of replaced) {
  describe(`${program} marks its prompt again after`, () => {
    for (const line of lines) {
      needs(program)(line, async () => {
        const { coordinator, name, run } = await start(program, args);
        await run('echo before');
        expect(await run(`${line}; echo x; (exit 3)`)).toEqual(['finished', 3, 'x']);
        expect(await run('false')).toEqual(['finished', 1, '']);
        expect(await run('printf abc; (exit 4)')).toEqual(['finished', 4, 'abc']);
        // As a person does it: the prompt is found later.
        await coordinator.sendText(name, `${line}\r`, {
          wait: { quietMs: 200, timeoutMs: 20_000 },
        });
        expect(await run('echo "hi!"; (exit 5)')).toEqual(['finished', 5, 'hi!']);
      });
    }
  });
}

describe('nothing is answered for a person', () => {
  needs('bash')('whom a command of bash asks with its line editor', async () => {
    const { coordinator, name, run } = await start('bash', ['--norc']);
    expect((await run('read -e -p "name? " x'))[0]).toBe('awaiting_input');
    await expect(run('echo no')).rejects.toMatchObject({ code: 'NOT_AT_PROMPT' });
    await coordinator.sendText(name, 'me\r', { wait: { finished: true, timeoutMs: 20_000 } });
    expect(await run('echo "$x"')).toEqual(['finished', 0, 'me']);
  });

  needs('zsh')('whom a command of zsh asks with its line editor', async () => {
    const { coordinator, name, run } = await start('zsh', ['-f']);
    expect((await run('x=; vared -p "name? " x'))[0]).toBe('awaiting_input');
    await expect(run('echo no')).rejects.toMatchObject({ code: 'NOT_AT_PROMPT' });
    await coordinator.sendText(name, 'me\r', { wait: { finished: true, timeoutMs: 20_000 } });
    expect(await run('echo "$x"')).toEqual(['finished', 0, 'me']);
  });
});

/** Queries, as printf(1) writes them. */
const queries = {
  'what it is': '\\033[c',
  'its version': '\\033[>c',
  'the cursor': '\\033[6n',
  'a colour': '\\033]11;?\\a',
  'a mode': '\\033[?2004$p',
  'a setting': '\\033P$qm\\033\\134',
  'its name': '\\033[>q',
  'keyboard flags': '\\033[?u',
  'its size': '\\033[18t',
};

describe('replies that no program reads', () => {
  let coordinator: LocalCoordinator;
  let home: string;
  beforeEach(() => {
    coordinator = new LocalCoordinator();
    home = mkdtempSync(join(tmpdir(), 'vtr-replies-'));
    makeFishHome(home);
    writeFileSync(join(home, '.zshrc'), "PS1='%# '\n");
  });
  afterEach(async () => {
    await coordinator.close();
    rmSync(home, { recursive: true, force: true });
  });

  async function shell(program: string, args: readonly string[] = []): Promise<string> {
    const env = { HOME: home, HISTFILE: '/dev/null', LC_ALL: 'C.UTF-8' };
    const spawned = { program, args, env, cwd: home };
    const { name } = await coordinator.spawn(spawned);
    await coordinator.wait(name, { prompt: true });
    return name;
  }
  const run = async (name: string, line: string) => {
    const { output, outcome } = await coordinator.run(name, { line });
    return [outcome, output.tail];
  };

  for (const [program, ...args] of [['bash', '--norc'], ['zsh'], ['fish']] as const) {
    needs(program)(`are not typed at the prompt of ${program}`, async () => {
      const name = await shell(program, args);
      for (const [index, query] of Object.values(queries).entries()) {
        const shown = expect.stringMatching(/^log\s*x?$/);
        expect(await run(name, `printf 'log ${query}\\n'`)).toEqual(['finished', shown]);
        expect(await run(name, `printf 'log ${query}x\\n' > log${index}`)).toEqual([
          'finished',
          '',
        ]);
        expect(await run(name, `cat log${index}`)).toEqual(['finished', shown]);
        expect(await run(name, 'echo ok')).toEqual(['finished', 'ok']);
      }
    });

    needs(program, 'python3')(
      `are cleared at the prompt of ${program} when their program was killed`,
      async () => {
        const name = await shell(program, args);
        const ask = String.raw`os.write(1, b"\033[c\033]11;?\007\033[6n")`;
        const killed = `import os, select, tty; tty.setraw(0); ${ask}; select.select([0], [], []); os.kill(os.getpid(), 9)`;
        writeFileSync(join(home, 'killed.py'), killed);
        expect(await run(name, 'python3 killed.py')).toEqual(['finished', expect.any(String)]);
        const status = program === 'fish' ? '$status' : '$?';
        expect(await run(name, `echo ${status}`)).toEqual([
          ...['finished', expect.stringMatching(/^137\s*$/)],
        ]);
      },
    );
  }

  needs('bash')('are cleared in an editor with keys of vi, too', async () => {
    const name = await shell('bash', ['--norc']);
    await run(name, 'set -o vi');
    const line = "stty raw -echo; printf '\\033[c'; sh -c 'kill -9 $$'; stty sane";
    expect(await run(name, line)).toEqual(['finished', expect.any(String)]);
    expect(await run(name, 'echo ok')).toEqual(['finished', 'ok']);
  });

  needs('zsh')('are not typed at a prompt without marks', async () => {
    const name = await shell('zsh', ['-f']);
    expect(await run(name, "printf 'log \\033[c\\n'")).toEqual([expect.any(String), 'log ']);
    expect(await run(name, 'echo ok')).toEqual([expect.any(String), 'ok']);
  });

  needs('bash')('leave what was typed ahead', async () => {
    const name = await shell('bash', ['--norc']);
    const line = "printf '\\033[c'; read -r go; printf '\\033[c'";
    const running = coordinator.run(name, { line, asks: false });
    await coordinator.wait(name, { asks: true });
    await coordinator.sendText(name, '\recho typed-ahead\r', { wait: { match: ['^typed-ahead'] } });
    await running;
    expect((await coordinator.screen(name)).text.join('\n')).toMatch(/^typed-ahead$/m);
    await coordinator.sendText(name, 'echo by-hand');
    await expect(coordinator.run(name, { line: 'echo' })).rejects.toMatchObject({
      code: 'NOT_AT_PROMPT',
    });
  });

  needs('bash')('are read by a program that asks before it changes the mode', async () => {
    const name = await shell('bash', ['--norc']);
    const ask = `printf '\\033[6n'; IFS= read -rs -d R x; echo "got \${x#*[}"`;
    for (const line of [ask, `bash -c '${ask.replaceAll("'", "'\\''")}'`]) {
      expect(await run(name, line)).toEqual(['finished', expect.stringMatching(/got \d+;1$/)]);
    }
    const raw = `printf '\\033[6n'; stty raw -echo; dd bs=64 count=1 2>/dev/null | cat -v; stty sane`;
    expect(await run(name, raw)).toEqual(['finished', expect.stringMatching(/\d+;1R$/)]);
  });
});
