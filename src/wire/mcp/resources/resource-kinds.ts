import { type Coordinator, hidesText, withoutStyles } from '#model';
import {
  lastLinesWithin,
  PlainLines,
  plainText,
  type TerminalText,
} from '../reading/terminal-text.ts';

import type { ResourceName } from './resource-address.ts';

/** A kind of resource of a session. */
export interface ResourceKind {
  readonly name: ResourceName;
  readonly title: string;
  readonly mimeType: string;
  read(coordinator: Coordinator, session: string): Promise<TerminalText>;
}

/** The newest lines of the history that a read may contain. */
const historyLines = 1000;
const listedCommands = 100;

const screen: ResourceKind = {
  name: 'screen',
  title: 'Screen',
  mimeType: 'text/plain',
  async read(coordinator, session) {
    const rows = [...(await coordinator.screen(session, { format: 'ansi' })).text];
    while (rows.at(-1) === '') rows.pop();
    return plainLines(rows);
  },
};

const scrollback: ResourceKind = {
  name: 'scrollback',
  title: 'End of the history',
  mimeType: 'text/plain',
  async read(coordinator, session) {
    // An empty range returns the number of the last line.
    const { endLine } = await coordinator.readLines(session, { from: 0, to: 0 });
    const from = Math.max(0, endLine - historyLines);
    const { lines } = await coordinator.readLines(session, { from, format: 'ansi' });
    return plainLines(lines.map(({ text }) => text));
  },
};

const commands: ResourceKind = {
  name: 'commands',
  title: 'Commands that the shell ran',
  mimeType: 'application/json',
  async read(coordinator, session) {
    const list = await coordinator.commands(session, { last: listedCommands });
    const lines = new PlainLines();
    const plain = (text: string | null) => (text === null ? null : lines.plain(text));
    const told = list.commands.map(({ number, line, cwd, state, exitCode, durationMs }) => ({
      number,
      line: plain(line),
      cwd: plain(cwd),
      state,
      exit_code: exitCode,
      duration_ms: Math.round(durationMs),
    }));
    const content = JSON.stringify(told);
    return { content, lines: 1, ...lines.facts() };
  },
};

/** Listed in this order. */
export const resourceKinds: readonly ResourceKind[] = [screen, scrollback, commands];

function plainLines(rendered: readonly string[]): TerminalText {
  const { lines, omitted } = lastLinesWithin(rendered.map(withoutStyles), {});
  const shown = rendered.slice(rendered.length - lines.length);
  return plainText(lines.join('\n'), { omitted, hiddenText: shown.some(hidesText) });
}
