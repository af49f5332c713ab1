import { join } from 'node:path';
import { defined } from '#base';
import { homeOf } from '#config';
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

/** Where and how the hooks of a kind of agents are installed. */
export interface AgentHooks {
  readonly file: string;
  readonly format: HookFormat;
  /** What a person must do after that. */
  readonly afterwards?: string;
}

type HooksOf = (context: Pick<Context, 'env' | 'program'>) => AgentHooks;

/** The words that run this vtr, whatever PATH the agent has. */
const vtrOf = ({ program }: Pick<Context, 'program'>): readonly string[] => [
  process.execPath,
  program,
];

/** The directory of an agent: that of a variable, or below the home directory. */
function directoryOf({ env }: Pick<Context, 'env'>, variable: string | null, name: string): string {
  const set = variable === null ? undefined : env[variable];
  return set === undefined || set === '' ? join(homeOf({ env }), name) : set;
}

interface Group {
  readonly event: string;
  readonly matcher?: string;
}

/** The form of Claude Code: groups of commands by event, with a pattern for which of them. */
function groups(command: string, events: readonly Group[], name?: string): WantedHook[] {
  return events.map(({ event, matcher }) => ({
    event,
    value: { ...defined({ matcher }), hooks: [{ ...defined({ name }), type: 'command', command }] },
  }));
}

/** The events of Claude Code. None comes with each use of a tool: a hook starts a process each time. */
const claudeGroups: readonly Group[] = [
  { event: 'SessionStart' },
  { event: 'UserPromptSubmit' },
  { event: 'PermissionRequest' },
  { event: 'Notification', matcher: 'idle_prompt|elicitation_dialog' },
  { event: 'Stop' },
  { event: 'StopFailure' },
  { event: 'SessionEnd' },
];

const eventsOf = (...names: readonly string[]): readonly Group[] =>
  names.map((event) => ({ event }));

const hooksOf: Readonly<Record<string, HooksOf>> = {
  claude: (context) => ({
    file: join(directoryOf(context, 'CLAUDE_CONFIG_DIR', '.claude'), 'settings.json'),
    format: settingsFormat(groups(hookCommand(vtrOf(context), 'claude'), claudeGroups)),
  }),
  codex: (context) => {
    const events = eventsOf('SessionStart', 'UserPromptSubmit', 'PermissionRequest', 'Stop');
    return {
      file: join(directoryOf(context, 'CODEX_HOME', '.codex'), 'hooks.json'),
      format: settingsFormat(groups(hookCommand(vtrOf(context), 'codex'), events)),
      afterwards:
        'Codex asks at its next start whether you trust them; until then, it does not run them',
    };
  },
  gemini: (context) => {
    const events = [
      ...eventsOf('SessionStart', 'BeforeAgent', 'AfterAgent', 'Notification', 'SessionEnd'),
    ];
    return {
      file: join(directoryOf(context, null, '.gemini'), 'settings.json'),
      // It shows the name while the hook runs.
      format: settingsFormat(groups(hookCommand(vtrOf(context), 'gemini'), events, 'vtr')),
    };
  },
  qwen: (context) => {
    const events = eventsOf(
      ...['SessionStart', 'UserPromptSubmit', 'PermissionRequest', 'Stop', 'SessionEnd'],
    );
    return {
      file: join(directoryOf(context, 'QWEN_HOME', '.qwen'), 'settings.json'),
      format: settingsFormat(groups(hookCommand(vtrOf(context), 'qwen'), events)),
    };
  },
  droid: (context) => ({
    file: join(directoryOf(context, null, '.factory'), 'settings.json'),
    format: settingsFormat(
      groups(
        hookCommand(vtrOf(context), 'droid'),
        eventsOf('SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd'),
      ),
    ),
  }),
  'cursor-agent': (context) => ({
    file: join(directoryOf(context, null, '.cursor'), 'hooks.json'),
    format: settingsFormat(
      [
        {
          event: 'sessionStart',
          value: { command: hookCommand(vtrOf(context), 'cursor-agent:sessionStart') },
        },
      ],
      { version: 1 },
    ),
  }),
  copilot: (context) => {
    const events = ['sessionStart', 'userPromptSubmitted', 'agentStop', 'sessionEnd'];
    const hook = (event: string) => ({
      type: 'command',
      bash: hookCommand(vtrOf(context), `copilot:${event}`),
    });
    const hooks = Object.fromEntries(events.map((event) => [event, [hook(event)]]));
    const content = JSON.stringify({ description: ownFileMark, version: 1, hooks }, null, 2);
    return {
      file: join(directoryOf(context, 'COPILOT_HOME', '.copilot'), 'hooks', 'vtr.json'),
      format: ownFileFormat(`${content}\n`),
    };
  },
  kimi: (context) => {
    const command = hookCommand(vtrOf(context), 'kimi');
    const events = ['SessionStart', 'UserPromptSubmit', 'Stop', 'StopFailure', 'SessionEnd'];
    return {
      file: join(directoryOf(context, null, '.kimi-code'), 'config.toml'),
      format: tomlFormat(events.map((event) => ({ event, command, timeout: 5 }))),
    };
  },
  opencode: (context) => ({
    file: join(configDirectory(context), 'opencode', 'plugins', 'vtr.js'),
    format: ownFileFormat(openCodePlugin(vtrOf(context), 'opencode')),
  }),
  kilo: (context) => ({
    file: join(configDirectory(context), 'kilo', 'plugins', 'vtr.js'),
    format: ownFileFormat(openCodePlugin(vtrOf(context), 'kilo')),
  }),
  pi: (context) => ({
    file: join(
      directoryOf(context, 'PI_CODING_AGENT_DIR', join('.pi', 'agent')),
      'extensions',
      'vtr.js',
    ),
    format: ownFileFormat(piExtension(vtrOf(context))),
  }),
};

const configDirectory = ({ env }: Pick<Context, 'env'>): string =>
  env['XDG_CONFIG_HOME'] || join(homeOf({ env }), '.config');

/** The kinds of agents for which hooks can be installed. */
export const installableKinds: readonly string[] = Object.keys(hooksOf);

/** Returns how the hooks of a kind are installed; null if its agent has none that are known. */
export function agentHooks(
  kind: string,
  context: Pick<Context, 'env' | 'program'>,
): AgentHooks | null {
  const found = Object.hasOwn(hooksOf, kind) ? hooksOf[kind] : undefined;
  return found === undefined ? null : found(context);
}

/**
 * Returns the content of a file of settings that gives the hooks to one start of an agent, as for
 * `claude --settings FILE`; null if its agent takes no such file.
 */
export function hooksForOneStart(
  kind: string,
  context: Pick<Context, 'env' | 'program'>,
): string | null {
  if (kind !== 'claude') return null;
  return agentHooks(kind, context)?.format.install('') ?? null;
}
