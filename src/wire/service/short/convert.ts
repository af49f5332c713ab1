import {
  type Cell,
  type Color,
  type CursorShape,
  type EndReason,
  type ExitStatus,
  flagsOf,
  type Line,
  type LinesRead,
  type ScreenSnapshot,
  type SearchResult,
  type SessionInfo,
  type Style,
  type UnderlineStyle,
} from '#model';
import type {
  CellMessage,
  ColorMessage,
  EndedByMessage,
  ExitStatusMessage,
  GrepMessage,
  LifetimeMessage,
  LimitsMessage,
  LinesMessage,
  ScreenMessage,
  SessionMessage,
} from './messages.ts';

export function sessionFrom(message: SessionMessage = {}): SessionInfo {
  return {
    name: message.name ?? '',
    id: message.id ?? '',
    state: message.status === 'SESSION_STATUS_EXITED' ? 'exited' : 'running',
    program: message.program ?? '',
    args: message.args ?? [],
    cwd: message.workingDir ?? '',
    pid: message.pid ?? 0,
    size: { cols: message.cols ?? 0, rows: message.rows ?? 0 },
    title: message.title ?? '',
    revision: Number(message.revision ?? 0),
    createdAtMs: Date.parse(message.createdAt ?? ''),
    exitedAtMs: message.exitedAt === undefined ? null : Date.parse(message.exitedAt),
    exitStatus: exitStatusFrom(message.exitStatus),
    ...(message.fedBy === undefined ? {} : { fedBy: message.fedBy }),
    ...endsFrom(message),
  };
}

function endsFrom({ lifetime, limits, endedBy }: SessionMessage) {
  return {
    ...(lifetime === undefined ? {} : { lifetime: lifetimeFrom(lifetime) }),
    ...(limits === undefined ? {} : { limits: limitsFrom(limits) }),
    ...(endedBy === undefined ? {} : { endedBy: endedByFrom(endedBy) }),
  };
}

const lifetimeFrom = ({ idle, keepExited, maxRun }: LifetimeMessage) => ({
  ...(idle === undefined ? {} : { idleMs: msFrom(idle) }),
  ...(keepExited === undefined ? {} : { keepExitedMs: msFrom(keepExited) }),
  ...(maxRun === undefined ? {} : { maxRunMs: msFrom(maxRun) }),
});

const limitsFrom = ({ memoryBytes, cpuPercent }: LimitsMessage) => ({
  ...(memoryBytes === undefined ? {} : { memoryBytes: Number(memoryBytes) }),
  ...(cpuPercent === undefined ? {} : { cpuPercent }),
});

const endedByFrom = ({ reason, limit, measured }: EndedByMessage) => ({
  reason: lowerWord(reason, 'END_REASON', 'idle') as EndReason,
  ...(limit === undefined ? {} : { limit }),
  ...(measured === undefined ? {} : { measured }),
});

export function exitStatusFrom(message: ExitStatusMessage | undefined): ExitStatus | null {
  if (message === undefined) return null;
  const { code, signal } = message;
  return signal === undefined ? { code: code ?? 0, signal: null } : { code: null, signal };
}

export function screenFrom(message: ScreenMessage): ScreenSnapshot {
  const { cursorX = 0, cursorY = 0, cursor = {}, cols = 0, rows = 0, screenRows } = message;
  return {
    revision: Number(message.revision ?? 0),
    size: { cols, rows },
    cursor: {
      row: cursorY,
      col: cursorX,
      wrapPending: cursor.wrapPending ?? false,
      visible: cursor.visible ?? false,
      shape: cursorShapeFrom(cursor.shape),
      blinking: cursor.blinking ?? false,
    },
    alternate: message.alternate ?? false,
    title: message.title ?? '',
    text: message.text ?? Array<string>(rows).fill(''),
    topLine: Number(message.topLine ?? 0),
    ...(screenRows === undefined
      ? {}
      : { cells: screenRows.map((row) => cellsFrom(row.cells ?? [])) }),
  };
}

export function searchResultFrom(message: GrepMessage): SearchResult {
  const { matches = [], revision, firstLine, truncated = false } = message;
  return {
    revision: Number(revision ?? 0),
    firstLine: Number(firstLine ?? 0),
    matches: matches.map(({ lineId, line = '', start = 0, end = 0, ...around }) => ({
      line: Number(lineId ?? 0),
      text: line,
      start,
      end,
      before: around.contextBefore ?? [],
      after: around.contextAfter ?? [],
    })),
    truncated,
  };
}

export function linesFrom(message: LinesMessage): LinesRead {
  return {
    revision: Number(message.revision ?? 0),
    firstLine: Number(message.firstLine ?? 0),
    topLine: Number(message.topLine ?? 0),
    endLine: Number(message.endLine ?? 0),
    dropped: Number(message.dropped ?? 0),
    lines: (message.lines ?? []).map(lineFrom),
  };
}

function lineFrom({ number, text = '', cells }: NonNullable<LinesMessage['lines']>[number]): Line {
  const line = { number: Number(number ?? 0), text };
  return cells === undefined ? line : { ...line, cells: cellsFrom(cells) };
}

function cellsFrom(cells: readonly CellMessage[]): Cell[] {
  return cells.map(({ char = '', wide = false, ...look }) => ({
    text: char,
    width: char === '' ? 0 : wide ? 2 : 1,
    style: styleFrom(look),
  }));
}

function styleFrom(look: Omit<CellMessage, 'char' | 'wide'>): Style {
  return {
    ...flagsOf(look.attributes ?? 0),
    fg: colorFrom(look.fg),
    bg: colorFrom(look.bg),
    underlineColor: colorFrom(look.underlineColor),
    underline: lowerWord(look.underlineStyle, 'UNDERLINE_STYLE', 'none') as UnderlineStyle,
    link: look.link || null,
  };
}

function colorFrom(color: ColorMessage | undefined): Color {
  if (color === undefined) return null;
  if (color.rgb !== undefined) return `#${color.rgb.toString(16).padStart(6, '0')}`;
  return color.palette ?? null;
}

const cursorShapeFrom = (shape: string | undefined): CursorShape =>
  lowerWord(shape, 'CURSOR_SHAPE', 'block') as CursorShape;

/** The name of an enum's value in proto3's JSON, from the word of a model's union. */
export const enumName = (kind: string, word: string | undefined): string | undefined =>
  word && `${kind}_${word.toUpperCase()}`;

/** And back; `unset` for what is left out or unspecified. */
export function lowerWord(name: string | undefined, kind: string, unset: string): string {
  const prefix = `${kind}_`;
  const word = name?.startsWith(prefix) ? name.slice(prefix.length).toLowerCase() : unset;
  return word === 'unspecified' ? unset : word;
}

/** A 64-bit number that may be left out. */
export const numberOrNull = (value: string | undefined): number | null =>
  value === undefined ? null : Number(value);

/** A Duration in proto3's JSON: seconds with a fraction, and `s`. */
export const durationOf = (ms: number): string => `${(ms / 1000).toFixed(3)}s`;

/** And back, in ms. */
export function msFrom(duration = '0s'): number {
  const [seconds = '0', fraction = ''] = duration.replace('s', '').split('.');
  return Number(seconds) * 1000 + Number(fraction.padEnd(9, '0')) / 1e6;
}
