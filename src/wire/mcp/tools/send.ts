import * as z from 'zod/v4';
import {
  type Coordinator,
  type KeyPress,
  type PasteMode,
  type ReadMark,
  type SendOptions,
  type SendResult,
  type SessionRef,
  VtrError,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { readSession } from '../reading/read-session.ts';
import { acts, defineTool } from '../tool.ts';
import { type Waited, waitOrInputNeeded } from '../waiting/input-needed.ts';
import { reporting, waitingSince, waitRequestOf } from '../waiting/wait-for.ts';
import { readFields, sessionId } from './fields.ts';

const input = z.strictObject({
  session_id: sessionId,
  text: z.string().optional().describe('Typed as is; "\\n" at the end runs a line in a shell'),
  key: z
    .string()
    .optional()
    .describe(
      'up down left right home end pageup pagedown backspace delete insert tab enter escape f1-f12, or one character. Pressed after text',
    ),
  ctrl: z.boolean().optional(),
  alt: z.boolean().optional(),
  shift: z.boolean().optional(),
  bracketed_paste: z.union([z.enum(['auto', 'always', 'never']), z.boolean()]).optional(),
  read: z
    .strictObject(withoutDescriptions(readFields))
    .optional()
    .describe('Then read, with the fields of terminal__read'),
});

export const send = defineTool({
  name: 'terminal__send',
  title: 'Send input to terminal',
  description:
    'Type text or press a key, and read the result in the same call: read {view:"new", wait_for_prompt:true} after a command, {view:"screen", wait_idle_ms:200} in a TUI.',
  annotations: acts,
  isCore: true,
  input,
  output: z.object({
    sent: z.boolean(),
    pasted: z.boolean().optional().describe('Several lines were sent as one paste'),
    line_cut_at_bytes: z.int().optional().describe('The terminal truncated a long line'),
    read_result: z.looseObject({}).nullable().describe('As terminal__read returns'),
  }),
  async run({ session_id, read, ...args }, caller, call) {
    const coordinator = await caller.coordinatorOf(session_id);
    const session = await coordinator.info(session_id);
    const marks = caller.marks.of(session.id);
    const wait = read === undefined ? null : waitRequestOf(read, caller.options, call);
    const ref = { name: session.name, id: session.id };
    const sent = await reporting(call, sendAll(coordinator, ref, args, wait));
    marks.waitMark = sent.waited?.mark ?? sent.mark;
    const receipt = {
      sent: true,
      ...(sent.pasted ? { pasted: true } : {}),
      ...cutAnswer(sent.cutAtBytes),
    };
    if (read === undefined) return { ...receipt, read_result: null };
    const result = await readSession(coordinator, session, read, caller, sent.waited);
    return { ...receipt, read_result: result };
  },
});

const cutAnswer = (bytes: number | undefined) =>
  bytes === undefined ? {} : { line_cut_at_bytes: bytes };

interface Sent {
  /** Before the first input. */
  readonly mark: ReadMark;
  readonly waited: Waited | null;
  readonly cutAtBytes: number | undefined;
  readonly pasted: boolean;
}

type Typed = Omit<z.infer<typeof input>, 'session_id' | 'read'>;

/** Sends the text, then the key. The wait covers output from before the text on. */
async function sendAll(
  coordinator: Coordinator,
  session: SessionRef,
  { text, bracketed_paste, ...args }: Typed,
  request: WaitRequest | null,
): Promise<Sent> {
  const key = keyOf(args);
  if (text === undefined && key === null) {
    throw new VtrError('NO_INPUT', 'no input: give text or key');
  }
  const paste = pasteModeOf(bracketed_paste);
  const typed =
    text && key !== null ? await coordinator.sendText(session, text, { paste }) : undefined;
  const wait = request && typed ? waitingSince(request, typed.mark) : request;
  const { last, waited } = await sendLast(coordinator, session, wait, (options) =>
    key === null
      ? coordinator.sendText(session, text ?? '', { ...options, paste })
      : coordinator.sendKeys(session, [key], options),
  );
  const { mark, lineCutAtBytes: cutAtBytes, pasted = false } = typed ?? last;
  return { mark, waited, cutAtBytes, pasted };
}

/** Sends input. The wait is registered before the first byte is written. */
async function sendLast(
  coordinator: Coordinator,
  session: SessionRef,
  request: WaitRequest | null,
  send: (options: SendOptions) => Promise<SendResult>,
): Promise<{ readonly last: SendResult; readonly waited: Waited | null }> {
  if (request === null) return { last: await send({}), waited: null };
  let last: SendResult | undefined;
  const waited = await waitOrInputNeeded(coordinator, session, request, async (wait) => {
    last = await send({ wait });
    return last.wait as WaitResult;
  });
  return { last: last as SendResult, waited };
}

/** Without modifier fields a short form such as `ctrl+c` is accepted too. */
function keyOf({ key, ctrl = false, alt = false, shift = false }: Typed): string | KeyPress | null {
  if (key === undefined && (ctrl || alt || shift)) {
    throw new VtrError('INVALID_KEY', 'ctrl, alt and shift need a key; name it in key');
  }
  if (key === undefined) return null;
  return ctrl || alt || shift ? { key, ctrl, alt, shift } : key;
}

function pasteModeOf(mode: Typed['bracketed_paste'] = 'auto'): PasteMode {
  if (mode === true) return 'always';
  return mode === false ? 'never' : mode;
}

/** terminal__read lists the descriptions; repeating them would cost tokens. */
function withoutDescriptions<F extends Record<string, z.ZodType>>(fields: F): F {
  const bare = Object.entries(fields).map(([name, field]) => [name, field.describe('')]);
  return Object.fromEntries(bare) as F;
}
