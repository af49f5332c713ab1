import { parseDurationMs, quoted } from '#base';
import { VtrError } from './errors.ts';

/**
 * A time in the past of a session, as a person types it:
 *
 * - `10:32`, `10:32:05`, `10:32:05.250`: a local time of the last 24 hours
 * - `2026-11-23T10:32:05Z`: ISO 8601 with a time; local without a zone
 * - `-30s`, `-1m30s`: this duration ago
 * - `marker:NAME`: where the last marker with that name was set
 * - `command:7`, `command:last`: where the output of a command of the session's shell ended; now if it
 *   runs
 */
export type TimeRef = string;

export type ParsedTimeRef =
  /** In ms since 1970. */
  | { readonly type: 'time'; readonly atMs: number }
  | { readonly type: 'marker'; readonly label: string }
  | { readonly type: 'command'; readonly command: number | 'last' };

const timeOfDay = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?$/;
const timestamp = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:?\d\d)?$/;
const forms = '10:32:05, 2026-11-23T10:32:05Z, -30s, marker:NAME or command:7';

/**
 * Parses a time. A local time that would be in the future is that of yesterday.
 *
 * @param nowMs in ms since 1970
 * @throws VtrError INVALID_ARGUMENT
 */
export function parseTimeRef(text: TimeRef, nowMs: number): ParsedTimeRef {
  const [, kind, rest = ''] = /^(marker|command):(.*)$/s.exec(text) ?? [];
  if (kind === 'marker') return { type: 'marker', label: checkLabel(text, rest) };
  if (kind === 'command') return { type: 'command', command: commandOf(text, rest) };
  const atMs = agoOf(text, nowMs) ?? timeOfDayOf(text, nowMs) ?? timestampOf(text);
  if (atMs === null) throw invalid(text, hintFor(text));
  if (atMs <= nowMs) return { type: 'time', atMs };
  throw invalid(text, `is in the future; it is ${new Date(nowMs).toISOString()}`);
}

/**
 * Returns the same time without the time zone of the caller, and the same later: several calls may use
 * it.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function absoluteTimeRef(text: TimeRef, nowMs: number): TimeRef {
  const parsed = parseTimeRef(text, nowMs);
  return parsed.type === 'time' ? new Date(parsed.atMs).toISOString() : text;
}

function checkLabel(text: string, label: string): string {
  if (label !== '') return label;
  throw invalid(text, 'has no name; use marker:NAME');
}

function commandOf(text: string, value: string): number | 'last' {
  if (value === 'last') return value;
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw invalid(text, 'has no number of a command; use command:7 or command:last');
}

function agoOf(text: string, nowMs: number): number | null {
  const ms = text.startsWith('-') ? parseDurationMs(text.slice(1)) : null;
  return ms === null ? null : nowMs - ms;
}

function timeOfDayOf(text: string, nowMs: number): number | null {
  const parts = timeOfDay.exec(text);
  if (parts === null) return null;
  const [hours = 0, minutes = 0, seconds = 0] = parts.slice(1, 4).map((part) => Number(part ?? 0));
  if (hours > 23 || minutes > 59 || seconds > 59) throw invalid(text, 'is not a time of day');
  const ms = Number((parts[4] ?? '').padEnd(3, '0'));
  const at = new Date(nowMs);
  at.setHours(hours, minutes, seconds, ms);
  if (at.getTime() > nowMs) at.setDate(at.getDate() - 1);
  return at.getTime();
}

function timestampOf(text: string): number | null {
  if (!timestamp.test(text)) return null;
  const atMs = Date.parse(text.replace(' ', 'T').toUpperCase());
  if (Number.isNaN(atMs)) throw invalid(text, 'is not a date with a time');
  return atMs;
}

function hintFor(text: string): string {
  const isDuration = parseDurationMs(text) !== null;
  return `is not a time; use ${isDuration ? `-${text} for ${text} ago, or ` : ''}${forms}`;
}

const invalid = (text: string, problem: string): VtrError =>
  new VtrError('INVALID_ARGUMENT', `the time ${quoted(text)} ${problem}`);
