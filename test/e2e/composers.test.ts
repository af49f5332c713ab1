import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { connect } from '#app/client';
import { Place } from '../support/command/vtr-command.ts';
import { McpHost } from '../support/mcp/mcp-client.ts';
import { testProgram } from '../support/pty/pty-request.ts';
import { PageClient } from '../support/web/page-client.ts';

const place = Place.forAll();
const file = join(place.directory, 'submitted');

const tries = 20;

const size = { cols: 100, rows: 30 };

/** Starts a composer with the rules of a program; see `test/programs/composer.mjs`. */
async function composer(...args: readonly string[]): Promise<void> {
  rmSync(file, { force: true });
  const program = [process.execPath, testProgram('composer.mjs'), ...args];
  const start = ['--cwd', place.directory, '--size', `${size.cols}x${size.rows}`];
  await place.ok('spawn', 'agent', ...start, '--wait', 'ready', '--', ...program);
}

const submitted = (): string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];

/** Texts of one line, of 2 to 400 characters. */
const lines = Array.from({ length: tries }, (_, at) => `say ${'pong '.repeat((at % 4) * 26)}${at}`);
/** Among them some of two lines. */
const texts = lines.map((line, at) => (at % 4 === 3 ? `first of ${at}\n${line}` : line));

/** Gives texts to the composer one after the other, and returns those that were submitted. */
async function submit(given: readonly string[], send: (text: string) => Promise<unknown>) {
  for (const [index, text] of given.entries()) {
    await send(text);
    await place.ok('wait', 'agent', '--screen', `^sent ${index + 1}$`);
  }
  return submitted();
}

type Send = (text: string) => Promise<unknown>;

const ways: Readonly<Record<string, () => Promise<Send>>> = {
  'vtr send --enter': async () => (text) => place.ok('send', 'agent', text, '--enter'),
  'vtr send --paste --enter': async () => (text) =>
    place.ok('send', 'agent', text, '--paste', '--enter'),
  'terminal__send with text and key': async () => {
    const host = await McpHost.start(place);
    return (text) => host.call('send', { session_id: 'agent', text, key: 'enter' });
  },
  'terminal__send with a line end': async () => {
    const host = await McpHost.start(place);
    return (text) => host.call('send', { session_id: 'agent', text: `${text}\n` });
  },
  'calls of gRPC': async () => {
    const coordinator = await connect({ socket: place.socket });
    onTestFinished(() => coordinator.close());
    return async (text) => {
      await coordinator.sendText('agent', text);
      await coordinator.sendKeys('agent', ['enter']);
    };
  },
  'calls of the page': async () => {
    const page = await PageClient.open((await place.json('web', '--port', '0')).url);
    page.stream(1, 'View', { name: 'agent', ...size, as: 'VIEW_AS_AUTO' });
    const { json } = await page.message(1, ({ viewId }) => viewId !== undefined);
    const { viewId: viewer } = json as { viewId: string };
    return async (text) => {
      const typed = await page.call('SendText', { name: 'agent', text, viewer });
      const pressed = await page.call('SendKey', { name: 'agent', key: 'enter', viewer });
      expect([typed, pressed]).not.toContainEqual(
        expect.objectContaining({ error: expect.anything() }),
      );
    };
  },
};

const programs = [['codex'], ['codex', 'alternate'], ['claude']];

it.each(Object.entries(ways))('%s: composers submit 20 of 20 texts', async (_way, begin) => {
  for (const program of programs) {
    await composer(...program);
    expect(await submit(texts, await begin())).toEqual(texts);
    await place.ok('rm', 'agent', '--force');
  }
});

it('vtr key with characters and enter: composers submit 20 of 20 texts', async () => {
  for (const program of programs) {
    await composer(...program);
    expect(await submit(lines, (line) => place.ok('key', 'agent', ...line, 'enter'))).toEqual(
      lines,
    );
    await place.ok('rm', 'agent', '--force');
  }
});

it('vtr tmux send-keys TEXT Enter: composers submit 20 of 20 texts', async () => {
  const tmux = (...words: readonly string[]) => place.ok('tmux', ...words);
  for (const [at, program] of programs.entries()) {
    const name = `agent${at}`;
    rmSync(file, { force: true });
    const line = `cd '${place.directory}'; exec '${process.execPath}' '${testProgram('composer.mjs')}' ${program.join(' ')}`;
    await tmux('new-session', '-d', '-s', name, '-x', '100', '-y', '30', line);
    const session = (await tmux('list-panes', '-t', name, '-F', '#{vtr_session}')).trim();
    await place.ok('wait', session, '--screen', 'ready');
    for (const [index, text] of texts.entries()) {
      await tmux('send-keys', '-t', name, text, 'Enter');
      await place.ok('wait', session, '--screen', `^sent ${index + 1}$`);
    }
    expect(submitted()).toEqual(texts);
  }
});
