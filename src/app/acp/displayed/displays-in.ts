import { type ExitStatus, isSize, type Size } from '#model';

/** An agent's update of a terminal of its own. */
export interface DisplayStep {
  readonly terminalId: string;
  /** The command that runs in it, or the title of the tool call. */
  readonly title?: string;
  /** A new title of the tool call; it alone does not begin a terminal. */
  readonly newTitle?: string;
  readonly cwd?: string;
  /** Present only if the output is a terminal's, not a pipe's. */
  readonly size?: Size;
  /** Replaces all output so far. */
  readonly snapshot?: Uint8Array;
  readonly output?: Uint8Array;
  /** Present when it ends; null if the agent does not report how. */
  readonly exit?: ExitStatus | null;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the steps in the `update` of a `session/update`: in `_meta`, as agents of version 1 send
 * them (`terminal_info`, `terminal_output` or `terminal_output_delta`, `terminal_exit`), or as in the
 * draft of version 2 (`terminal_update`, `terminal_output_chunk`).
 */
export function displaysIn(update: unknown): readonly DisplayStep[] {
  if (!isObject(update)) return [];
  switch (update['sessionUpdate']) {
    case 'terminal_update':
      return terminalUpdate(update);
    case 'terminal_output_chunk': {
      const output = fromBase64(update['data']);
      return steps(update['terminalId'], output && { output });
    }
    default: {
      const inMeta = isObject(update['_meta']) ? metaSteps(update, update['_meta']) : [];
      return inMeta.length > 0 ? inMeta : steps(update['toolCallId'], newTitle(update['title']));
    }
  }
}

const newTitle = (title: unknown): { readonly newTitle: string } | undefined =>
  typeof title === 'string' ? { newTitle: title } : undefined;

function terminalUpdate(update: Json): readonly DisplayStep[] {
  const { terminalId, command, cwd, output, size, exitStatus } = update;
  const snapshot = isObject(output) ? fromBase64(output['data']) : undefined;
  return steps(terminalId, {
    ...text('title', command),
    ...text('cwd', cwd),
    ...(isObject(size) ? sizeField(size['cols'], size['rows']) : {}),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(isObject(exitStatus) ? { exit: exitOf(exitStatus['exitCode'], exitStatus['signal']) } : {}),
  });
}

function metaSteps(update: Json, meta: Json): readonly DisplayStep[] {
  const { terminal_info: info, terminal_exit: exit } = meta;
  const chunks = [meta['terminal_output'], meta['terminal_output_delta']].filter(isObject);
  const idOf = (part: Json) => part['terminal_id'] ?? update['toolCallId'];
  return [
    ...(isObject(info)
      ? steps(idOf(info), { ...text('title', update['title']), ...text('cwd', info['cwd']) })
      : []),
    ...chunks.flatMap((chunk) => {
      const { data } = chunk;
      return steps(idOf(chunk), typeof data === 'string' && { output: Buffer.from(data) });
    }),
    ...(isObject(exit)
      ? steps(idOf(exit), { exit: exitOf(exit['exit_code'], exit['signal']) })
      : []),
  ];
}

function steps(
  terminalId: unknown,
  step: Omit<DisplayStep, 'terminalId'> | false | undefined,
): readonly DisplayStep[] {
  return typeof terminalId === 'string' && step ? [{ terminalId, ...step }] : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const text = <Name extends string>(name: Name, value: unknown) =>
  (typeof value === 'string' ? { [name]: value } : {}) as { [Field in Name]?: string };

function sizeField(cols: unknown, rows: unknown): { size?: Size } {
  if (typeof cols !== 'number' || typeof rows !== 'number') return {};
  return isSize({ cols, rows }) ? { size: { cols, rows } } : {};
}

const fromBase64 = (data: unknown): Uint8Array | undefined =>
  typeof data === 'string' ? Buffer.from(data, 'base64') : undefined;

/** A code outside 0 to 255, from another system, becomes 255. */
function exitOf(code: unknown, signal: unknown): ExitStatus | null {
  if (typeof signal === 'string' && signal !== '') {
    return { code: null, signal: signal.startsWith('SIG') ? signal : `SIG${signal}` };
  }
  if (typeof code !== 'number') return null;
  return { code: Number.isInteger(code) && code >= 0 && code < 256 ? code : 255, signal: null };
}
