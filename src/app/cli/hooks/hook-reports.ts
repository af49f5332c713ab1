import { defined } from '#base';
import { type ReportRequest, shortened } from '#model';

/** What agents pass to their hooks on standard input, as far as it is read. All of it is untrusted. */
interface HookInput {
  readonly event: string;
  readonly conversation: string | undefined;
  readonly text: (name: string) => string;
}

type Report = Omit<ReportRequest, 'conversation' | 'agent' | 'sequence'>;

/** Returns what an event tells; null if nothing. */
type Events = Readonly<Record<string, (input: HookInput) => Report | null>>;

const busy = (): Report => ({ state: 'busy' });
const done = (): Report => ({ state: 'done' });
const cleared = (): Report => ({ state: 'clear' });
/** Only the conversation. */
const begun = (): Report => ({});
const asks = ({ text }: HookInput): Report => ({
  state: 'asks',
  message: [text('message'), text('tool_name')].find((each) => each !== '') ?? 'permission',
});

/**
 * The events of Claude Code, which Codex, Qwen Code and Droid share. A hook before and after each tool is not used: it
 * would start a process each time.
 */
const claudeEvents: Events = {
  SessionStart: begun,
  UserPromptSubmit: busy,
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
  Notification: (input) =>
    input.text('notification_type') === 'ToolPermission' ? asks(input) : null,
  SessionEnd: cleared,
};

const cursorEvents: Events = { sessionStart: begun };

/** Copilot does not say the event in its input: the command of the hook does. */
const copilotEvents: Events = {
  sessionStart: begun,
  userPromptSubmitted: busy,
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
  const read = readInput(input, event);
  const readers = Object.hasOwn(eventsOf, kind) ? eventsOf[kind] : undefined;
  const events = readers ?? (kindForm.test(kind) ? claudeEvents : {});
  const tell = read !== null && Object.hasOwn(events, read.event) ? events[read.event] : undefined;
  if (read === null || tell === undefined) return null;
  const report = tell(read);
  if (report === null) return null;
  const { conversation } = read;
  if (report.state === undefined && conversation === undefined) return null;
  const { message, ...rest } = report;
  const line = message && shortened(message, maxMessage);
  return { ...rest, ...defined({ message: line || undefined, conversation }), agent: kind };
}

const idForm = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

function readInput(input: string, event: string): HookInput | null {
  let read: unknown;
  try {
    read = JSON.parse(input);
  } catch {
    return null;
  }
  if (typeof read !== 'object' || read === null) return null;
  const fields = read as Readonly<Record<string, unknown>>;
  const text = (name: string) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return typeof value === 'string' ? value : '';
  };
  const ids = [text('session_id'), text('sessionId'), text('conversation_id')];
  const conversation = ids.find((id) => idForm.test(id));
  return { event: text('hook_event_name') || event, conversation, text };
}
