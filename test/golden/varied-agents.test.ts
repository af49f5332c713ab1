import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentStateOn } from '#agents';
import { readAgentKinds } from '../../src/app/daemon/agent-kinds.ts';
import { WatchedTerminal } from '../support/session/watched-terminal.ts';

const { kinds } = await readAgentKinds({ env: { HOME: '/nonexistent' } }, '0.0.0');

/** In per cent of the screens. */
const maxUnknown = 15;

interface VariedScreen {
  readonly kind: string;
  readonly state: string;
  readonly stage: string;
  readonly cols: number;
  readonly title: string;
  /** `⌶` is the cursor, which is hidden without it; `«»` are around what is highlighted. */
  readonly rows: readonly string[];
}

/** Screens as agents may show them in other widths, versions and languages, written by hand. */
const screens = readFileSync(join(import.meta.dirname, 'varied-agents.txt'), 'utf8')
  .split(/^=== /m)
  .slice(1)
  .map((block): VariedScreen => {
    const [head = '', ...rows] = block.trimEnd().split('\n');
    const [, kind = '', state = '', stage = '', cols, title = ''] =
      /^(\S+) (\S+) (\S+) cols=(\d+) title=(.*)$/.exec(head) ?? [];
    return { kind, state, stage, cols: Number(cols), title, rows };
  });

/** Returns the state by the rules of the kind, or by those that all kinds share. */
function stateOf({ kind, cols, title, rows }: VariedScreen, isShared = false): string {
  const watched = new WatchedTerminal({ cols, rows: rows.length + 2 });
  const at = rows.findIndex((row) => row.includes('⌶'));
  for (const [row, text] of rows.entries()) {
    const shown = text.replace('⌶', '').replace('«', '\x1b[7m').replace('»', '\x1b[27m');
    watched.output(`\x1b[${row + 1}H\x1b[m${shown}`);
  }
  const col = rows[at]?.indexOf('⌶') ?? 0;
  watched.output(at < 0 ? '\r\n\x1b[?25l' : `\x1b[${at + 1};${col + 1}H`);
  const shown = {
    rows: watched.screenRows(),
    cells: (row: number) => watched.rowCells(row),
    cursor: watched.terminal.cursor,
  };
  const titles = { title: title || null, earlierTitles: title === '' ? [] : [title] };
  const own = kinds.find((each) => each.kind === kind) ?? null;
  return agentStateOn(shown, titles, isShared ? null : own).state;
}

const nameOf = ({ kind, stage }: VariedScreen): string => `${kind} ${stage}`;

describe('screens of agents that nobody has recorded', () => {
  it('are of sixteen kinds, in all states', () => {
    expect(new Set(screens.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(16);
    expect(new Set(screens.map(({ state }) => state))).toEqual(new Set(['idle', 'busy', 'asks']));
  });

  it.each([false, true])(
    'are told without a wrong idle or question; shared rules: %s',
    (shared) => {
      const wrong = screens.filter((screen) => {
        const state = stateOf(screen, shared);
        return state !== screen.state && (state === 'idle' || state === 'asks');
      });
      expect(wrong.map(nameOf)).toEqual([]);
    },
  );

  it('are rarely unknown', () => {
    const unknown = screens.filter((screen) => stateOf(screen) !== screen.state).map(nameOf);
    expect(unknown.length, unknown.join(', ')).toBeLessThan((screens.length * maxUnknown) / 100);
  });
});
