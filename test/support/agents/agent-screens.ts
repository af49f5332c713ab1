import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentState } from '#model';
import { questionOnScreen, type ShownQuestion } from '#watch';
import { WatchedTerminal } from '../session/watched-terminal.ts';

const directory = join(import.meta.dirname, '../../golden/agents');

/** A screen of a real agent, and what it did then, which its scripted model knew. */
export interface AgentScreen {
  /** As its file: the id of its kind, some with a version. */
  readonly agent: string;
  readonly stage: string;
  readonly state: AgentState;
  readonly size: readonly [cols: number, rows: number];
  readonly cursor: readonly [row: number, col: number, visible: boolean];
  readonly title: string;
  readonly earlier: readonly string[];
  /** `title`: the rows alone do not tell the state. */
  readonly needs?: string;
  readonly background?: number;
  /** With colours. */
  readonly rows: readonly string[];
}

/** Screens of ten agents in their states. */
export function agentScreens(): AgentScreen[] {
  return readdirSync(directory).flatMap((file) => {
    const agent = file.replace(/\.jsonl$/, '');
    const lines = readFileSync(join(directory, file), 'utf8').trimEnd().split('\n');
    return lines.map((line) => ({ agent, ...JSON.parse(line) }));
  });
}

/** The id of the kind of a screen's agent. */
export const kindOf = ({ agent }: AgentScreen): string => agent.replace(/-[\d.]+$/, '');

/** Returns a terminal that shows a screen. */
export function shownOn({ size, cursor, rows }: AgentScreen): WatchedTerminal {
  const [cols, height] = size;
  const [row, col, visible] = cursor;
  const watched = new WatchedTerminal({ cols, rows: height });
  watched.output(rows.map((text, at) => `\x1b[${at + 1}H\x1b[m${text}`).join(''));
  watched.output(`\x1b[${row + 1};${col + 1}H\x1b[?25${visible ? 'h' : 'l'}`);
  return watched;
}

/** Returns what a screen asks; null if it asks nothing. */
export function questionOf(screen: AgentScreen): ShownQuestion | null {
  const view = shownOn(screen);
  const [row, col, visible] = screen.cursor;
  const cells = (at: number) => view.rowCells(at);
  return questionOnScreen({
    rows: view.terminal.screenText(),
    cells,
    cursor: { row, col, visible },
  });
}
