import * as z from 'zod/v4';
import { sanitize } from '#base';
import { type Coordinator, type SessionInfo, startMark } from '#model';
import type { Caller } from '../caller.ts';
import { exitAnswer } from '../session-answer.ts';
import { acts, type Call, changes, defineTool, looks, type Tool } from '../tool.ts';
import { withoutCommands, withoutSequences } from './strip-sequences.ts';
import { termcpSession } from './termcp-session.ts';

const sessionId = z
  .string()
  .describe("'default' for the main session, or another name for another terminal");

const sent = z.object({ sent: z.boolean(), session_id: z.string() });

const writeStdin = defineTool({
  name: 'write_stdin',
  title: 'Write to terminal',
  description:
    "Write text to the terminal's stdin: commands or input for the running program. Add \\n to execute a command.",
  annotations: acts,
  isCore: true,
  input: z.strictObject({ session_id: sessionId, text: z.string() }),
  output: sent,
  async run({ session_id, text }, caller) {
    const { coordinator, session } = await termcpSession(caller, session_id);
    await coordinator.sendText(session, text);
    return { sent: true, session_id };
  },
});

const keys = {
  ...{ ctrl_c: 'ctrl+c', ctrl_d: 'ctrl+d', ctrl_z: 'ctrl+z', ctrl_l: 'ctrl+l' },
  ...{ enter: 'enter', tab: 'tab', escape: 'escape' },
  ...{ up: 'up', down: 'down', left: 'left', right: 'right' },
  ...{ home: 'home', end: 'end', pageup: 'pageup', pagedown: 'pagedown' },
  ...{ f1: 'f1', f2: 'f2', f3: 'f3', f4: 'f4', f5: 'f5', f6: 'f6' },
  ...{ f7: 'f7', f8: 'f8', f9: 'f9', f10: 'f10', f11: 'f11', f12: 'f12' },
} as const;

const keyNames = Object.keys(keys) as (keyof typeof keys)[];

const sendKeys = defineTool({
  name: 'send_keys',
  title: 'Press a key',
  description: 'Press a special key: interrupt with ctrl_c, navigate with arrow keys.',
  annotations: acts,
  isCore: true,
  input: z.strictObject({ session_id: sessionId, key: z.enum(keyNames) }),
  output: sent,
  async run({ session_id, key }, caller) {
    const { coordinator, session } = await termcpSession(caller, session_id);
    await coordinator.sendKeys(session, [keys[key]]);
    return { sent: true, session_id };
  },
});

const readOutput = defineTool({
  name: 'read_output',
  title: 'Read output',
  description:
    'All output since the last read, as the program wrote it. Returns once output has come and paused, or after timeout_ms.',
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
    untrusted: z.literal(true),
  }),
  async run({ session_id, timeout_ms, max_bytes }, caller, call) {
    const { coordinator, session } = await termcpSession(caller, session_id);
    if (!caller.unread.has(session.id)) {
      await outputComes(coordinator, session, timeout_ms, caller, call);
    }
    const lost = await fetchUnread(coordinator, session, caller);
    const { text, leftBytes } = caller.unread.take(session.id, max_bytes);
    const { exitStatus } = await coordinator.info(session);
    const strips = caller.options.termcp?.stripAnsi === true;
    return {
      output: strips ? sanitize(withoutSequences(text)).text : withoutCommands(text),
      more_bytes: leftBytes,
      ...(lost > 0 ? { lost_bytes: lost } : {}),
      ...exitAnswer(exitStatus),
      untrusted: true as const,
    };
  },
});

/** Output that pauses for so long, in ms, is what a person would read now. */
const pauseMs = 100;

async function outputComes(
  coordinator: Coordinator,
  session: SessionInfo,
  timeoutMs: number,
  caller: Caller,
  { signal }: Call,
): Promise<void> {
  if (timeoutMs === 0) return;
  const mark = caller.places.of(session.id).readMark ?? startMark;
  const wait = { signal, tail: { maxLines: 0 } };
  const anything = { raw: true, match: ['(?s).'], since: mark };
  const first = await coordinator.wait(session, { ...wait, ...anything, timeoutMs });
  const leftMs = timeoutMs - first.elapsedMs;
  if (first.outcome !== 'matched' || leftMs <= 0) return;
  await coordinator.wait(session, { ...wait, quietMs: pauseMs, timeoutMs: leftMs });
}

/** @returns how many bytes were gone before they were read */
async function fetchUnread(
  coordinator: Coordinator,
  session: SessionInfo,
  caller: Caller,
): Promise<number> {
  const place = caller.places.of(session.id);
  const since = place.readMark ?? startMark;
  const { raw, mark, gap } = await coordinator.read(session, { since, format: 'raw' });
  place.readMark = mark;
  if (raw !== undefined) caller.unread.add(session.id, raw.bytes);
  return gap.bytes;
}

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
    const { coordinator, session } = await termcpSession(caller, session_id);
    await coordinator.resize(session, { rows, cols });
    return { session_id, rows, cols };
  },
});

export const termcpTools: readonly Tool[] = [writeStdin, sendKeys, readOutput, resizeTerminal];
