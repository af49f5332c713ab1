import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { testProgram } from '../../support/pty/pty-request.ts';

/** The first message of a host of the older protocol; the end of input follows. */
const opening = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  },
})}\n`;

/** The value that hosts pass for an option that the user has not set. */
const unset = (option: string): string => `$\{user_config.${option}}`;

describe('vtr mcp', () => {
  it.each([[[]], [['--embedded']]])('%j answers a host, and exits with it', async (flags) => {
    const place = new Place();
    const { status, stderr } = await place.vtr(['mcp', ...flags], { input: opening });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('reports an invalid option at the start', async () => {
    const place = new Place();
    const env = { VTR_MAX_SESSIONS: 'many', VTR_TERM: unset('term'), VTR_DEFAULT_ROWS: '' };
    const { status, stderr, stdout } = await place.vtr(['mcp'], { env, input: opening });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('VTR_MAX_SESSIONS is "many"; it must be a whole number');
    const fine = { ...env, VTR_MAX_SESSIONS: unset('max_sessions') };
    expect((await place.vtr(['mcp'], { env: fine, input: opening })).status).toBe(0);
  });
});

describe('vtr acp', () => {
  it('relays the messages of agent and editor, and exits with the status of the agent', async () => {
    const place = new Place();
    const agent = ['sh', '-c', 'cat; exit 3'];
    const run = await place.vtr(['acp', '--', ...agent], {
      input: '{"method":"_x", "id":1.0}\r\n',
    });
    expect(run).toMatchObject({ status: 3, stdout: '{"method":"_x", "id":1.0}\r\n', stderr: '' });
  });

  it.each([[[]], [['--embedded']]])(
    'writes only messages to stdout, even with logging: %j',
    async (flags) => {
      const words = ['acp', '--log-level', 'info', ...flags, '--', 'cat'];
      const { stdout, stderr } = await new Place().vtr(words, { input: '{"method":"_x"}\n' });
      expect(stdout).toBe('{"method":"_x"}\n');
      expect(stderr).toContain('started cat');
    },
  );

  it('starts no daemon for an agent that requests no terminal', async () => {
    const place = new Place();
    await place.vtr(['acp', '--', 'true']);
    expect((await place.vtr(['serve', '--stop'])).stderr).toContain('no coordinator');
  });
});

/** A session with an agent that vtr does not know, and the file that describes it. */
async function unknownAgent() {
  const place = new Place();
  const { directory } = place;
  const file = join(directory, 'config/vtr/agents/robo.toml');
  const program = join(directory, 'robo.mjs');
  copyFileSync(testProgram('coding-agent.mjs'), program);
  await place.ok('spawn', 'api', '--', process.execPath, program);
  const write = (text: string) => {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  };
  return { place, file, write };
}

const rule = `[[rule]]
id = "working"
claim = "busy"
where = "over"
match = '^. Working'
`;

describe('vtr agents', () => {
  it('lists kinds and sessions, follows a file that is saved, and tells what is wrong with it', async () => {
    const { place, file, write } = await unknownAgent();
    const answer = JSON.parse(await place.ok('agents', '--json'));
    expect(answer.kinds).toHaveLength(27);
    write('name = "Robo"\nchecked_with = ["1.0.0"]\n');
    expect((await place.vtr(['wait', 'api', '--agent', 'idle'])).status).toBe(0);
    const { kinds, problems } = JSON.parse(await place.ok('agents', '--json'));
    expect(problems).toEqual([]);
    expect(kinds.find(({ kind }: { kind: string }) => kind === 'robo')).toMatchObject({
      name: 'Robo',
      checked_with: ['1.0.0'],
      rules: file,
      program: null,
      sessions: [{ name: 'api' }],
    });

    write(`name = "Robo"\n${rule}`);
    const busy = ['key', 'api', 'enter', '--wait', '--agent', 'busy'];
    expect((await place.vtr(busy)).status).toBe(0);
    const rules = async () => {
      const { agent } = await place.json('info', 'api');
      return agent.evidence.map((claim: { rule: string }) => claim.rule);
    };
    await expect.poll(rules).toContain('working');

    write('name = \n');
    const { stdout, stderr } = await place.vtr(['agents']);
    expect(stderr).toContain(`${file}:1:8: `);
    expect(stdout).not.toContain('robo');
    expect((await place.json('info', 'api')).agent.kind).toBe('robo');
  });
});

describe('vtr agents explain', () => {
  it('tells the evidence of a state, and of screens that were saved', async () => {
    const { place, file, write } = await unknownAgent();
    write(rule);
    expect((await place.vtr(['wait', 'api', '--agent', 'idle'])).status).toBe(0);
    const busy = ['key', 'api', 'enter', '--wait', '--agent', 'busy'];
    expect((await place.vtr(busy)).status).toBe(0);
    const text = await place.ok('agents', 'explain', 'api');
    expect(text).toContain(`robo (robo); rules: ${file}, not checked\n`);
    expect(text).toMatch(/^busy for \d+m?s\n {2}busy strong reported: working \(\d+m?s\)\n/mu);
    const line = `busy strong working: SIGN Working... (esc to interrupt) (over, ${file}`;
    // The sign turns: any of them may be shown.
    const withSign = (output: string) => output.replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/gu, 'SIGN');
    expect(withSign(text)).toContain(line);
    expect(text).toMatch(
      /^other claims:\n {2}idle strong composer.* - busy reported comes first$/mu,
    );

    const saved = await place.vtr(['agents', 'save', 'api', 'report']);
    expect(saved.stdout.split('\n')).toHaveLength(4);
    const words = ['agents', 'explain', '--file', 'report/screen.json'];
    expect(withSign((await place.vtr(words)).stdout)).toContain(line);
    const other = await place.vtr([...words, '--agent', 'claude']);
    expect(other.stdout).toContain('it matches in over, and the rule is for title');
    const asJson = JSON.parse(await place.ok('agents', 'explain', 'api', '--json'));
    expect(asJson).toMatchObject({ agent: { state: 'busy' }, screen: { state: 'busy' } });
    const ages = asJson.screen.claims.map((claim: { age_ms: number }) => claim.age_ms);
    expect(Math.min(...ages)).toBeGreaterThanOrEqual(0);
    expect(await place.ok('agents', 'explain', 'api', '--agent', 'claude')).toContain('claude (');
  });

  it('refuses kinds and files that do not exist', async () => {
    const place = new Place();
    const none = await place.vtr(['agents', 'explain', '--file', 'x.json']);
    expect(none).toMatchObject({ status: 2 });
    expect(none.stderr).toContain('x.json cannot be read');
    expect((await place.vtr(['agents', 'explain'])).stderr).toContain('name a session, or --file');
  });
});

describe('vtr agents save', () => {
  it('replaces secrets', async () => {
    const place = new Place();
    await place.ok(
      'spawn',
      'api',
      '--wait',
      'KEY',
      '--',
      'sh',
      '-c',
      'echo KEY ghp_0123456789abcdefghijABCDEFGHIJ456789; cat',
    );
    const { status, stderr } = await place.vtr(['agents', 'save', 'api', 'report']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'vtr: 1 secret replaced\n' });
    for (const name of ['screen.txt', 'screen.ansi', 'screen.json']) {
      expect(readFileSync(join(place.directory, 'report', name), 'utf8')).not.toContain('ghp_0');
    }
  });
});

describe('vtr agents update', () => {
  it('takes files that are right, tells what changes, and gives them up again', async () => {
    const place = new Place();
    const file = join(place.directory, 'kinds/agents/codex.toml');
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, `checked_with = ["1.0.0"]\nexecutables = ["codex"]\n${rule}`);
    const update = (...words: readonly string[]) => place.vtr(['agents', 'update', ...words]);
    const rulesOf = async () => {
      const { kinds } = JSON.parse(await place.ok('agents', '--json'));
      return kinds.find(({ kind }: { kind: string }) => kind === 'codex').rules;
    };
    const own = await rulesOf();
    const text = (await update('kinds', '--dry-run')).stdout;
    expect(text).toContain('codex: checked with 1.0.0, before with 0.171.0\n');
    expect(text).toContain('codex: adds rule working\ncodex: removes rule title-asks\n');
    expect(await rulesOf()).toBe(own);
    expect((await update('kinds')).status).toBe(0);
    expect(await rulesOf()).toMatch(/agents\/codex\.toml$/);
    writeFileSync(join(file, '../wrong.toml'), 'name = 1\n');
    const wrong = await update('kinds');
    expect(wrong).toMatchObject({ status: 2 });
    expect(wrong.stderr).toContain('wrong.toml:1:8: name is 1');
    expect((await update('--remove')).stdout).toBe('codex: removed\n');
    expect(await rulesOf()).toBe(own);
  });
});
