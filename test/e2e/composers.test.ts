import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '#app/client';
import { Place } from '../support/command/vtr-command.ts';
import { McpHost } from '../support/mcp/mcp-client.ts';
import { testProgram } from '../support/pty/pty-request.ts';
import { PageClient } from '../support/web/page-client.ts';

const place = Place.forAll();

const tries = 20;

const size = { cols: 100, rows: 30 };

/** Where the composer of a session writes what was submitted. */
function directoryOf(name: string): string {
  const directory = join(place.directory, name);
  mkdirSync(directory, { recursive: true });
  return directory;
}

/** Starts a composer with the rules of a program; see `test/programs/composer.mjs`. */
async function composerIn(name: string, ...args: readonly string[]): Promise<void> {
  rmSync(join(directoryOf(name), 'submitted'), { force: true });
  const program = [process.execPath, testProgram('composer.mjs'), ...args];
  const start = ['--cwd', directoryOf(name), '--size', `${size.cols}x${size.rows}`];
  await place.ok('spawn', name, ...start, '--wait', 'ready', '--', ...program);
}

const composer = (...args: readonly string[]): Promise<void> => composerIn('agent', ...args);

/**
 * Starts a program that shows a dialog as coding agents do, and prints the key that it reads.
 *
 * @param asksAfter what it shows before, with what it reads, until Enter comes
 */
async function dialog(asksAfter?: string): Promise<void> {
  const shown = [
    'Would you like to run the following command?',
    ...['', '  $ touch x', '', '\u203a 1. Yes, proceed (y)', '  2. No, and tell Codex what to do'],
    ...['', '  Press enter to confirm or esc to cancel'],
  ].join('\r\n');
  const script = `const print = (text) => process.stdout.write(text);
    const ask = () => {
      print(${JSON.stringify(`\x1b[?25l\r\n${shown}`)});
      process.stdin.on('data', (key) => print('\\r\\ngot ' + key.toString('hex')));
    };
    process.stdin.setRawMode(true);
    print('\\x1b[?2004h');
    const composer = ${JSON.stringify(asksAfter ?? null)};
    if (composer === null) ask();
    else {
      print(composer);
      process.stdin.on('data', function compose(data) {
        if (!data.includes(13)) return print(data.toString().replace(/\\x1b\\[20[01]~/g, ''));
        process.stdin.off('data', compose);
        ask();
      });
    }`;
  const program = [process.execPath, '-e', script];
  const ready = asksAfter ?? 'esc to cancel';
  await place.ok('spawn', 'agent', '--wait', ready, '--', ...program);
  if (asksAfter === undefined) await place.ok('wait', 'agent', '--asks');
}

function submitted(name = 'agent'): string[] {
  const file = join(directoryOf(name), 'submitted');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** Texts of one line, of 2 to 400 characters. */
const lines = Array.from({ length: tries }, (_, at) => `say ${'pong '.repeat((at % 4) * 26)}${at}`);
/** Among them some of two lines. */
const texts = lines.map((line, at) => (at % 4 === 3 ? `first of ${at}\n${line}` : line));

/** Gives texts to the composer one after the other, and returns those that were submitted. */
async function submit(texts: readonly string[], send: Send, name = 'agent') {
  for (const [index, text] of texts.entries()) {
    await send(text);
    await place.ok('wait', name, '--screen', `^sent ${index + 1}$`);
  }
  return submitted(name);
}

type Send = (text: string) => Promise<unknown>;

/** Gives texts to composers side by side: each waits most of the time. */
async function submitToEach(
  each: readonly (readonly string[])[],
  texts: readonly string[],
  begin: (name: string) => Promise<Send>,
): Promise<void> {
  const agents: { name: string; send: Send }[] = [];
  for (const [at, program] of each.entries()) {
    const name = `agent-${at}`;
    await composerIn(name, ...program);
    agents.push({ name, send: await begin(name) });
  }
  const results = await Promise.all(agents.map(({ name, send }) => submit(texts, send, name)));
  expect(results).toEqual(agents.map(() => texts));
  for (const { name } of agents) await place.ok('rm', name, '--force');
}

const ways: Readonly<Record<string, (name: string) => Promise<Send>>> = {
  'vtr send --enter': async (name) => (text) => place.ok('send', name, text, '--enter'),
  'vtr send --paste --enter': async (name) => (text) =>
    place.ok('send', name, text, '--paste', '--enter'),
  'terminal__send with text and key': async (name) => {
    const host = await McpHost.start(place);
    return (text) => host.call('send', { session_id: name, text, key: 'enter' });
  },
  'terminal__send with a line end': async (name) => {
    const host = await McpHost.start(place);
    return (text) => host.call('send', { session_id: name, text: `${text}\n` });
  },
  'calls of gRPC': async (name) => {
    const coordinator = await connect({ socket: place.socket });
    onTestFinished(() => coordinator.close());
    return async (text) => {
      await coordinator.sendText(name, text);
      await coordinator.sendKeys(name, ['enter']);
    };
  },
  'calls of the page': async (name) => {
    const page = await PageClient.open((await place.json('web', '--port', '0')).url);
    page.stream(1, 'View', { name, ...size, as: 'VIEW_AS_AUTO' });
    const { json } = await page.message(1, ({ viewId }) => viewId !== undefined);
    const { viewId: viewer } = json as { viewId: string };
    return async (text) => {
      const typed = await page.call('SendText', { name, text, viewer });
      const pressed = await page.call('SendKey', { name, key: 'enter', viewer });
      expect([typed, pressed]).not.toContainEqual(
        expect.objectContaining({ error: expect.anything() }),
      );
    };
  },
};

const programs = [['codex'], ['codex', 'alternate'], ['claude']];

it.each(Object.entries(ways))('%s: composers submit 20 of 20 texts', (_way, begin) =>
  submitToEach(programs, texts, begin),
);

it.each(Object.entries(ways))(
  '%s: composers that take late what they read submit it',
  (_way, begin) => {
    const late = ['codex', 'claude'].map((program) => [program, 'primary', '0', '500']);
    return submitToEach(late, texts.slice(0, 4), begin);
  },
);

describe('a composer that has just been started', () => {
  const { 'calls of the page': _viewer, ...agents } = ways;
  const all = {
    ...agents,
    'vtr key': async (name: string) => (text: string) => place.ok('key', name, ...text, 'enter'),
    'vtr send --submit': async (name: string) => async (text: string) => {
      const result = await place.json('send', name, text, '--submit');
      expect(result).toMatchObject({ submitted: true });
    },
  };

  it.each(Object.entries(all))('submits its first text: %s', async (_way, begin) => {
    const starts = programs.flatMap(([rules = '', screen = 'primary']) =>
      ['0', '1000'].map((startMs) => [rules, screen, '0', '0', startMs]),
    );
    const results = starts.map(async (args, at) => {
      const name = `new-${at}`;
      rmSync(join(directoryOf(name), 'submitted'), { force: true });
      const send = await begin(name);
      const program = [process.execPath, testProgram('composer.mjs'), ...args];
      await place.ok('spawn', name, '--cwd', directoryOf(name), '--', ...program);
      await send('say something');
      await place.ok('wait', name, '--screen', '^sent 1$');
      await place.ok('rm', name, '--force');
      return submitted(name);
    });
    expect(await Promise.all(results)).toEqual(starts.map(() => ['say something']));
  });
});

it('vtr key with characters and enter: composers submit 20 of 20 texts', () =>
  submitToEach(programs, lines, async (name) => (line) => place.ok('key', name, ...line, 'enter')));

it('vtr tmux send-keys TEXT Enter: composers submit 20 of 20 texts', async () => {
  const tmux = (...words: readonly string[]) => place.ok('tmux', ...words);
  for (const [at, program] of programs.entries()) {
    const name = `agent${at}`;
    const line = `cd '${directoryOf(name)}'; exec '${process.execPath}' '${testProgram('composer.mjs')}' ${program.join(' ')}`;
    await tmux('new-session', '-d', '-s', name, '-x', '100', '-y', '30', line);
    const session = (await tmux('list-panes', '-t', name, '-F', '#{vtr_session}')).trim();
    await place.ok('wait', session, '--screen', 'ready');
    for (const [index, text] of texts.entries()) {
      await tmux('send-keys', '-t', name, text, 'Enter');
      await place.ok('wait', session, '--screen', `^sent ${index + 1}$`);
    }
    expect(submitted(name)).toEqual(texts);
  }
});

describe('vtr send --submit', () => {
  const long = `${'word '.repeat(800)}end`;

  it.each(programs)(
    'submits 20 of 20 texts of any length to a composer: %s',
    async (...program) => {
      await composer(...program);
      const messages = texts.map((text, at) => (at % 2 === 0 ? `${at} ${long}` : text));
      const send = (text: string) => place.ok('send', 'agent', text, '--submit');
      expect(await submit(messages, send)).toEqual(messages);
    },
  );

  it('presses enter once for a composer that takes it late', async () => {
    await composer('codex', 'primary', '0', '3000');
    await place.ok('send', 'agent', 'some text', '--submit');
    await place.ok('send', 'agent', 'other text', '--submit');
    expect(submitted()).toEqual(['some text', 'other text']);
  });

  it('presses enter once more, and waits for what was asked', async () => {
    await composer('codex', 'alternate', '1');
    const wait = ['--wait', '--screen', '^sent 1$', '--json'];
    const result = await place.json('send', 'agent', 'some text', '--submit', ...wait);
    expect(result).toMatchObject({ submitted: true, wait: { outcome: 'matched' } });
    expect(submitted()).toEqual(['some text\n']);
  });

  it.each(['codex', 'claude'])(
    'has status 15 if the text stays where it was typed: %s',
    async (program) => {
      await composer(program, 'primary', '9');
      const { status, stderr, stdout } = await place.result([
        ...['send', 'agent', 'some text', '--submit', '--wait', '--idle', '1s', '--json'],
      ]);
      expect([status, JSON.parse(stdout)]).toEqual([
        15,
        {
          name: 'agent',
          mark: expect.any(String),
          driver_epoch: expect.any(Number),
          submitted: false,
          wait: null,
        },
      ]);
      expect(JSON.parse(stderr).note).toMatch(
        /^session agent: not submitted: the text is still where/,
      );
    },
  );

  it('types nothing into a dialog, whose selected option enter would choose', async () => {
    await dialog();
    const { status, stderr } = await place.result(['send', 'agent', 'no, wait', '--submit']);
    expect([status, stderr]).toEqual([
      15,
      expect.stringMatching(
        /^vtr: session agent: a menu is shown, and enter would choose: .*Would you like .*Yes, proceed.*; nothing was typed/,
      ),
    ]);
    const host = await McpHost.start(place);
    const prompt = { session_id: 'agent', text: 'no, wait', submit: true };
    expect(await host.failure('send', prompt)).toMatch(/^SESSION_ERROR: .*nothing was typed/);
    await place.ok('key', 'agent', 'esc');
    await place.sees('agent', 'got 1b');
  });

  it('answers a repeat with an input id, although a dialog is shown by then', async () => {
    await dialog('ready: ');
    const submit = () => place.ok('send', 'agent', 'go', '--submit', '--input-id', 'one');
    await submit();
    await place.ok('wait', 'agent', '--screen', 'esc to cancel');
    await submit();
    expect(await place.ok('screen', 'agent')).not.toContain('got');
  });

  it('submits to shells and to programs in canonical mode', async () => {
    await place.shell('sh');
    await place.ok('send', 'sh', 'echo $((6*7))', '--submit');
    await place.sees('sh', '42');
    await place.ok('spawn', 'cat', '--', 'sh', '-c', 'echo ready; exec cat >/dev/null');
    await place.sees('cat', 'ready');
    await place.ok('send', 'cat', 'text', '--submit');
  });
});

/** More than 1,000 characters. */
const words = Array.from({ length: 300 }, (_, at) => `w${at}`).join(' ');

it('vtr send --enter tells that a text is not shown', async () => {
  await composer('codex');
  const { status, stderr } = await place.result(['send', 'agent', words, '--enter']);
  expect([status, stderr]).toEqual([
    0,
    expect.stringContaining('did not show the text before enter'),
  ]);
  expect(submitted()).toEqual([]);
});

it('terminal__send submits with proof', async () => {
  const host = await McpHost.start(place);
  const send = (args: object) => host.call('send', { session_id: 'agent', ...args });
  await composer('claude');
  const text = 'line\n'.repeat(300);
  expect(await send({ text, submit: true })).toMatchObject({ submitted: true, pasted: true });
  expect(submitted()).toEqual([text.trimEnd()]);
  await place.ok('rm', 'agent', '--force');
  await composer('claude', 'primary', '9');
  expect(await send({ text: 'some text', submit: true })).toMatchObject({ submitted: false });
  expect(await host.failure('send', { session_id: 'agent', key: 'enter', submit: true })).toMatch(
    /^SESSION_ERROR: submit needs text/,
  );
});
