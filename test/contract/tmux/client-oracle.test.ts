import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, vi } from 'vitest';
import { ignored } from '#base';
import type { Cell, Cursor } from '#model';
import { conditionMs } from '../../support/run/condition-ms.ts';
import { provided } from '../../support/run/needs.ts';
import { type ClientCase, type ClientStep, clientCases } from '../../support/tmux/client-cases.ts';
import { hookCases } from '../../support/tmux/hook-cases.ts';
import { serversForAll, TerminalClient } from '../../support/tmux/terminal-client.ts';
import { tmuxEnvironment } from '../../support/tmux/tmux-answers.ts';
import { wordsOf } from '../../support/tmux/tmux-cases.ts';
import { tree } from '../../support/tree.ts';

const version = spawnSync('tmux', ['-V'], { encoding: 'utf8' }).stdout?.trim();
const runFile = promisify(execFile);
const size = { cols: 80, rows: 24 };
const never = new AbortController().signal;
const waiting = { timeout: conditionMs, interval: 20 };

const { coordinator, servers } = serversForAll();

/** What is compared: the cells that are seen, and the cursor. */
interface Shown {
  readonly rows: readonly string[];
  /** With styles. */
  readonly cells: readonly string[];
  readonly cursor: string;
}

/** A client of tmux in a terminal: the real one, or that of vtr. */
interface Client {
  /** Resolves when what was typed has been handled. It may be shown later. */
  type(text: string): Promise<void>;
  /** Resolves when the command has ended: that of a popup, when the popup is closed. */
  run(line: string): Promise<void>;
  shown(): Promise<Shown>;
  close(): Promise<void>;
}

function shownOf(rows: readonly (readonly Cell[])[], cursor: Cursor): Shown {
  return {
    rows: rows.map((row) =>
      row
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    ),
    cells: rows.map(styledText),
    cursor: cursor.visible ? `${cursor.row} ${cursor.col}` : 'hidden',
  };
}

/** The cells of a row, with what is seen of their styles. */
function styledText(row: readonly Cell[]): string {
  let text = '';
  let last = '';
  for (const { text: character, style } of row) {
    const { fg, bg, bold, dim, italic, inverse, underline, strikethrough } = style;
    const isBlank = character === ' ' && !inverse && underline === 'none';
    const marks = [bold && 'b', dim && 'd', italic && 'i'].filter(Boolean).join('');
    const flags = [inverse && 'r', strikethrough && 's', underline === 'none' ? '' : underline]
      .filter(Boolean)
      .join('');
    const shown = isBlank ? `${bg}` : `${fg}/${bg}/${marks}${flags}`;
    if (shown !== last) text += `{${shown}}`;
    last = shown;
    text += character;
  }
  return text.replace(/\{null\} +$|(?<=\{null\}) +$/, '');
}

function configured({ config = [] }: ClientCase): string {
  const directory = tree();
  const lines = [
    "set -g status-right ''",
    'set -g automatic-rename off',
    'set -g escape-time 3000',
    // Else tmux takes keys that come within 1 ms for a paste, and ignores what they are bound to.
    'set -g assume-paste-time 0',
    'set -g default-command cat',
    ...config,
  ];
  writeFileSync(join(directory, 'tmux.conf'), lines.join('\n'));
  return directory;
}

const environmentOf = (directory: string): Record<string, string> => ({
  ...tmuxEnvironment(directory),
  PS1: '$ ',
});

const beginOf = ({ begins }: ClientCase): string[] => wordsOf(begins ?? 'new-session -s s cat');

let count = 0;

/** tmux in a terminal of ours. */
async function realClient(clientCase: ClientCase): Promise<Client> {
  const directory = configured(clientCase);
  const env = environmentOf(directory);
  const name = `real-${count++}`;
  const flags = ['-f', join(directory, 'tmux.conf')];
  await coordinator.spawn({
    name,
    program: 'tmux',
    args: [...flags, ...beginOf(clientCase)],
    size,
    cwd: directory,
    environment: 'minimal',
    env: { ...env, TERM: 'xterm-256color' },
  });
  // Else our terminal tells it that nobody is there, each time that it asks.
  await coordinator.sendFocus(name, true);
  const options = { cwd: directory, env };
  // tmux asks its terminal what it is, for its version last: with that answer it has all. One that came among keys would
  // change what they do. Before the server has begun, the command fails.
  const knowsTerminal = async () => {
    const words = [...flags, 'list-clients', '-F', '#{client_termtype}'];
    const { stdout } = await runFile('tmux', words, options);
    expect(stdout.trim()).not.toBe('');
  };
  await vi.waitFor(knowsTerminal, { timeout: conditionMs, interval: 50 });
  return {
    type: async (text) => {
      await coordinator.sendBytes(name, Buffer.from(text, 'latin1'));
      // tmux reads its terminals before a command that comes later, whose answer is the end of that turn. An answer to a
      // question that is typed before tmux asks would be typed in the pane.
      await runFile('tmux', [...flags, 'display-message', '-p', ''], options);
    },
    run: async (line) => {
      const command = spawn('tmux', [...flags, ...wordsOf(line)], { ...options, stdio: 'ignore' });
      await once(command, 'close');
    },
    shown: async () => {
      const { cells = [], cursor } = await coordinator.screen(name, { format: 'cells' });
      return shownOf(cells, cursor);
    },
    close: async () => {
      execFileSync('tmux', [...flags, 'kill-server'], { env });
      await coordinator.remove(name);
    },
  };
}

/** A client of this process. */
async function ownClient(clientCase: ClientCase): Promise<Client> {
  const directory = configured(clientCase);
  const request = {
    socketPath: join(directory, 'default'),
    cwd: directory,
    env: environmentOf(directory),
    configFiles: [join(directory, 'tmux.conf')],
    pid: process.pid,
  };
  const path = `/dev/pts/${1000 + count++}`;
  const client = await TerminalClient.begin(
    servers,
    { ...request, words: beginOf(clientCase) },
    { size, path },
  );
  return {
    type: (text) => client.type(text),
    run: async (line) => {
      await servers.run({ ...request, words: wordsOf(line) }, never);
    },
    shown: async () => {
      const { rows, cursor } = client;
      return cursor === null ? { rows: [], cells: [], cursor: '' } : shownOf(rows, cursor);
    },
    close: async () => {
      await servers.run({ ...request, words: ['kill-server'] }, never);
      await client.ended;
    },
  };
}

/** Does a step with both clients, and waits until tmux shows what it shows after it. */
async function doStep(
  clients: readonly [Client, Client],
  step: ClientStep,
  name: string,
): Promise<void> {
  const { types, runs, shows, isSame } = step;
  const [real] = clients;
  const before = JSON.stringify(await real.shown());
  let mayBeSame = runs === undefined && (!types || isSame === true);
  for (const client of clients) {
    if (types) await client.type(types);
    if (runs === undefined) continue;
    const ended = ignored(client.run(runs), 'the server has ended with the case');
    if (client === real) void ended.then(() => (mayBeSame = true));
  }
  await vi.waitFor(async () => {
    const shown = await real.shown();
    expect(shown.rows, name).toContainEqual(expect.stringMatching(shows));
    // A command of another process could overtake the next one, and what matches may have been shown before.
    expect(mayBeSame || JSON.stringify(shown) !== before, name).toBe(true);
  }, waiting);
}

describe('a client in a terminal shows what tmux 3.3a shows', () => {
  const here = provided(version === 'tmux 3.3a', 'only with tmux 3.3a');
  for (const [name, clientCase] of Object.entries({ ...clientCases, ...hookCases })) {
    here(name, async () => {
      const clients = await Promise.all([realClient(clientCase), ownClient(clientCase)]);
      const [real, own] = clients;
      try {
        for (const [at, step] of clientCase.steps.entries()) {
          await doStep(clients, step, `step ${at}`);
          await vi.waitFor(async () => {
            expect(await own.shown(), `step ${at}`).toEqual(await real.shown());
          }, waiting);
        }
      } finally {
        for (const client of clients) await client.close();
      }
    });
  }
});
