import { defined, quoted } from '#base';
import { VtrError } from '#model';
import type { Context } from '../context.ts';
import { openCodePlugin, piExtension } from './agent-plugins.ts';
import {
  type HookFormat,
  hookCommand,
  ownFileFormat,
  ownFileMark,
  settingsFormat,
  tomlFormat,
  type WantedHook,
} from './hook-formats.ts';

type Kind = Awaited<ReturnType<typeof readKinds>>[number];
type KindHooks = NonNullable<Kind['hooks']>;

/** Where and how the hooks of a kind of agents are installed. */
export interface AgentHooks {
  readonly kind: string;
  readonly file: string;
  readonly format: HookFormat;
  /** What a person must do after that. */
  readonly afterwards?: string;
}

type Place = Pick<Context, 'env' | 'program' | 'version'>;

/**
 * The kinds of vtr for which hooks can be installed, for completion. The files of kinds say how; those of the user may
 * add some.
 */
export const installableKinds: readonly string[] = [
  ...['claude', 'codex', 'copilot', 'cursor-agent', 'droid', 'gemini'],
  ...['kilo', 'kimi', 'opencode', 'pi', 'qwen'],
];

async function readKinds(context: Place) {
  const { readAgentKinds } = await import('#app/daemon');
  return (await readAgentKinds(context, context.version)).kinds;
}

/** Returns how hooks are installed, of all kinds whose file says it, sorted by their ids. */
export async function allAgentHooks(context: Place): Promise<AgentHooks[]> {
  const { pathOf } = await import('#app/daemon');
  const kinds = (await readKinds(context)).toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  return kinds.flatMap((kind) => {
    const { hooks } = kind;
    if (hooks === undefined) return [];
    const { afterwards } = hooks;
    const file = pathOf(kind, hooks.file, context);
    const format = formats[hooks.format](kind.kind, hooks.events ?? [], vtrOf(context));
    return [{ kind: kind.kind, file, format, ...defined({ afterwards }) }];
  });
}

/** @throws VtrError INVALID_ARGUMENT for a kind without hooks */
export async function agentHooks(context: Place, kind: string): Promise<AgentHooks> {
  const all = await allAgentHooks(context);
  const hooks = all.find((each) => each.kind === kind);
  if (hooks !== undefined) return hooks;
  const names = all.map((each) => each.kind).join(', ');
  const message = `vtr has no hooks for agents of kind ${quoted(kind)}; it has them for ${names}`;
  throw new VtrError('INVALID_ARGUMENT', message);
}

/** The hooks of one start of an agent. */
export interface StartHooks {
  /** Of a file of settings. */
  readonly settings: string;
  /** The arguments that give the file to the agent; `{file}` is its path. */
  readonly args: readonly string[];
}

/** Returns the hooks for one start of an agent, as for `claude --settings FILE`; null if its kind takes none. */
export async function hooksForOneStart(context: Place, kind: string): Promise<StartHooks | null> {
  const agentKind = (await readKinds(context)).find((each) => each.kind === kind);
  const args = agentKind?.start.settings;
  if (args === undefined || agentKind?.hooks === undefined) return null;
  const { format } = await agentHooks(context, kind);
  return { settings: format.install(''), args };
}

/** The words that run this vtr, whatever PATH the agent has. */
const vtrOf = ({ program }: Pick<Context, 'program'>): readonly string[] => [
  process.execPath,
  program,
];

type FormatOf = (kind: string, events: readonly string[], vtr: readonly string[]) => HookFormat;

/** Reads an event of a file of kinds: with a pattern behind a blank, if the agent takes one. */
function eventOf(written: string): { readonly event: string; readonly matcher?: string } {
  const [event = '', matcher] = written.split(/ (.*)/u);
  return { event, ...defined({ matcher }) };
}

/** The form of Claude Code: groups of commands by event, with a pattern for which of them. */
function groups(command: string, events: readonly string[], name?: string): WantedHook[] {
  return events.map((written) => {
    const { event, matcher } = eventOf(written);
    const hook = { ...defined({ name }), type: 'command', command };
    return { event, value: { ...defined({ matcher }), hooks: [hook] } };
  });
}

const formats: Readonly<Record<KindHooks['format'], FormatOf>> = {
  groups: (kind, events, vtr) => settingsFormat(groups(hookCommand(vtr, kind), events)),
  // Gemini CLI shows the name while the hook runs.
  'named-groups': (kind, events, vtr) =>
    settingsFormat(groups(hookCommand(vtr, kind), events, 'vtr')),
  commands: (kind, events, vtr) =>
    settingsFormat(
      events.map((event) => ({
        event,
        value: { command: hookCommand(vtr, `${kind}:${event}`) },
      })),
      { version: 1 },
    ),
  tables: (kind, events, vtr) =>
    tomlFormat(
      events.map((written) => ({
        ...eventOf(written),
        command: hookCommand(vtr, kind),
        timeout: 5,
      })),
    ),
  'copilot-file': (kind, events, vtr) => {
    const hook = (written: string) => {
      const { event, ...matcher } = eventOf(written);
      const bash = hookCommand(vtr, `${kind}:${event}`);
      return [event, [{ type: 'command', ...matcher, bash }]];
    };
    const hooks = Object.fromEntries(events.map(hook));
    const content = JSON.stringify({ description: ownFileMark, version: 1, hooks }, null, 2);
    return ownFileFormat(`${content}\n`);
  },
  'opencode-plugin': (kind, _events, vtr) => ownFileFormat(openCodePlugin(vtr, kind)),
  'pi-extension': (_kind, _events, vtr) => ownFileFormat(piExtension(vtr)),
};
