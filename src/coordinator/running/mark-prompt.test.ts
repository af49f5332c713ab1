import { describe, expect, onTestFinished } from 'vitest';
import { LocalCoordinator } from '#coordinator';
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
