import { shellQuoted } from '#base';
import { VtrError } from '#model';
import {
  type JsonPlace,
  leftOf,
  memberOf,
  readJsonPlaces,
  valueAt,
  withEntry,
  withoutEntry,
  withValue,
} from './edit-json.ts';

/** A hook that calls vtr, in the form of an agent's settings. */
export interface WantedHook {
  readonly event: string;
  /** An entry of the list of this event. */
  readonly value: unknown;
}

/** How the hooks of an agent are written into a file. */
export interface HookFormat {
  /** Returns the content of the file with the hooks of vtr and no others of it. @throws VtrError INVALID_ARGUMENT */
  readonly install: (text: string) => string;
  /** Returns the content without the hooks of vtr; null if nothing else is left of a file that vtr has made. */
  readonly remove: (text: string) => string | null;
}

/**
 * Returns the shell command of a hook. It does nothing outside of vtr, prints nothing, and succeeds also when vtr is no
 * longer there. It does not name the variable with a `$`: Gemini CLI replaces that in its settings, and shows the
 * command, with the key in it, while it runs.
 *
 * @param vtr the words that run vtr
 * @param hook the kind of the agent, and the event if the agent does not say it in its input
 */
export const hookCommand = (vtr: readonly string[], hook: string): string =>
  `! printenv VTR_REPORT >/dev/null 2>&1 || ${vtr.map(shellQuoted).join(' ')} report --hook ${hook} >/dev/null 2>&1 || :`;

/** What is only in commands of {@link hookCommand}. */
const ownCommand = /VTR_REPORT.* report --hook [a-z]/;

/** Whether a value contains a command of vtr, and no other one. */
function isOwn(value: unknown): boolean {
  const commands = commandsIn(value);
  return commands.length > 0 && commands.every((command) => ownCommand.test(command));
}

/** The commands in an entry: its own, and those of its list `hooks`. */
function commandsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { command, bash, hooks } = value as Readonly<Record<string, unknown>>;
  const own = [command, bash].filter((each) => typeof each === 'string');
  return [...own, ...(Array.isArray(hooks) ? hooks.flatMap(commandsIn) : [])];
}

/** Lists by event in the member `hooks` of a file of settings that is the user's. */
export function settingsFormat(hooks: readonly WantedHook[], base: object = {}): HookFormat {
  return {
    install: (text) => {
      const start = text.trim() === '' ? `${JSON.stringify(base, null, 2)}\n` : text;
      return hooks.reduce(withHook, withoutOld(start, hooks));
    },
    remove: (text) => leftOf(text, withoutOld(text, []), base),
  };
}

/** Returns the object with the lists of hooks. @throws VtrError INVALID_ARGUMENT for a file with something else there */
function hooksIn(text: string): { readonly root: JsonPlace; readonly hooks: JsonPlace | null } {
  const root = readJsonPlaces(text);
  const hooks = memberOf(root, 'hooks');
  const isUsable = root.type === 'object' && (hooks === null || hooks.type === 'object');
  if (isUsable) return { root, hooks };
  throw new VtrError('INVALID_ARGUMENT', 'its hooks are not lists by event');
}

/** Adds a hook, unless it is there. */
function withHook(text: string, { event, value }: WantedHook): string {
  const { root, hooks } = hooksIn(text);
  if (hooks === null) return withEntry(text, root, 'hooks', { [event]: [value] });
  const list = memberOf(hooks, event);
  if (list === null) return withEntry(text, hooks, event, [value]);
  if (list.type !== 'array') {
    throw new VtrError('INVALID_ARGUMENT', `its hooks for ${event} are not a list`);
  }
  const own = list.items.find((item) => isOwn(valueAt(item)));
  if (own === undefined) return withEntry(text, list, null, value);
  return isEqual(valueAt(own), value) ? text : withValue(text, own, value);
}

/** Removes hooks of vtr: those for events that are not wanted, and all but the first of an event. */
function withoutOld(text: string, rows: readonly WantedHook[]): string {
  const { root, hooks } = hooksIn(text);
  if (root.type !== 'object' || hooks?.type !== 'object') return text;
  for (const [at, { key, value: list }] of hooks.members.entries()) {
    if (list.type !== 'array') continue;
    const isWanted = rows.some(({ event }) => event === key);
    const own = list.items.flatMap((item, index) => (isOwn(valueAt(item)) ? [index] : []));
    const old = isWanted ? own.slice(1) : own;
    const last = old.at(-1);
    if (last !== undefined) {
      const isOnly = list.items.length === 1;
      const isLastList = isOnly && hooks.members.length === 1;
      const rootAt = root.members.findLastIndex((member) => member.key === 'hooks');
      const left = isLastList
        ? withoutEntry(text, root, rootAt)
        : isOnly
          ? withoutEntry(text, hooks, at)
          : withoutEntry(text, list, last);
      return withoutOld(left, rows);
    }
    const mixed = list.items.find((item) => ownPartOf(item) !== null);
    const inner = mixed === undefined ? null : memberOf(mixed, 'hooks');
    const part = mixed === undefined ? null : ownPartOf(mixed);
    if (inner !== null && part !== null) return withoutOld(withoutEntry(text, inner, part), rows);
  }
  return text;
}

/** The place of vtr's command in a group that has others, too: somebody has moved it there. */
function ownPartOf(item: JsonPlace): number | null {
  const inner = memberOf(item, 'hooks');
  if (inner?.type !== 'array' || inner.items.length < 2 || isOwn(valueAt(item))) return null;
  const at = inner.items.findIndex((each) => isOwn(valueAt(each)));
  return at < 0 ? null : at;
}

const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** A file that is all vtr's, such as a plugin. */
export const ownFileFormat = (content: string): HookFormat => ({
  install: (text) => {
    if (text.trim() === '' || text.includes(ownFileMark)) return content;
    throw new VtrError('INVALID_ARGUMENT', 'it is not a file of vtr');
  },
  remove: (text) => (text.includes(ownFileMark) ? null : text),
});

export const ownFileMark = 'Written by vtr agents install';

const blockBegin = '# vtr agents install: begin';
const blockEnd = '# vtr agents install: end';
const block = new RegExp(`(?:^|\\n)${blockBegin}\\n[\\s\\S]*?\\n${blockEnd}(?:\\n|$)`);

/** Tables at the end of a file of TOML that is the user's. */
export function tomlFormat(
  tables: readonly Readonly<Record<string, string | number>>[],
): HookFormat {
  const content = tables
    .map((table) => {
      const lines = Object.entries(table).map(
        ([key, value]) => `${key} = ${JSON.stringify(value)}`,
      );
      return `[[hooks]]\n${lines.join('\n')}\n`;
    })
    .join('\n');
  const whole = `${blockBegin}\n${content}${blockEnd}\n`;
  return {
    install: (text) => {
      const match = block.exec(text);
      if (match === null) return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${whole}`;
      const start = match.index + (match[0].startsWith('\n') ? 1 : 0);
      return `${text.slice(0, start)}${whole}${text.slice(match.index + match[0].length)}`;
    },
    remove: (text) => {
      const match = block.exec(text);
      if (match === null) return text;
      const start = match.index + (match[0].startsWith('\n') ? 1 : 0);
      return `${text.slice(0, start)}${text.slice(match.index + match[0].length)}` || null;
    },
  };
}
