import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';
import { type Message, SpecClient } from '../support/service/spec-client.ts';

const textOf = (row: Message): string =>
  row['cells']
    .map((cell: Message) => cell['char'])
    .join('')
    .trimEnd();

/** A client written from the specification, with another implementation of gRPC. */
describe('[S3.22, S3.23] a client written from the specification alone', () => {
  let served: ServedCoordinator;
  let client: SpecClient;

  beforeEach(async () => {
    served = await serveCoordinator();
    client = new SpecClient(served.socket);
  });
  afterEach(async () => {
    client.close();
    await served.end();
  });

  const spawn = (command: string, more: Message = {}) =>
    client.call('Spawn', { name: 'one', command, ...more });

  const rows = async (): Promise<string[]> => {
    const screen = await client.call('GetScreen', { name: 'one' });
    return screen['screen_rows'].map(textOf);
  };

  /** Spawns a line for the shell and waits until its screen shows `ready`. */
  const ready = async (line: string) => {
    await spawn(`stty -echo; ${line}`);
    const stream = client.stream('Subscribe', { name: 'one', include_screen_updates: true });
    for await (const { screen_update: update } of stream) {
      if (update?.screen.screen_rows.some((row: Message) => textOf(row).includes('ready'))) break;
    }
  };

  const exited = () => served.local.wait('one');

  const statusOf = (call: Promise<unknown>) =>
    call.then(
      () => status.OK,
      ({ code }) => code,
    );

  it('spawns and lists sessions, and reads their info', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { session } = await spawn('sleep 1000', { cols: 100, rows: 30 });
    expect(session).toMatchObject({
      name: 'one',
      status: 'SESSION_STATUS_RUNNING',
      cols: 100,
      rows: 30,
      exit_code: 0,
      exited_at: null,
    });
    expect(session.created_at.seconds).toBeGreaterThanOrEqual(before);
    expect((await client.call('List'))['sessions']).toMatchObject([{ name: 'one', cols: 100 }]);
    expect((await client.call('Info', { name: 'one' }))['session']).toMatchObject({ rows: 30 });
  });

  it('gets the message of an error as it is', async () => {
    const failed = client.call('Info', { name: 'zz:/?#[]@!$&=+,%41ä' });
    await expect(failed).rejects.toMatchObject({
      details: expect.stringContaining('zz:/?#[]@!$&=+,%41ä'),
    });
  });

  it('spawns a program, a line for the shell, or the shell, by the number of words of its command', async () => {
    await spawn('cat');
    const line = { command: 'echo $((6 * 7)); pwd; echo $WORD', env: { WORD: 'given' } };
    await client.call('Spawn', { name: 'two', working_dir: '/', ...line });
    await client.call('Spawn', { name: 'three', cols: 40 });
    const sessions = await served.local.list();
    expect(sessions[0]).toMatchObject({ program: expect.stringMatching(/\/cat$/), args: [] });
    expect(sessions[2]).toMatchObject({ args: [], size: { cols: 40, rows: 24 } });
    await served.local.wait('two');
    expect((await served.local.screen('two')).text.slice(0, 3)).toEqual(['42', '/', 'given']);
  });

  it('gets a generated name, and starts in HOME', async () => {
    const { session } = await client.call('Spawn', { command: 'echo "$PWD"' });
    expect(session.name).toMatch(/^sess_/);
    const { cwd } = await served.local.info(session.name);
    expect(cwd).toBe(process.env['HOME']);
  });

  it('kills, and the session has exited; removes, and the session is gone', async () => {
    await ready('echo ready; exec sleep 1000');
    await client.call('Kill', { name: 'one', signal: 'INT' });
    await exited();
    const { session } = await client.call('Info', { name: 'one' });
    expect(session).toMatchObject({ status: 'SESSION_STATUS_EXITED', exit_code: 130 });
    expect(session.exited_at).not.toBeNull();
    await client.call('Remove', { name: 'one' });
    expect((await client.call('List'))['sessions']).toEqual([]);
  });

  it('[S3.24] reads the screen: characters, colours, attributes, cursor, size', async () => {
    const sgr = ['1;38;2;18;52;86', '3;48;5;196', '4;32', '2;5;7;8;9;53', '0'];
    const text = ['b', 'i', 'u', 'r', 'n'].map((char, index) => `\\033[0;${sgr[index]}m${char}`);
    await spawn(`printf '${text.join('')}漢\\r\\n  two'; true`, { cols: 20, rows: 5 });
    await exited();
    const screen = await client.call('GetScreen', { name: 'one' });
    expect(screen).toMatchObject({ name: 'one', cols: 20, rows: 5, cursor_x: 5, cursor_y: 1 });
    expect(screen['screen_rows'].map(({ cells }: Message) => cells.length)).toEqual(
      Array(5).fill(20),
    );
    const [white, black] = [0xe5e5e5, 0];
    const cell = (char: string, fg_color: number, bg_color: number, attributes: number) => ({
      char,
      fg_color,
      bg_color,
      attributes,
    });
    expect(screen['screen_rows'][0].cells.slice(0, 8)).toEqual([
      cell('b', 0x123456, black, 0x01),
      cell('i', white, 0xff0000, 0x02),
      cell('u', 0x00cd00, black, 0x04),
      cell('r', white, black, 0x08 | 0x10 | 0x20 | 0x40 | 0x80 | 0x100),
      cell('n', white, black, 0),
      cell('漢', white, black, 0),
      cell('', white, black, 0),
      cell(' ', white, black, 0),
    ]);
    expect(textOf(screen['screen_rows'][1])).toBe('  two');
  });

  it('greps: numbers from the start of the scrollback, lines around, 100 at most', async () => {
    await spawn('seq 0 10500');
    await exited();
    const request = { name: 'one', pattern: '^\\d*50$', context_before: 1, context_after: 1 };
    const { matches } = await client.call('Grep', request);
    const { firstLine } = await served.local.readLines('one', { from: 10_000 });
    expect(firstLine).toBeGreaterThan(0);
    expect(matches).toHaveLength(100);
    const number = Number(matches[0].line);
    expect(matches[0]).toEqual({
      line_number: number - firstLine,
      line: String(number),
      context_before: [String(number - 1)],
      context_after: [String(number + 1)],
    });
    expect((await client.call('Grep', { ...request, max_matches: 3 }))['matches']).toHaveLength(3);
  });

  it('sends text, keys and bytes', async () => {
    await ready('echo ready; exec cat');
    await client.call('SendText', { name: 'one', text: 'grüße ' });
    await client.call('SendBytes', { name: 'one', data: Buffer.from('bytes') });
    await client.call('SendKey', { name: 'one', key: 'enter' });
    await client.call('SendKey', { name: 'one', key: 'ctrl+d' });
    await exited();
    expect((await rows()).slice(0, 2)).toEqual(['ready', 'grüße bytes']);
  });

  it('resizes', async () => {
    await ready('echo ready; exec sleep 1000');
    await client.call('Resize', { name: 'one', cols: 30, rows: 3 });
    expect(await client.call('GetScreen', { name: 'one' })).toMatchObject({ cols: 30, rows: 3 });
  });

  it('waits for text printed after the call', async () => {
    await ready('echo ready; exec cat');
    const request = { name: 'one', pattern: 'rea.y', timeout: { seconds: 20 } };
    const waiting = client.call('WaitFor', request);
    await client.call('SendText', { name: 'one', text: 'already\n' });
    expect(await waiting).toEqual({ matched: true, matched_line: 'already', timed_out: false });
  });

  it('[S3.29] receives a timeout, and no answer after a deadline', async () => {
    await ready('echo ready; exec sleep 1000');
    const short = { name: 'one', timeout: { nanos: 50_000_000 } };
    const never = { ...short, pattern: 'never' };
    expect(await client.call('WaitFor', never)).toEqual({
      matched: false,
      matched_line: '',
      timed_out: true,
    });
    const busy = { ...short, idle_duration: { seconds: 60 } };
    expect(await client.call('WaitForIdle', busy)).toEqual({ idle: false, timed_out: true });
    const deadline = { deadline: Date.now() + 100 };
    const request = { name: 'one', pattern: 'never', timeout: { seconds: 60 } };
    const waiting = client.call('WaitFor', request, deadline);
    expect(await statusOf(waiting)).toBe(status.DEADLINE_EXCEEDED);
    expect((await served.local.info('one')).state).toBe('running');
  });

  it('waits for idle', async () => {
    await ready('echo ready; exec sleep 1000');
    const request = { name: 'one', idle_duration: { nanos: 100_000_000 } };
    expect(await client.call('WaitForIdle', request)).toEqual({ idle: true, timed_out: false });
  });

  it('subscribes to screens, raw output and the exit', async () => {
    await ready('echo ready; read -r _; printf "a\\001b"; exit 3');
    const stream = client.stream('Subscribe', {
      name: 'one',
      include_screen_updates: true,
      include_raw_output: true,
    });
    const screens: string[] = [];
    const raw: Buffer[] = [];
    const last: Message[] = [];
    for await (const {
      screen_update: update,
      raw_output: output,
      session_exited: exit,
    } of stream) {
      if (update) screens.push(update.screen.screen_rows.map(textOf).join('\n').trimEnd());
      else if (exit) last.push(exit);
      else raw.push(output);
      if (screens.length === 1 && raw.length === 0) {
        await client.call('SendKey', { name: 'one', key: 'enter' });
      }
    }
    expect(screens[0]).toBe('ready');
    expect(screens.at(-1)).toBe('ready\nab');
    expect(Buffer.concat(raw).toString('latin1')).toBe('a\x01b');
    expect(last).toEqual([{ exit_code: 3 }]);
  });

  it('[S3.33] receives an asciicast of what happened', async () => {
    await spawn('printf done');
    await exited();
    const { data } = await client.call('DumpAsciinema', { name: 'one' });
    const [header = '', first = '', ...lines] = data.toString('utf8').split('\n');
    expect(JSON.parse(header)).toMatchObject({ version: 3, term: { cols: 80, rows: 24 } });
    expect(JSON.parse(first)).toEqual([0, 'o', expect.any(String)]);
    const events = lines
      .filter((line: string) => line.startsWith('['))
      .map((line: string) => JSON.parse(line));
    expect(events.map(([, kind, text]: string[]) => [kind, text])).toEqual([
      ['o', 'done'],
      ['x', '0'],
    ]);
  });

  it('[S3.28] receives failures with the codes of the specification', async () => {
    await spawn('true');
    await exited();
    const calls: [string, Message, number][] = [
      ['Info', { name: 'two' }, status.NOT_FOUND],
      ['Spawn', { name: 'one' }, status.ALREADY_EXISTS],
      ['SendText', { name: 'one', text: 'x' }, status.FAILED_PRECONDITION],
      ['Spawn', { name: 'a b' }, status.INVALID_ARGUMENT],
      ['Spawn', { name: 'two', command: 'no-such-program' }, status.NOT_FOUND],
      ['Grep', { name: 'one', pattern: '(' }, status.INVALID_ARGUMENT],
      ['Resize', { name: 'one' }, status.INVALID_ARGUMENT],
      ['Kill', { name: 'one', signal: 'SEGV' }, status.INVALID_ARGUMENT],
      ['Kill', { name: 'one' }, status.FAILED_PRECONDITION],
    ];
    for (const [method, request, expected] of calls) {
      expect([method, await statusOf(client.call(method, request))]).toEqual([method, expected]);
    }
  });

  it('finds every RPC of the specification', () => {
    expect(client.methods).toHaveLength(15);
  });
});
