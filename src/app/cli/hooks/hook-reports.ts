import { defined } from '#base';
import { type CommandReport, type ReportRequest, shortened } from '#model';

/** What agents pass to their hooks on standard input, as far as it is read. All of it is untrusted. */
interface HookInput {
  /** The kind of the agent. */
  readonly kind: string;
  readonly event: string;
  readonly conversation: string | undefined;
  readonly text: (name: string) => string;
  /** An object in it; empty if there is none. */
  readonly part: (name: string) => Fields;
}

type Fields = Readonly<Record<string, unknown>>;

type Report = Omit<ReportRequest, 'conversation' | 'agent' | 'sequence'>;

/** Returns what an event tells; null if nothing. */
type Events = Readonly<Record<string, (input: HookInput) => Report | null>>;

const busy = (): Report => ({ state: 'busy' });
const done = (): Report => ({ state: 'done' });
const cleared = (): Report => ({ state: 'clear' });
/** Only the conversation. */
const begun = (): Report => ({});
const asks = (input: HookInput): Report => {
  const { text } = input;
  const tool = [text('tool_name'), commandOf(input)?.line].filter(Boolean).join(': ');
  return { state: 'asks', message: text('message') || tool || 'permission' };
};

/** The tools of agents that run a command in a shell. */
const shellTools = /^(?:bash|shell|execute|run_shell_command)$/i;

/** Returns the command of a tool; null for a tool that is no shell. */
function commandOf({ text, part }: HookInput): CommandReport | null {
  const { command: line } = { ...part('toolArgs'), ...part('tool_input') };
  const tool = text('tool_name') || text('toolName');
  if (!shellTools.test(tool) || typeof line !== 'string') return null;
  const [call, cwd] = [text('tool_use_id') || text('tool_call_id'), text('cwd')];
  return { line, ...defined({ call: call || undefined, cwd: cwd || undefined }) };
}

type CommandEnd = Pick<CommandReport, 'outcome' | 'exitCode' | 'durationMs'>;

/** The report of a tool that begins, or of its end. */
const ran =
  (endOf: (input: HookInput) => CommandEnd) =>
  (input: HookInput): Report | null => {
    const command = commandOf(input);
    return command && { command: { ...command, ...endOf(input) } };
  };

const begins = ran(() => ({}));

const withCode = (exitCode: number): CommandEnd => ({
  outcome: exitCode === 0 ? 'succeeded' : 'failed',
  exitCode,
});

const durationOf = ({ part }: HookInput): CommandEnd => {
  const { duration_ms: durationMs } = part('');
  return typeof durationMs === 'number' && durationMs >= 0 ? { durationMs } : {};
};

/**
 * The end of a tool that the agent does not call failed. Claude Code tells no status: it is 0, unless Claude Code says
 * what another status means, as for grep, or the command goes on in the background. Gemini CLI tells it to its model.
 */
const ends = ran((input) => {
  const {
    exit_code: exitCode,
    interrupted,
    returnCodeInterpretation,
    backgroundTaskId,
    error,
  } = input.part('tool_response');
  const [, droidCode] = droidStatus.exec(input.text('tool_response')) ?? [];
  const ofGemini = input.kind === 'gemini' ? geminiStatus(input.part('tool_response')) : exitCode;
  const code = input.kind === 'droid' && droidCode !== undefined ? Number(droidCode) : ofGemini;
  if (isStatus(code)) return { ...withCode(code), ...durationOf(input) };
  if (typeof error === 'object' && error !== null) return { outcome: 'failed' };
  if (input.kind !== 'claude' || interrupted !== false) return { outcome: 'unknown' };
  if (backgroundTaskId !== undefined) return { outcome: 'unknown' };
  if (returnCodeInterpretation !== undefined) return { outcome: 'succeeded', ...durationOf(input) };
  return { ...withCode(0), ...durationOf(input) };
});

/** Behind the output, where no output can take its place. */
const droidStatus = /\n\[Process exited with code (\d{1,3})\]$/;

const isStatus = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;

/**
 * Where agents tell the status of a command that failed: Claude Code before its output, Kimi Code and Qwen Code behind
 * it, where no output can take its place.
 */
const failures: Readonly<Record<string, RegExp>> = {
  claude: /^Exit code (\d{1,3})\b/,
  kimi: /(?:^|\n)Command failed with exit code: (\d{1,3})\.$/,
  qwen: /\nExit Code: (\d{1,3})\nSignal: \(none\)(?:\nBackground PIDs: .*)?\nProcess Group PGID: \d+$/,
};

const fails = ran((input) => {
  const { message } = input.part('error');
  const error = input.text('error') || (typeof message === 'string' ? message : '');
  const [, code] = (failures[input.kind] ?? failures['claude'])?.exec(error.trimEnd()) ?? [];
  const status = Number(code ?? 0);
  const end: CommandEnd = isStatus(status) && status > 0 ? withCode(status) : { outcome: 'failed' };
  return { ...end, ...durationOf(input) };
});

/**
 * Returns the status that Gemini CLI tells its model in the lines behind the output, of which it leaves out status 0;
 * null if it tells none, or the output may say the same.
 */
function geminiStatus({ llmContent, returnDisplay }: Fields): number | null {
  const text = typeof llmContent === 'string' ? llmContent : '';
  const lines = text.replace(/\s*<\/untrusted_context>\s*$/, '').split('\n');
  if (!lines.pop()?.startsWith('Process Group PGID: ')) return null;
  if (lines.at(-1)?.startsWith('Background PIDs: ')) lines.pop();
  const last = lines.at(-1) ?? '';
  const [, code] = /^Exit Code: (\d+)$/.exec(last) ?? [];
  if (code === undefined) return /^(?:Error|Signal): /.test(last) ? null : 0;
  return shownLines(returnDisplay).some((line) => line.startsWith('Exit Code: '))
    ? null
    : Number(code);
}

/** The rows that Gemini CLI shows of an output: a text, or the cells of a terminal. */
function shownLines(shown: unknown): readonly string[] {
  const rows: readonly unknown[] = Array.isArray(shown) ? shown : String(shown).split('\n');
  const textOf = (row: unknown): string =>
    Array.isArray(row)
      ? row.map((cell: { text?: unknown }) => cell?.text ?? '').join('')
      : `${row}`;
  return rows.map((row) => textOf(row).trim());
}

/** The events of Claude Code, which Codex, Qwen Code and Droid share. Those of tools are of its shell only. */
const claudeEvents: Events = {
  SessionStart: begun,
  UserPromptSubmit: busy,
  PreToolUse: begins,
  PostToolUse: ends,
  PostToolUseFailure: fails,
  PermissionRequest: asks,
  Notification: (input) => {
    const type = input.text('notification_type');
    if (type === 'idle_prompt') return { state: 'idle' };
    return type === 'permission_prompt' || type === 'elicitation_dialog' ? asks(input) : null;
  },
  Stop: done,
  StopFailure: ({ text }) => ({ state: 'error', message: text('error') }),
  Interrupt: () => ({ state: 'idle' }),
  SessionEnd: cleared,
};

const geminiEvents: Events = {
  SessionStart: begun,
  BeforeAgent: busy,
  AfterAgent: done,
  BeforeTool: begins,
  AfterTool: ends,
  Notification: (input) =>
    input.text('notification_type') === 'ToolPermission' ? asks(input) : null,
  SessionEnd: cleared,
};

const cursorEvents: Events = {
  sessionStart: begun,
  // It tells how long the command ran, and not how it ended.
  afterShellExecution: ({ text, part }) => {
    const [line, { duration, cwd }] = [text('command'), part('')];
    if (line === '') return null;
    const durationMs = typeof duration === 'number' && duration >= 0 ? duration : undefined;
    const directory = typeof cwd === 'string' && cwd !== '' ? cwd : undefined;
    return { command: { line, outcome: 'unknown', ...defined({ durationMs, cwd: directory }) } };
  },
};

/** Copilot tells its model the status behind the output, unless the command goes on. */
const copilotEnds = ran(({ part }) => {
  const { textResultForLlm: text } = part('toolResult');
  const [, code] = /<shellId: \d+ completed with exit code (\d{1,3})>$/.exec(`${text}`) ?? [];
  return code === undefined ? { outcome: 'unknown' } : withCode(Number(code));
});

/** Copilot does not say each event in its input: the command of the hook does. */
const copilotEvents: Events = {
  sessionStart: begun,
  userPromptSubmitted: busy,
  preToolUse: begins,
  postToolUse: copilotEnds,
  Notification: (input) =>
    input.text('notification_type') === 'permission_prompt' ? asks(input) : null,
  agentStop: done,
  sessionEnd: cleared,
};

/** The plugins of OpenCode, Kilo and Pi write this form themselves. */
const pluginEvents: Events = {
  begun,
  busy,
  done,
  idle: () => ({ state: 'idle' }),
  asks,
  error: ({ text }) => ({ state: 'error', message: text('message') }),
  clear: cleared,
  command: ({ part }) => {
    const { line, call, cwd, ended, exit_code: code, failed } = part('command');
    if (typeof line !== 'string') return null;
    const end: CommandEnd = isStatus(code)
      ? withCode(code)
      : { outcome: failed === true ? 'failed' : failed === false ? 'succeeded' : 'unknown' };
    const texts = {
      ...(typeof call === 'string' && { call }),
      ...(typeof cwd === 'string' && { cwd }),
    };
    return { command: { line, ...texts, ...(ended === true && end) } };
  },
};

const eventsOf: Readonly<Record<string, Events>> = {
  claude: claudeEvents,
  codex: claudeEvents,
  qwen: claudeEvents,
  droid: claudeEvents,
  kimi: claudeEvents,
  gemini: geminiEvents,
  'cursor-agent': cursorEvents,
  copilot: copilotEvents,
  opencode: pluginEvents,
  kilo: pluginEvents,
  pi: pluginEvents,
};

/** A kind of the user, whose hooks are in the form that most agents share. */
const kindForm = /^[a-z0-9][a-z0-9._-]{0,63}$/u;

/** The longest message that is passed on, in UTF-16 code units. */
const maxMessage = 500;

/**
 * Returns the report of a hook; null if its event tells nothing, or the input is not of an agent of this kind.
 *
 * @param hook the kind of the agent, and after a colon the event if the input does not say it
 * @param input what the agent has written to the standard input of the hook
 */
export function reportOfHook(hook: string, input: string): ReportRequest | null {
  const [kind = '', event = ''] = hook.split(':');
  const read = readInput(kind, input, event);
  const readers = Object.hasOwn(eventsOf, kind) ? eventsOf[kind] : undefined;
  const events = readers ?? (kindForm.test(kind) ? claudeEvents : {});
  const tell = read !== null && Object.hasOwn(events, read.event) ? events[read.event] : undefined;
  if (read === null || tell === undefined) return null;
  const report = tell(read);
  if (report === null) return null;
  // A sub-agent of another conversation can run a command.
  const conversation = report.command === undefined ? read.conversation : undefined;
  if ((report.state ?? conversation ?? report.command) === undefined) return null;
  const { message, ...rest } = report;
  const line = message && shortened(message, maxMessage);
  return { ...rest, ...defined({ message: line || undefined, conversation }), agent: kind };
}

/**
 * Returns how the commands before a hook ended, if the agent does not say it to its hooks: with the next command that of
 * the one before, and at the end of a turn those of the last ones.
 *
 * @param hook and input as of {@link reportOfHook}
 * @throws an error of node:fs
 */
export async function statusesOfHook(hook: string, input: string): Promise<CommandReport[]> {
  const read = hook === 'codex' ? readInput(hook, input, '') : null;
  const most = read?.event === 'Stop' ? 4 : read?.event === 'PostToolUse' ? 1 : 0;
  if (read === null || most === 0) return [];
  const { codexStatuses } = await import('./codex-statuses.ts');
  return codexStatuses(read.text('transcript_path'), most);
}

const idForm = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

function readInput(kind: string, input: string, event: string): HookInput | null {
  let read: unknown;
  try {
    read = JSON.parse(input);
  } catch {
    return null;
  }
  if (typeof read !== 'object' || read === null) return null;
  const fields = read as Fields;
  const part = (name: string): Fields => {
    const value = name === '' ? fields : Object.hasOwn(fields, name) ? fields[name] : null;
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  };
  const text = (name: string) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return typeof value === 'string' ? value : '';
  };
  const ids = [text('session_id'), text('sessionId'), text('conversation_id')];
  const conversation = ids.find((id) => idForm.test(id));
  return { kind, event: text('hook_event_name') || event, conversation, text, part };
}
