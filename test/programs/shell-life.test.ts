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
  const told = await start(program, { ...simple, ...setup });
  await told.untilPrompt();
  return told;
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
    const told = await prompted(program);
    await told.typeUntil("sh -c 'echo go; exec sleep 60'\r", /^go/m);
    const { running } = told.session.view.commands;
    expect(running).toMatchObject({ state: 'running', exitCode: null, to: null });
    expect(told.session.view.commands.prompt).toBeNull();
    await told.interrupt();
    expect(told.rows).toEqual([["sh -c 'echo go; exec sleep 60'", 130, expect.any(String)]]);
    expect(told.rows[0]?.[2]).toMatch(/^go\n\^C/);
  });

  test('tells of no command where a line was abandoned', async () => {
    const told = await prompted(program);
    await told.typeUntil('abandoned', /abandoned/);
    await told.interrupt();
    await told.type('echo hi\r');
    expect(told.rows).toEqual([['echo hi', 0, 'hi']]);
  });

  test('tells where it is', async () => {
    const told = await prompted(program);
    await told.type("mkdir 'a b%41;ä#?'\r");
    await told.type("cd 'a b%41;ä#?'\r");
    await told.type('pwd\r');
    const directory = `${told.home}/a b%41;ä#?`;
    expect(told.commands.map(({ cwd }) => cwd)).toEqual([told.home, told.home, directory]);
  });

  test('tells a line as it was typed, whatever it contains', async () => {
    const told = await prompted(program);
    const lines = [
      `: '\\a "\\\\$x" &' "50%;25" ~ *[a-z] {1,2} \\% '$(x)' '}' ü日本🙂 # ;]133;D`,
      ...(program === 'bash' ? ['set -o posix; set -u', ": '!' a", 'set +o posix'] : []),
      `: ${'long '.repeat(300)}end`,
    ];
    for (const line of lines) await told.type(`${line}\r`);
    // fish does not insert a control character.
    const isFish = program === 'fish';
    if (!isFish) await told.type(": 'a\x16\tb'\r");
    const all = isFish ? lines : [...lines, ": 'a\tb'"];
    expect(told.commands.map(({ line }) => line)).toEqual(all);
  });

  test('tells where its prompt ends, drawn again too', async () => {
    const told = await prompted(program);
    const atCursor = () => {
      const { line, col } = told.session.view.terminal.linePosition();
      const { prompt } = told.session.view.commands;
      return prompt !== null && prompt.line === line && prompt.col === col && col > 0;
    };
    await told.until(atCursor);
    await told.type('echo hi\r');
    await told.until(atCursor);
    await told.session.sendText('\x0c', {});
    await told.until(() => told.session.view.commands.prompt?.line === 0 && atCursor());
  });

  test('reports the status of a line with a syntax error, which does not run', async () => {
    const told = await prompted(program);
    const { view } = told.session;
    const since = view.outputEnd;
    await told.session.sendText('echo )\r', {});
    await told.until(() => view.commands.statusWithoutCommand(since) !== null);
    const code = { bash: 2, zsh: 1, fish: 127 }[program];
    expect(view.commands.statusWithoutCommand(since)).toBe(code);
    await told.untilPrompt(since);
    if (program === 'fish') {
      // It shows the line again at its prompt.
      await told.until(() => view.terminal.linePosition().col > (view.commands.prompt?.col ?? 0));
      await told.interrupt();
    }
    await told.type('echo hi\r');
    expect(told.commands).toMatchObject([{ line: 'echo hi', exitCode: 0 }]);
  });

  test('ends with what it was told to exit with', async () => {
    const told = await prompted(program);
    await told.session.sendText('exit 3\r', {});
    await told.until(() => told.session.exitStatus !== null);
    expect(told.session.exitStatus).toEqual({ code: 3, signal: null });
    expect(told.commands).toMatchObject([{ line: 'exit 3', exitCode: 3, state: 'ended' }]);
    expect(told.session.view.commands.prompt).toBeNull();
  });

  test('keeps what it proves itself with from what it starts', async () => {
    const told = await prompted(program);
    await told.type('env\r');
    expect(told.rows[0]?.[2]).toMatch(/HOME=/);
    expect(told.rows[0]?.[2]).not.toMatch(/__vtr|VTR_SHELL|nonce/);
  });

  test('goes quiet when another shell takes its place', async () => {
    const told = await prompted(program);
    await told.typeUntil("exec sh -c 'echo other; cat'\r", /^other/m);
    expect(told.session.view.commands.running?.line).toMatch(/^exec/);
    await told.typeUntil('x\r', /^x\nx/m);
    await told.session.sendText('\x04', {});
    await told.until(() => told.session.exitStatus !== null);
    expect(told.commands).toMatchObject([{ exitCode: 0, state: 'ended' }]);
  });

  for (const inner of ['bash', 'zsh', 'fish', 'dash']) {
    needs(program, inner)(`says nothing of what ${inner} does inside of it`, async () => {
      const told = await prompted(program);
      // No start-up file sets a prompt, so that an exported one is used. zsh prints the prompt of bash
      // unexpanded, without our integration too.
      const options = { bash: '--norc', zsh: '-f', fish: '--no-config' }[inner] ?? '';
      const isForeign = program === 'fish' || (program === 'bash' && inner === 'zsh');
      const exporting = isForeign ? 'true' : 'export PS1 PS2 PROMPT_COMMAND PROMPT_EOL_MARK';
      await told.type(`${exporting}\r`);
      await told.session.sendText(`${inner} ${options}\r`, {});
      const { view } = told.session;
      await told.until(
        () => view.commands.running !== null && /[$#>%]$/.test(view.textBeforeCursor().trimEnd()),
      );
      await told.typeUntil('echo in""ner\r', 'inner');
      await told.typeUntil('echo ag""ain\r', 'again');
      expect(told.session.view.commands.running?.line).toBe(`${inner} ${options}`);
      expect(told.text).not.toMatch(/133;|__vtr|not found|Unknown/);
      await told.type('exit 5\r');
      expect(told.commands.at(-1)).toMatchObject({ line: `${inner} ${options}`, exitCode: 5 });
      expect(told.commands).toHaveLength(2);
    });
  }

  needs(program, 'vim')('survives vim', async () => {
    const told = await prompted(program);
    // Without queries of the terminal: if vim exits before the answer, the shell reads it. vim also queries
    // (t_RK) after insert mode.
    const vim = 'vim -u NONE --cmd "set t_RV= t_RK=" file';
    await told.typeUntil(`${vim}\r`, /~/);
    await told.until(() => told.session.view.terminal.alternate);
    await told.typeUntil('ihello\x1b', 'hello');
    await told.type(':wq\r');
    await told.type('cat file\r');
    expect(told.rows).toEqual([
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
      const told = await start(program, setup);
      await told.typeUntil('echo he""re\r', /here/);
      expect(told.session.view.commands).toMatchObject({ integration: 'none', starting: false });
      expect(told.commands).toEqual([]);
    });
  }
});
