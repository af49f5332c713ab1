import type { Context } from '../context.ts';

/** `--json`, or `output_format = "json"` in the configuration. */
export async function wantsJson(
  context: Context,
  flags: { readonly json: boolean },
): Promise<boolean> {
  return flags.json || (await context.config()).outputFormat === 'json';
}

export function printJson(context: Context, value: unknown): void {
  context.out(`${JSON.stringify(value, null, 2)}\n`);
}
