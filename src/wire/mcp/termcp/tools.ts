import * as z from 'zod/v4';
import { sanitize } from '#base';
import { asVtrError, type Coordinator, type Sender, type SessionInfo, startMark } from '#model';
import { type Caller, sendKnowing } from '../caller.ts';
import { exitAnswer } from '../fields.ts';
import { acts, type Call, changes, defineTool, looks, type Tool } from '../tool.ts';
import { typedText } from '../tools/send.ts';
import {
  type FoundSession,
  fetchUnread,
  isLimit,
  limitText,
  runningSession,
  sessionId,
  sessionToRead,
  sessionToWrite,
  TermcpFailure,
  terminated,
} from './termcp-session.ts';
import { withoutCommands } from './unread-bytes.ts';

const output = { sent: z.boolean(), session_id: z.string() };

/** How the previous session of the same name ended; present if this call created a new one. */
const previous = z.object({
  ended: z.enum(['exited', 'unused']),
  exit_code: z.int().optional(),
  signal: z.string().optional(),
  output: z.string().optional(),
});

/** Waits for input to be accepted. @throws TermcpFailure if the program ends first */
async function accepted(
  caller: Caller,
  target: FoundSession,
  sending: Promise<unknown>,
): Promise<void> {
  try {
    await sending;
  } catch (error) {
    if (asVtrError(error).code !== 'SESSION_NOT_RUNNING') throw error;
    throw await terminated(caller, target);
  }
}

const writeStdin = defineTool({
  name: 'write_stdin',
  title: 'Write to terminal',
  description:
    "Write text to the terminal's stdin: commands or input for the running program. Add \\n to execute a command. Creates the session if none exists or its program has ended; previous then reports how.",
  annotations: acts,
  isCore: true,
  input: z.strictObject({ session_id: sessionId, text: z.string() }),
  output: z.object({ ...output, previous: previous.optional() }),
  async run({ session_id, text }, caller) {
    if (/\p{Surrogate}/u.test(text)) {
      throw new TermcpFailure(
        'UTF8_ERROR',
        'the text contains half a surrogate pair, which is not a character',
      );
    }
    const target = await sessionToWrite(caller, session_id);
    // An empty text only creates the session.
    if (text !== '') {
      const { coordinator, session } = target;
      const send = (sender: Sender) => coordinator.sendText(session, typedText(text), sender);
      await accepted(caller, target, sendKnowing(caller, session.id, send));
    }
    const before = target.previous === undefined ? {} : { previous: target.previous };
    return { sent: true, session_id, ...before };
  },
});

const keys = {
  ctrl_c: 'ctrl+c',
  ctrl_d: 'ctrl+d',
  ctrl_z: 'ctrl+z',
  ctrl_l: 'ctrl+l',
  enter: 'enter',
  tab: 'tab',
  escape: 'escape',
  up: 'up',
  down: 'down',
  left: 'left',
  right: 'right',
  home: 'home',
  end: 'end',
  pageup: 'pageup',
  pagedown: 'pagedown',
  f1: 'f1',
  f2: 'f2',
  f3: 'f3',
  f4: 'f4',
  f5: 'f5',
  f6: 'f6',
  f7: 'f7',
  f8: 'f8',
  f9: 'f9',
  f10: 'f10',
  f11: 'f11',
  f12: 'f12',
} as const;

const keyNames = Object.keys(keys) as (keyof typeof keys)[];

const sendKeys = defineTool({
  name: 'send_keys',
  title: 'Press a key',
  description: 'Press a special key: interrupt with ctrl_c, navigate with arrow keys.',
  annotations: acts,
  isCore: true,
  input: z.strictObject({ session_id: sessionId, key: z.enum(keyNames) }),
  output: z.object(output),
  async run({ session_id, key }, caller) {
    const target = await runningSession(caller, session_id);
    const { coordinator, session } = target;
    const send = (sender: Sender) => coordinator.sendKeys(session, [keys[key]], sender);
    await accepted(caller, target, sendKnowing(caller, session.id, send));
    return { sent: true, session_id };
  },
});

const side = (byDefault: number) => z.int().min(1).max(500).default(byDefault);

const resizeTerminal = defineTool({
  name: 'resize_terminal',
  title: 'Resize terminal',
  description: 'Resize the terminal window. Useful when output formatting depends on its size.',
  annotations: changes,
  isCore: false,
  input: z.strictObject({ session_id: sessionId, rows: side(24), cols: side(80) }),
  output: z.object({ session_id: z.string(), rows: z.int(), cols: z.int() }),
  async run({ session_id, rows, cols }, caller) {
    const target = await runningSession(caller, session_id);
    await accepted(
      caller,
      target,
      target.coordinator.resize(target.session, { rows, cols }, { by: caller.agent }),
    );
    return { session_id, rows, cols };
  },
});

const readOutput = defineTool({
  name: 'read_output',
  title: 'Read output',
  description:
    'All output since the last read, as the program wrote it. Returns when the program waits for input or exits, or after timeout_ms.',
  annotations: looks,
  isCore: true,
  input: z.strictObject({
    session_id: sessionId,
    timeout_ms: z.int().min(0).max(30_000).default(1000),
    max_bytes: z.int().min(1024).max(1_048_576).default(65_536),
  }),
  output: z.object({
    output: z.string(),
    more_bytes: z.int(),
    lost_bytes: z.int().optional(),
    exited: z.boolean(),
    exit_code: z.int().nullable(),
    signal: z.string().optional(),
    limit_exceeded: z.string().optional(),
    untrusted: z.literal(true),
  }),
  async run({ session_id, timeout_ms, max_bytes }, caller, call) {
    const target = await sessionToRead(caller, session_id);
    const { coordinator, session } = target;
    if (!caller.unread.has(session.id)) await outputSettles(target, timeout_ms, caller, call);
    const lost = await fetchUnread(caller, coordinator, session);
    const { text, leftBytes } = caller.unread.take(session.id, max_bytes);
    const { exitStatus, endedBy } = await coordinator.info(session);
    const isStripped = caller.options.termcp?.stripAnsi === true;
    const limited = endedBy !== undefined && isLimit(endedBy);
    if (limited) caller.sessions.reportEnd(session_id);
    return {
      output: isStripped ? sanitize(text).text : withoutCommands(text),
      more_bytes: leftBytes,
      ...(lost > 0 ? { lost_bytes: lost } : {}),
      ...exitAnswer(exitStatus),
      ...(limited ? { limit_exceeded: limitText(endedBy) } : {}),
      untrusted: true as const,
    };
  },
});

/** The program is checked after this much silence, in ms. It doubles from the first to the last value. */
const pauses = { firstMs: 100, lastMs: 1000 };

export const termcpTools: readonly Tool[] = [writeStdin, sendKeys, readOutput, resizeTerminal];

/**
 * Resolves when there is unread output and the program writes no more for now: it reads its terminal
 * or has exited. Silence alone is enough only if the system does not report whether a program reads,
 * because working programs pause too.
 */
async function outputSettles(
  { coordinator, session }: FoundSession,
  timeoutMs: number,
  caller: Caller,
  { signal }: Call,
): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  const since = caller.marks.of(session.id).readMark ?? startMark;
  const wait = { signal, tail: { maxLines: 0 } };
  const anything = { raw: true, match: ['(?s).'], since };
  let waited = await coordinator.wait(session, { ...wait, ...anything, timeoutMs });
  for (let quietMs = pauses.firstMs; ; quietMs = Math.min(2 * quietMs, pauses.lastMs)) {
    const restMs = endMs - performance.now();
    if (waited.outcome === 'timed_out' || waited.outcome === 'exited' || restMs <= 0) return;
    waited = await coordinator.wait(session, { ...wait, quietMs, timeoutMs: restMs });
    if (waited.outcome === 'idle' && !(await isWorking(coordinator, session))) return;
  }
}

async function isWorking(coordinator: Coordinator, session: SessionInfo): Promise<boolean> {
  const { state, evidence } = await coordinator.activity(session);
  return state !== 'exited' && evidence.readingTerminal === false;
}
