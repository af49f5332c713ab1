import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { McpHost } from '../../support/mcp/mcp-client.ts';
import { needs } from '../../support/run/needs.ts';

/** The tests share its daemon. */
const place = Place.forAll();

const here = (...start: readonly Parameters<typeof McpHost.start>[1][]) =>
  McpHost.start(place, ...start);

/** Answers with every documented field. */
const full = { flags: ['--answers', 'full'] };

describe('the list of tools', () => {
  it('has at most 3,000 tokens, 2,000 without output schemas, and starts no coordinator', async () => {
    const unused = new Place();
    const host = await McpHost.start(unused);
    const { tools } = await host.client.listTools();
    // The benchmark counts them: o200k_base has 4.10 to 4.11 characters per token here.
    const tokens = (list: unknown) => JSON.stringify(list).length / 4.1;
    expect(tokens(tools)).toBeLessThanOrEqual(3_000);
    const inputs = tools.map(({ outputSchema: _, ...tool }) => tool);
    expect(tokens(inputs)).toBeLessThanOrEqual(2_000);
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'terminal__create_session',
        'terminal__destroy_session',
        'terminal__list_sessions',
        'terminal__send',
        'terminal__read',
      ]),
    );
    expect(tools).toHaveLength(8);
    expect(tools.every(({ outputSchema, annotations }) => outputSchema && annotations)).toBe(true);
    expect(await host.call('list_sessions')).toEqual({ sessions: [], count: 0 });
    expect((await unused.vtr(['serve', '--stop'])).status).toBe(3);
  });
});

describe('terminal__create_session', () => {
  it("[S1.01] starts the user's shell, 24x80, without arguments", async () => {
    const host = await here();
    const created = await host.call('create_session');
    expect(created).toEqual({
      session_id: expect.stringMatching(/^sess_[a-z0-9]{8}$/),
      pid: expect.any(Number),
      program: expect.stringMatching(/^\/.*sh$/),
      dimensions: { rows: 24, cols: 80 },
      ready: true,
    });
  });

  it('[S1.02] accepts program, args, rows, cols, env and cwd', async () => {
    const host = await here();
    const { session_id, dimensions } = await host.call('create_session', {
      program: 'sh',
      args: ['-c', 'echo "$0 $WORD $PWD $(stty size)"', 'word'],
      rows: 30,
      cols: 100,
      env: { WORD: 'given' },
      cwd: '/usr',
    });
    expect(dimensions).toEqual({ rows: 30, cols: 100 });
    const read = await host.call('read', { session_id, view: 'new', timeout_ms: 10_000 });
    expect(read).toMatchObject({ content: 'word given /usr 30 100', exited: true, exit_code: 0 });
  });

  it('[S1.03] waits for the prompt of a shell, not of other programs', async () => {
    const host = await here();
    expect(await host.call('create_session', { program: 'sh' })).toMatchObject({ ready: true });
    expect(await host.call('create_session', { program: 'cat' })).not.toHaveProperty('ready');
    const waits = { program: 'cat', wait_ready: true, ready_timeout_ms: 100 };
    expect(await host.call('create_session', waits)).toMatchObject({ ready: false });
  });

  it('accepts null for absent fields, and any number as a time', async () => {
    const host = await here(full);
    const nothing = { args: null, rows: null, env: null, cwd: null, wait_ready: null };
    const request = { program: 'cat', ...nothing, ready_timeout_ms: -1 };
    const { session_id, dimensions } = await host.call('create_session', request);
    expect(dimensions).toEqual({ rows: 24, cols: 80 });
    const read = { view: null, wait_idle_ms: 49.6, timeout_ms: 1e300 };
    const answer = await host.call('send', { session_id, text: 'x', key: null, read });
    expect(answer.read_result).toMatchObject({ outcome: 'idle', timeout_ms: 50_000 });
    expect(await host.call('send', { session_id, text: 'x', read: null })).toMatchObject({
      read_result: null,
    });
  });

  it('starts an ended session again, below its lines; names variables that were not saved', async () => {
    const host = await here();
    const script = { program: 'sh', args: ['-c', 'echo "got $WORD."; read line'] };
    const request = { ...script, name: 'job', env: { WORD: 'one' } };
    await host.call('create_session', request);
    const again = { name: 'job', revive: true };
    expect(await host.failure('create_session', again)).toContain('is running');
    await host.call('send', { session_id: 'job', key: 'Enter' });
    await host.call('wait', { session_id: 'job' });
    expect(await host.call('create_session', again)).toMatchObject({
      session_id: 'job',
      pid: expect.any(Number),
      missing_env: ['WORD'],
    });
    const read = { session_id: 'job', view: 'scrollback', wait_for: ['got \\.'] };
    expect((await host.call('read', read)).content).toMatch(/got one\.[\s\S]*got \./);
    expect(await host.call('read', { session_id: 'job', view: 'new' })).toMatchObject({
      content: expect.not.stringContaining('[revived'),
    });
    expect(await host.failure('create_session', { revive: true })).toContain('revive needs name');
    await host.call('send', { session_id: 'job', key: 'Enter' });
    await host.call('wait', { session_id: 'job' });
    const ended = await host.failure('send', { session_id: 'job', text: 'x' });
    expect(ended).toContain('PROCESS_EXITED');
    expect(ended).toContain('"revive":true');
  });

  it('accepts the lines of scrollback, and refuses too many', async () => {
    const host = await here();
    const program = { program: 'sh', args: ['-c', 'seq 500; read line'] };
    const { session_id } = await host.call('create_session', { ...program, scrollback: 50 });
    const read = { session_id, view: 'scrollback', wait_for: ['^500$'] };
    const { content } = await host.call('read', read);
    expect(content).toContain('460');
    const refused = { ...program, scrollback: 2_000_000 };
    expect(await host.failure('create_session', refused)).toContain('1000000');
  });

  it('[S1.19] refuses a session over the limit, and names the limit', async () => {
    const host = await here({ flags: ['--max-sessions', '2'] });
    const sessions = await Promise.all(
      [1, 2].map(() => host.call('create_session', { program: 'cat' })),
    );
    expect(await host.failure('create_session')).toMatch(/^MAX_SESSIONS: .*\b2\b/);
    await host.call('destroy_session', { session_id: sessions[0].session_id });
    await host.call('create_session', { program: 'cat', name: 'named' });
    expect(await host.failure('create_session', { name: 'more' })).toMatch(
      /^MAX_SESSIONS: 2 of your 2 sessions run; terminal__destroy_session ends one of them$/,
    );
    // Those of another agent do not count.
    const other = await here({ flags: ['--max-sessions', '1'] });
    await other.call('create_session', { program: 'cat' });
    expect(await other.failure('create_session')).toMatch(/^MAX_SESSIONS: 1 of your 1 sessions/);
  });
});

describe('terminal__destroy_session', () => {
  it('[S1.04] ends gracefully, or by force', async () => {
    const host = await here();
    const script = 'trap "exit 3" HUP TERM; echo armed; while :; do sleep 0.1; done';
    const spawn = { program: 'sh', args: ['-c', script] };
    const read = { view: 'new', wait_for: ['armed'] };
    const [one, two] = [
      await host.call('create_session', spawn),
      await host.call('create_session', spawn),
    ];
    for (const { session_id } of [one, two]) await host.call('read', { session_id, ...read });
    expect(await host.call('destroy_session', { session_id: one.session_id })).toEqual({
      destroyed: true,
      exit_code: 3,
    });
    expect(await host.call('destroy_session', { session_id: two.session_id, force: true })).toEqual(
      { destroyed: true, signal: 'SIGKILL' },
    );
    expect((await host.call('list_sessions')).count).toBe(0);
  });
});

describe('terminal__list_sessions and terminal__get_info', () => {
  it('describe one session alike', async () => {
    const host = await here();
    const session_id = await host.shell();
    const { healthy: _, ...info } = await host.call('get_info', { session_id });
    const { sessions, count } = await host.call('list_sessions', { session_id });
    expect(count).toBe(1);
    expect(sessions).toEqual([info]);
    expect(info).toMatchObject({ pid: expect.any(Number), dimensions: { rows: 24, cols: 80 } });
    expect(await host.failure('list_sessions', { session_id: 'nobody' })).toMatch(
      /^SESSION_NOT_FOUND: /,
    );
    expect(await host.failure('list_sessions', { session_id, state: 'running' })).toMatch(
      /^SESSION_ERROR: give session_id, or state/,
    );
  });

  it('[S1.05, S1.15] answer every documented field', async () => {
    const host = await here(full);
    const session_id = await host.shell({ args: ['-i'], cwd: '/tmp' });
    await host.call('run', { session_id, line: 'cd /usr' });
    const facts = {
      session_id,
      program: expect.stringMatching(/^\/.*sh$/),
      args: ['-i'],
      pid: expect.any(Number),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      dimensions: { rows: 24, cols: 80 },
      exited: false,
      exit_code: null,
      healthy: true,
    };
    const activity = { state: 'at_prompt', seconds: expect.any(Number), cwd: '/usr' };
    expect(await host.call('list_sessions')).toEqual({
      sessions: [{ ...facts, ...activity }],
      count: 1,
    });
    expect(await host.call('get_info', { session_id })).toEqual({
      ...facts,
      cursor: { row: expect.any(Number), col: expect.any(Number) },
      cwd: '/usr',
      state: 'at_prompt',
      driver: { kind: 'agent', name: 'test', since: expect.any(String), epoch: 1 },
    });
    await host.call('send', { session_id, text: 'exit 7\n', read: { wait_for_exit: true } });
    const exited = { exited: true, exit_code: 7, healthy: false };
    expect(await host.call('get_info', { session_id })).toMatchObject({ ...exited, cwd: null });
    expect((await host.call('list_sessions')).sessions[0]).toMatchObject(exited);
  });
});

describe('terminal__send', () => {
  it('[S1.06, S1.09] sends text and reads in one call; nothing to send is NO_INPUT', async () => {
    const host = await here();
    const session_id = await host.shell();
    expect(await host.call('send', { session_id, text: ':' })).toEqual({ sent: true });
    expect(await host.failure('send', { session_id })).toMatch(/^NO_INPUT: /);
    const read = { view: 'new', wait_for: ['^a+b$'] };
    const { read_result } = await host.call('send', { session_id, text: '; echo aab\n', read });
    expect(read_result).toMatchObject({ matched: 'aab' });
  });

  it('clicks on a text, drags and scrolls; says why nothing was sent', async () => {
    const host = await here();
    const screen = '\\033[?1002;1006h[ OK ] (1) [ No ] [ No ]\\r\\nready\\r\\n';
    const args = ['-c', `stty raw -echo; printf '${screen}'; exec cat -v`];
    const { session_id } = await host.call('create_session', { program: 'sh', args });
    await host.call('read', { session_id, view: 'new', wait_for: ['ready'] });
    const failure = async (mouse: object, rest = {}) =>
      (await host.failure('send', { session_id, mouse, ...rest })).split('\n')[0];
    expect(await failure({ click: 'No' })).toMatch(
      /^SESSION_ERROR: .*"No" 2 times: at "0,13", "0,20"; give one/,
    );
    expect(await failure({ click: 'Maybe' })).toMatch(/does not show "Maybe" in one row/);
    expect(await failure({ click: 'OK', scroll: 'up' })).toMatch(/needs one of click, drag/);
    expect(await failure({ click: 'OK' }, { text: 'x' })).toMatch(/without text and keys/);
    await host.call('send', { session_id, mouse: { click: '(1)', times: 2 }, ctrl: true });
    const drag = ['0,1', '1,1'];
    await host.call('send', { session_id, mouse: { drag, button: 'right' } });
    const read = { view: 'screen', wait_for: ['<65;'] };
    const mouse = { scroll: 'down', at: '1,2' };
    const { read_result } = await host.call('send', { session_id, mouse, read });
    const reports =
      '^[[<16;9;1M^[[<16;9;1m^[[<16;9;1M^[[<16;9;1m' + '^[[<2;2;1M^[[<34;2;2M^[[<2;2;2m^[[<65;3;2M';
    expect(read_result.content.replace(/\n/g, '')).toContain(reports);
    const shell = await host.shell();
    expect(await host.failure('send', { session_id: shell, mouse: { click: '1,1' } })).toMatch(
      /not sent: the program has not requested/,
    );
  });

  /** The bytes, in hexadecimal, that a program with these modes receives from several calls. */
  async function arrived(modes: string, inputs: readonly object[], bytes: number): Promise<string> {
    const host = await here();
    const script = `stty raw -echo; printf '${modes}ready'; dd bs=1 count=${bytes} 2>/dev/null | od -An -v -tx1`;
    const { session_id } = await host.call('create_session', {
      program: 'sh',
      args: ['-c', script],
    });
    await host.call('read', { session_id, view: 'new', wait_for: ['ready'] });
    for (const input of inputs) await host.call('send', { session_id, ...input });
    const { content } = await host.call('read', { session_id, view: 'new', wait_for_exit: true });
    return content.replace(/\s/g, '');
  }

  it('[S1.07] presses every named key, modifiers and single letters', async () => {
    const keys = {
      up: '1b5b41',
      down: '1b5b42',
      right: '1b5b43',
      left: '1b5b44',
      home: '1b5b48',
      end: '1b5b46',
      pageup: '1b5b357e',
      pagedown: '1b5b367e',
      backspace: '7f',
      delete: '1b5b337e',
      insert: '1b5b327e',
      tab: '09',
      enter: '0d',
      escape: '1b',
      f1: '1b4f50',
      f2: '1b4f51',
      f3: '1b4f52',
      f4: '1b4f53',
      f5: '1b5b31357e',
      f6: '1b5b31377e',
      f7: '1b5b31387e',
      f8: '1b5b31397e',
      f9: '1b5b32307e',
      f10: '1b5b32317e',
      f11: '1b5b32337e',
      f12: '1b5b32347e',
    };
    const pressed: (readonly [object, string])[] = [
      ...Object.entries(keys).map(([key, hex]) => [{ key }, hex] as const),
      [{ key: 'c', ctrl: true }, '03'],
      [{ key: 'd', ctrl: true }, '04'],
      [{ key: 'ctrl+z' }, '1a'],
      [{ key: 'x', alt: true }, '1b78'],
      [{ key: 'tab', shift: true }, '1b5b5a'],
      [{ key: 'up', ctrl: true }, '1b5b313b3541'],
      [{ text: 'q', key: 'enter' }, '710d'],
    ];
    const hex = pressed.map(([, each]) => each).join('');
    const inputs = pressed.map(([input]) => input);
    expect(await arrived('', inputs, hex.length / 2)).toBe(hex);
    expect(await arrived('\\033[?1h', [{ key: 'up' }], 3)).toBe('1b4f41');
  });

  it('[S1.08] pastes as requested, and no text can end the paste', async () => {
    const bracketed = (hex: string) => `1b5b3230307e${hex}1b5b3230317e`;
    const pasted: readonly (readonly [object, string])[] = [
      [{ text: 'a\nb' }, bracketed('610d62')],
      [{ text: 'a', bracketed_paste: 'auto' }, '61'],
      [{ text: 'a\nb', bracketed_paste: 'never' }, '610d62'],
      [{ text: 'a\nb', bracketed_paste: false }, '610d62'],
      [{ text: 'a', bracketed_paste: 'always' }, bracketed('61')],
      [{ text: 'a', bracketed_paste: true }, bracketed('61')],
      [{ text: 'a\u001b[201~b', bracketed_paste: 'always' }, bracketed('6162')],
    ];
    const hex = pasted.map(([, each]) => each).join('');
    const inputs = pasted.map(([input]) => input);
    expect(await arrived('\\033[?2004h', inputs, hex.length / 2)).toBe(hex);
    expect(await arrived('', [{ text: 'a\nb' }], 3)).toBe('610d62');
  });

  needs('vim')('types several lines in a full-screen program, and reports a paste', async () => {
    const host = await McpHost.start(place);
    const file = join(place.directory, 'file.txt');
    writeFileSync(file, 'one\ntwo\nthree\n');
    const { session_id } = await host.call('create_session', {
      program: 'vim',
      args: ['-u', 'NONE', file],
    });
    await host.call('read', { session_id, wait_idle_ms: 200 });
    const read = { wait_for_exit: true };
    const answer = await host.call('send', { session_id, text: ':2d\n:wq\n', read });
    expect(answer).not.toHaveProperty('pasted');
    expect(answer.read_result).toMatchObject({ exited: true, exit_code: 0 });
    expect(readFileSync(file, 'utf8')).toBe('one\nthree\n');
    const shell = await host.shell({ program: 'bash' });
    const lines = { session_id: shell, text: 'echo a\necho b\n', read: { wait_for: ['^b$'] } };
    expect(await host.call('send', lines)).toMatchObject({ pasted: true });
  });

  it('refuses an unknown key', async () => {
    const host = await here();
    const session_id = await host.shell();
    expect(await host.failure('send', { session_id, key: 'hyperspace' })).toMatch(/^INVALID_KEY: /);
  });
});

describe('terminal__run, terminal__search, terminal__wait and terminal__resize', () => {
  it('run a line, find it, wait for another, and resize', async () => {
    const host = await here(full);
    const session_id = await host.shell({ program: 'bash' });
    expect(await host.call('run', { session_id, line: 'cd /usr; seq 3; false' })).toMatchObject({
      outcome: 'finished',
      exit_code: 1,
      content: '1\n2\n3',
    });
    const { matches } = await host.call('search', { session_id, pattern: '^2$', context: 1 });
    expect(matches).toMatchObject([{ text: '2', before: ['1'], after: ['3'] }]);
    await host.call('send', { session_id, text: 'sleep 0.2; echo built\n' });
    const waited = await host.call('wait', {
      session_id,
      wait_for: ['^built$'],
      stop_on: ['^error'],
    });
    expect(waited).toMatchObject({ outcome: 'matched', matched: 'built' });
    const size = { rows: 30, cols: 100 };
    expect(await host.call('resize', { session_id, ...size })).toEqual({ dimensions: size });
    const { content } = await host.call('run', { session_id, line: 'stty size' });
    expect(content).toBe('30 100');
    expect(await host.call('send', { session_id, cols: 90 })).toEqual({
      sent: true,
      dimensions: { rows: 30, cols: 90 },
      read_result: null,
    });
    const typed = { session_id, rows: 31, text: 'stty size\n' };
    const answer = await host.call('send', { ...typed, read: { wait_for: ['^31 90$'] } });
    expect(answer).toMatchObject({ read_result: { matched: '31 90' } });
  });
});

describe('terminal__wait in several sessions', () => {
  it('returns the first with news, and no news twice', async () => {
    const host = await here(full);
    const ask = (text: string) => ({
      program: 'sh',
      args: ['-c', `printf '${text} '; read x; read x`],
    });
    const one = await host.shell({ ...ask('one?'), name: 'job-one' });
    const two = await host.shell({
      program: 'sh',
      args: ['-c', 'read x; exit 3'],
      name: 'job-two',
    });
    const waits = { session_id: 'job-*', wait_for_prompt: true };
    await host.call('wait', { session_id: one, wait_for_prompt: true });
    // Only the other one has news: its program ends.
    const second = host.call('wait', { session_id: [one, two], wait_for: ['never'] });
    await host.call('send', { session_id: two, text: 'x\n' });
    expect(await second).toMatchObject({ session_id: two, outcome: 'exited', exit_code: 3 });
    const late = await host.call('wait', { ...waits, timeout_ms: 1_000 });
    expect(late).toMatchObject({ outcome: 'timed_out' });
    expect(late.sessions).toEqual([
      { session_id: one, state: 'awaiting_input' },
      { session_id: two, state: 'exited' },
    ]);
    expect(late.state).toBeUndefined();
    await host.call('send', { session_id: one, text: 'x\n' });
    expect(await host.call('wait', waits)).toMatchObject({
      session_id: one,
      outcome: 'awaiting_input',
    });
    await host.call('send', { session_id: one, text: 'x\n' });
    expect(await host.call('wait', waits)).toMatchObject({ session_id: one, outcome: 'exited' });
    expect(await host.failure('wait', waits)).toMatch(/^\w+: .* have ended, as you were told/);
    expect(await host.failure('wait', { session_id: [] })).toMatch(/session_id is an empty list/);
    expect(await host.failure('wait', { session_id: ['job-*', 'no'] })).toMatch(
      /^SESSION_NOT_FOUND: /,
    );
  });
});

describe('errors', () => {
  it('[S1.21] begin with the code word of their situation', async () => {
    const host = await here();
    const { session_id } = await host.call('create_session', { program: 'cat' });
    const failures: readonly (readonly [string, Readonly<Record<string, unknown>>, RegExp])[] = [
      ['read', { session_id: 'nobody' }, /^SESSION_NOT_FOUND: .*"nobody".*sess_/],
      ['read', { session_id, bogus: 1 }, /^SESSION_ERROR: .*bogus/],
      ['send', { session_id }, /^NO_INPUT: /],
      ['send', { session_id, text: '' }, /^NO_INPUT: .*give text, key, .*terminal__read reads/],
      ['send', { session_id, text: 'c', ctrl: true }, /^INVALID_KEY: .*in key$/],
      ['send', { session_id, key: 'nokey' }, /^INVALID_KEY: /],
      ['read', { session_id, wait_for: ['('] }, /^INVALID_PATTERN: /],
      ['read', { session_id, wait_for: [''] }, /^INVALID_PATTERN: .*"" is empty/],
      ['send', { session_id, text: 'x'.repeat(1_100_000) }, /^IO_ERROR: /],
      ['create_session', { program: 'no-such-program' }, /^PROGRAM_NOT_FOUND: program "no-such-p/],
      ['create_session', { rows: 0 }, /^PTY_ERROR: rows is 0; .* 1 to 1000$/],
      ['create_session', { cwd: '/no/such' }, /^PTY_ERROR: /],
    ];
    const args = ['-c', 'stty raw -echo; echo deaf; sleep 1000'];
    const deaf = (await host.call('create_session', { program: 'sh', args })).session_id;
    await host.call('read', { session_id: deaf, wait_for: ['deaf'] });
    expect(await host.failure('send', { session_id: deaf, text: 'x'.repeat(500_000) })).toMatch(
      /^WAIT_TIMEOUT: /,
    );
    for (const [tool, args, text] of failures) expect(await host.failure(tool, args)).toMatch(text);
    // None of them leaves a session that the client does not know.
    expect((await host.call('list_sessions')).count).toBe(2);
    await host.call('send', { session_id, key: 'ctrl+d', read: { wait_for_exit: true } });
    expect(await host.failure('send', { session_id, text: 'x' })).toMatch(/^PROCESS_EXITED: /);
    await host.call('destroy_session', { session_id });
    expect(await host.failure('read', { session_id })).toMatch(/^SESSION_DESTROYED: /);
  });
});
