import { escapedJson } from '#base';
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
