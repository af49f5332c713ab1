import { afterEach, describe, expect } from 'vitest';
import { needs } from '../support/run/needs.ts';
import { ShellSession, type ShellSetup } from '../support/session/shell-session.ts';

let shell: ShellSession | null = null;

afterEach(async () => {
  await shell?.dispose();
  shell = null;
});

async function start(program: string, setup: ShellSetup = {}): Promise<ShellSession> {
  shell = await ShellSession.start(program, setup);
  return shell;
}

async function prompted(program: string, setup: ShellSetup = {}): Promise<ShellSession> {
  const shell = await start(program, { ...simple, ...setup });
  await shell.untilPrompt();
  return shell;
}

const simple: ShellSetup = {
  files: {
    '.bashrc': "PS1='$ '\n",
    '.zshrc': "PS1='$ '\n",
    '.config/fish/config.fish': "function fish_prompt; echo -n '$ '; end\n",
  },
};

describe.each(['bash', 'zsh', 'fish'])('%s', (program) => {
  const test = needs(program);

  test('tells that a command was interrupted', async () => {
    const shell = await prompted(program);
    await shell.typeUntil("sh -c 'echo go; exec sleep 60'\r", /^go/m);
    const { running } = shell.session.view.commands;
    expect(running).toMatchObject({ state: 'running', exitCode: null, to: null });
    expect(shell.session.view.commands.prompt).toBeNull();
    await shell.interrupt();
    expect(shell.rows).toEqual([["sh -c 'echo go; exec sleep 60'", 130, expect.any(String)]]);
    expect(shell.rows[0]?.[2]).toMatch(/^go\n\^C/);
  });

  test('tells of no command where a line was abandoned', async () => {
    const shell = await prompted(program);
    await shell.typeUntil('abandoned', /abandoned/);
    await shell.interrupt();
    await shell.type('echo hi\r');
    expect(shell.rows).toEqual([['echo hi', 0, 'hi']]);
  });

  test('tells where it is', async () => {
    const shell = await prompted(program);
    await shell.type("mkdir 'a b%41;ä#?'\r");
    await shell.type("cd 'a b%41;ä#?'\r");
    await shell.type('pwd\r');
    const directory = `${shell.home}/a b%41;ä#?`;
    expect(shell.commands.map(({ cwd }) => cwd)).toEqual([shell.home, shell.home, directory]);
  });

  test('tells a line as it was typed, whatever it contains', async () => {
    const shell = await prompted(program);
    const lines = [
      `: '\\a "\\\\$x" &' "50%;25" ~ *[a-z] {1,2} \\% '$(x)' '}' ü日本🙂 # ;]133;D`,
      ...(program === 'bash' ? ['set -o posix; set -u', ": '!' a", 'set +o posix'] : []),
      `: ${'long '.repeat(300)}end`,
    ];
    for (const line of lines) await shell.type(`${line}\r`);
    // fish does not insert a control character.
    const isFish = program === 'fish';
    if (!isFish) await shell.type(": 'a\x16\tb'\r");
    const all = isFish ? lines : [...lines, ": 'a\tb'"];
    expect(shell.commands.map(({ line }) => line)).toEqual(all);
  });

  test('tells where its prompt ends, drawn again too', async () => {
    const shell = await prompted(program);
    const atCursor = () => {
      const { line, col } = shell.session.view.terminal.linePosition();
      const { prompt } = shell.session.view.commands;
      return prompt !== null && prompt.line === line && prompt.col === col && col > 0;
    };
    await shell.until(atCursor);
    await shell.type('echo hi\r');
    await shell.until(atCursor);
    await shell.session.sendText('\x0c', {});
    await shell.until(() => shell.session.view.commands.prompt?.line === 0 && atCursor());
  });

  test('reports the status of a line with a syntax error, which does not run', async () => {
    const shell = await prompted(program);
    const { view } = shell.session;
    const since = view.outputEnd;
    await shell.session.sendText('echo )\r', {});
    await shell.until(() => view.commands.statusWithoutCommand(since) !== null);
    const code = { bash: 2, zsh: 1, fish: 127 }[program];
    expect(view.commands.statusWithoutCommand(since)).toBe(code);
    await shell.untilPrompt(since);
    if (program === 'fish') {
      // It shows the line again at its prompt.
      await shell.until(() => view.terminal.linePosition().col > (view.commands.prompt?.col ?? 0));
      await shell.interrupt();
    }
    await shell.type('echo hi\r');
    expect(shell.commands).toMatchObject([{ line: 'echo hi', exitCode: 0 }]);
  });

  test('ends with what it was told to exit with', async () => {
    const shell = await prompted(program);
    await shell.session.sendText('exit 3\r', {});
    await shell.until(() => shell.session.exitStatus !== null);
    expect(shell.session.exitStatus).toEqual({ code: 3, signal: null });
    expect(shell.commands).toMatchObject([{ line: 'exit 3', exitCode: 3, state: 'ended' }]);
    expect(shell.session.view.commands.prompt).toBeNull();
  });

  test('keeps what it proves itself with from what it starts', async () => {
    const shell = await prompted(program);
    await shell.type('env\r');
    expect(shell.rows[0]?.[2]).toMatch(/HOME=/);
    expect(shell.rows[0]?.[2]).not.toMatch(/__vtr|VTR_SHELL|nonce/);
  });

  test('goes quiet when another shell takes its place', async () => {
    const shell = await prompted(program);
    await shell.typeUntil("exec sh -c 'echo other; cat'\r", /^other/m);
    expect(shell.session.view.commands.running?.line).toMatch(/^exec/);
    await shell.typeUntil('x\r', /^x\nx/m);
    await shell.session.sendText('\x04', {});
    await shell.until(() => shell.session.exitStatus !== null);
    expect(shell.commands).toMatchObject([{ exitCode: 0, state: 'ended' }]);
  });

  for (const inner of ['bash', 'zsh', 'fish', 'dash']) {
    needs(program, inner)(`says nothing of what ${inner} does inside of it`, async () => {
      const shell = await prompted(program);
      // No start-up file sets a prompt, so that an exported one is used. zsh prints the prompt of bash
      // unexpanded, without our integration too.
      const options = { bash: '--norc', zsh: '-f', fish: '--no-config' }[inner] ?? '';
      const isForeign = program === 'fish' || (program === 'bash' && inner === 'zsh');
      const exporting = isForeign ? 'true' : 'export PS1 PS2 PROMPT_COMMAND PROMPT_EOL_MARK';
      await shell.type(`${exporting}\r`);
      await shell.session.sendText(`${inner} ${options}\r`, {});
      const { view } = shell.session;
      await shell.until(
        () => view.commands.running !== null && /[$#>%]$/.test(view.textBeforeCursor().trimEnd()),
      );
      await shell.typeUntil('echo in""ner\r', 'inner');
      await shell.typeUntil('echo ag""ain\r', 'again');
      expect(shell.session.view.commands.running?.line).toBe(`${inner} ${options}`);
      expect(shell.text).not.toMatch(/133;|__vtr|not found|Unknown/);
      await shell.type('exit 5\r');
      expect(shell.commands.at(-1)).toMatchObject({ line: `${inner} ${options}`, exitCode: 5 });
      expect(shell.commands).toHaveLength(2);
    });
  }

  needs(program, 'vim')('survives vim', async () => {
    const shell = await prompted(program);
    // Without queries of the terminal: if vim exits before the answer, the shell reads it. vim also queries
    // (t_RK) after insert mode.
    const vim = 'vim -u NONE --cmd "set t_RV= t_RK=" file';
    await shell.typeUntil(`${vim}\r`, /~/);
    await shell.until(() => shell.session.view.terminal.alternate);
    await shell.typeUntil('ihello\x1b', 'hello');
    await shell.type(':wq\r');
    await shell.type('cat file\r');
    expect(shell.rows).toEqual([
      [vim, 0, expect.any(String)],
      ['cat file', 0, 'hello'],
    ]);
  });
});

describe('nothing is marked if it is', () => {
  const off: readonly (readonly [string, string, ShellSetup])[] = [
    ['switched off', 'bash', { shellIntegration: false }],
    ['a shell in POSIX mode', 'bash', { args: ['--posix'] }],
    ['sh', 'sh', {}],
  ];
  for (const [title, program, setup] of off) {
    needs(program)(title, async () => {
      const shell = await start(program, setup);
      await shell.typeUntil('echo he""re\r', /here/);
      expect(shell.session.view.commands).toMatchObject({ integration: 'none', starting: false });
      expect(shell.commands).toEqual([]);
    });
  }
});

needs('bash')('bash tells where a hook of the user has gone after a command', async () => {
  const rc = "PS1='$ '\nPROMPT_COMMAND='[[ ! -d next ]] || cd next'\n";
  const shell = await prompted('bash', { files: { '.bashrc': rc } });
  await shell.type('mkdir next\r');
  await shell.type('pwd\r');
  const directory = `${shell.home}/next`;
  expect(shell.commands.map(({ cwd }) => cwd)).toEqual([shell.home, directory]);
  expect(shell.rows[1]).toEqual(['pwd', 0, directory]);
});
