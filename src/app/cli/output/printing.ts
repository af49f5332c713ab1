import { escapedJson, sanitize } from '#base';
import { counted, type Redacted } from '#model';
import type { Context } from '../context.ts';

/** Whether `--json` or the configuration's `output_format = "json"` requests JSON. */
export async function wantsJson(
  context: Context,
  flags: { readonly json: boolean },
): Promise<boolean> {
  return flags.json || (await context.config()).outputFormat === 'json';
}

/** Separate lines for each item of a list and for each of its fields. */
const levelsApart = 3;

/** @param levels the depth to which each part of an object or list gets its own line */
export function printJson(context: Context, value: unknown, levels = levelsApart): void {
  context.out(`${laidOut(value, levels, '\n')}\n`);
}

/** Returns a value in one line of JSON that is safe to print at a terminal. */
export const jsonLine = (value: unknown): string => escapedJson(JSON.stringify(value));

function laidOut(value: unknown, levels: number, lineEnd: string): string {
  if (levels === 0 || typeof value !== 'object' || value === null) return jsonLine(value);
  const inner = `${lineEnd}  `;
  const part = (each: unknown) => laidOut(each, levels - 1, inner);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map(part)
    : Object.entries(value).map(([name, each]) => `${jsonLine(name)}: ${part(each)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return parts.length === 0
    ? open + close
    : `${open}${inner}${parts.join(`,${inner}`)}${lineEnd}${close}`;
}

/** A time in ISO 8601, UTC; null stays null. */
export const isoTime = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

/** Prints text for people and models, without control and invisible characters. */
export function printPlain(context: Context, text: string): void {
  const { text: plain, removed } = sanitize(text);
  context.out(plain);
  tellRemoved(context, removed);
}

/** As {@link printPlain}, of a coordinator's rendering with SGR sequences: they stay, and links are removed. */
export function printColoured(context: Context, ansi: string): void {
  let removed = 0;
  const parts = ansi.split(sequence).map((part, at) => {
    if (at % 2 === 1) return part.endsWith('m') ? part : '';
    const plain = sanitize(part);
    removed += plain.removed;
    return plain.text;
  });
  context.draw(parts.join(''));
  tellRemoved(context, removed);
}

/** A style, or the beginning or end of a link (OSC 8). */
const sequence = /(\u001b\[[\d:;]*m|\u001b\]8;[^\u001b]*\u001b\\)/;

/** Reports how many invisible characters were removed. */
export function tellRemoved(context: Context, removed: number): void {
  if (removed === 0) return;
  context.say(`${counted(removed, 'invisible character')} removed; --json includes them`);
}

/** Reports of when a state is that was requested of a time. */
export function tellTime(context: Context, { atMs }: { readonly atMs?: number }): void {
  if (atMs !== undefined) context.say(`as of ${new Date(atMs).toISOString()}`);
}

/** Reports how many secrets were replaced; nothing if that was not requested. */
export function tellRedacted(context: Context, { redacted }: Redacted): void {
  if (redacted !== undefined) context.say(`${counted(redacted, 'secret')} replaced`);
}

/** The field of JSON for the same. */
export const redactedJson = ({ redacted }: Redacted) =>
  redacted === undefined ? {} : { redacted };
