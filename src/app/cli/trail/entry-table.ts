import type { AuditDetail, AuditEntry } from '#audit';
import { sanitize } from '#base';
import { jsonLine } from '../output/printing.ts';
import { table } from '../output/table.ts';

/** An entry, and where it was written if several trails are shown. */
export interface PlacedEntry extends AuditEntry {
  readonly coordinator?: string;
}

/** Orders entries of several trails. */
export const byTime = (a: AuditEntry, b: AuditEntry): number =>
  Date.parse(a.time) - Date.parse(b.time);

const heads = ['TIME', 'CLIENT', 'ACTION', 'SESSION', 'BYTES', 'DETAILS'];

const hashDigits = 12;

/** Returns entries as a table. What a person has typed key by key is one row for each line. */
export function entryTable(entries: readonly PlacedEntry[], isPlaced: boolean): Promise<string> {
  const rows = joinedKeys(entries).map((entry) => cellsOf(entry, isPlaced));
  const [time = '', ...others] = heads;
  return table(isPlaced ? [time, 'COORDINATOR', ...others] : heads, rows);
}

function cellsOf(entry: PlacedEntry, isPlaced: boolean): string[] {
  const [time = '', ...cells] = rowOf(entry);
  return isPlaced ? [time, safe(entry.coordinator ?? ''), ...cells] : [time, ...cells];
}

/** Returns an entry as a line. @param isPlaced whether it has its coordinator */
export const entryLine = (entry: PlacedEntry, isPlaced = false): string =>
  cellsOf(entry, isPlaced).join('  ').trimEnd();

/** Programs that show a session to a person send a few keys at a time. */
const typed: ReadonlySet<string> = new Set(['key', 'raw']);

/** A longer pause begins another row, in ms. */
const pauseMs = 5_000;

/**
 * Joins entries of keys that one client has sent to a session without other input between them. Such an entry ends
 * with an Enter, if the trail has the text, and with a pause.
 */
export function joinedKeys(entries: readonly PlacedEntry[]): PlacedEntry[] {
  const rows: PlacedEntry[] = [];
  /** The row that is continued, by session, and when its last key came. */
  const open = new Map<string, { readonly at: number; readonly endMs: number }>();
  for (const entry of entries) {
    const place = `${entry.coordinator} ${entry.session_id ?? entry.session}`;
    const last = open.get(place);
    const endMs = Date.parse(entry.time);
    const row = last === undefined ? undefined : rows[last.at];
    if (last && row && endMs - last.endMs <= pauseMs && continues(row, entry)) {
      rows[last.at] = joined(row, entry);
      open.set(place, { at: last.at, endMs });
    } else {
      rows.push(entry);
      open.set(place, { at: rows.length - 1, endMs });
    }
  }
  return rows;
}

const isTyped = ({ action, refused, pid }: AuditEntry): boolean =>
  typed.has(action) && refused === undefined && pid !== undefined;

const continues = (before: AuditEntry, next: AuditEntry): boolean =>
  isTyped(before) &&
  isTyped(next) &&
  before.action === next.action &&
  !endsLine(before) &&
  before.client === next.client &&
  before.pid === next.pid &&
  before.by === next.by &&
  (before.text === undefined) === (next.text === undefined);

const endsLine = ({ text = '', action }: AuditEntry): boolean =>
  action === 'key' ? /(^|\s)enter$/i.test(text) : /[\r\n]$/.test(text);

/** Without a hash: each is of one key. */
function joined({ sha256: _hash, ...before }: PlacedEntry, next: AuditEntry): PlacedEntry {
  const between = before.action === 'key' ? ' ' : '';
  const text = before.text === undefined ? {} : { text: `${before.text}${between}${next.text}` };
  return { ...before, bytes: (before.bytes ?? 0) + (next.bytes ?? 0), ...text };
}

function rowOf(entry: AuditEntry): string[] {
  const { time, client, pid, by, action, session = '', bytes } = entry;
  const who = pid === undefined ? client : `${client} ${pid}`;
  return [
    ...[safe(time), safe(by === undefined ? who : `${who} (${by})`), safe(action), safe(session)],
    ...[bytes === undefined ? '' : String(bytes), detailsOf(entry)],
  ];
}

function detailsOf({ refused, details = {}, sha256, text }: AuditEntry): string {
  const parts = [
    ...(refused === undefined ? [] : [`refused: ${refused}`]),
    ...Object.entries(details).map(([name, value]) => `${safe(name)}=${detailText(value)}`),
    ...(sha256 === undefined ? [] : [`sha256=${safe(sha256.slice(0, hashDigits))}`]),
    ...(text === undefined ? [] : [`text=${jsonLine(text)}`]),
  ];
  return parts.join(' ');
}

const detailText = (value: AuditDetail): string =>
  typeof value === 'object' ? value.map(safe).join(',') : safe(String(value));

/** Returns a text as it is if it is one visible line; else as a string of JSON. */
export const safe = (text: string): string =>
  sanitize(text).removed === 0 && !/[\n\t]/.test(text) ? text : jsonLine(text);
