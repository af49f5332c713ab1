import * as z from 'zod/v4';
import { defined, quoted } from '#base';
import {
  asVtrError,
  type Coordinator,
  type KeyPress,
  type MouseInput,
  type PasteMode,
  type ReadMark,
  type Sender,
  type SendMouseResult,
  type SendOptions,
  type SessionInfo,
  type SessionRef,
  type Size,
  VtrError,
  type WaitRequest,
} from '#model';
import { type Caller, sendKnowing } from '../caller.ts';
import { dimensions, readFields, sessionId, withoutDescriptions } from '../fields.ts';
import { noteTold } from '../reading/read-marks.ts';
import { readSession } from '../reading/read-session.ts';
import { withView } from '../reading/read-view.ts';
import {
  asWaited,
  reading,
  reporting,
  type WaitArguments,
  type Waited,
  waitFor,
  waitingSince,
  waitRequestOf,
  waitsForExitOnly,
} from '../reading/wait-for.ts';
import { acts, type Call, defineTool } from '../tool.ts';
import { resized } from './sessions.ts';

/**
 * Sent without text and keys; ctrl, alt and shift apply. A place is `row,col` from 0: as a list, it
 * would cost tokens.
 */
const mouseField = z.strictObject({
  click: z.string().optional().describe('Text, or "row,col" from 0'),
  drag: z.array(z.string()).optional(),
  scroll: z.enum(['up', 'down', 'left', 'right']).optional(),
  at: z.string().optional(),
  times: z.int().optional(),
  button: z.enum(['left', 'middle', 'right']).optional(),
});

const input = z.strictObject({
  session_id: sessionId,
  text: z.string().optional().describe('"\\n" presses enter'),
  key: z
    .string()
    .optional()
    .describe(
      'enter, escape, tab, up, home, pagedown, f1 ... or one character. Pressed after text',
    ),
  keys: z.array(z.string()).optional().describe('["ctrl+a", "down"]'),
  ctrl: z.boolean().optional(),
  alt: z.boolean().optional(),
  shift: z.boolean().optional(),
  mouse: mouseField.optional(),
  rows: z.int().optional().describe('Resize'),
  cols: z.int().optional(),
  submit: z.boolean().optional().describe('Prompt an idle agent: paste, enter, check'),
  answer: z.string().optional().describe('Choice in the menu shown'),
  question_id: z.string().optional(),
  bracketed_paste: z.union([z.enum(['auto', 'always', 'never']), z.boolean()]).optional(),
  read: z.strictObject(withoutDescriptions(readFields)).optional().describe('As terminal__read'),
});

export const send = defineTool({
  name: 'terminal__send',
  title: 'Send input',
  description:
    'Send input to a terminal session (pty, as tmux send-keys): type text, press keys, click, in an interactive program, TUI, REPL (python) or shell. Read the output in the same call: read {view:"new", wait_for_prompt:true} after a command, {view:"screen", wait_idle_ms:200} in a TUI.',
  annotations: acts,
  isCore: true,
  input,
  output: z.object({
    sent: z.boolean(),
    pasted: z.boolean().optional(),
    submitted: z.boolean().optional(),
    sent_as: z.record(z.string(), z.string()).optional(),
    line_cut_at_bytes: z.int().optional(),
    dimensions: dimensions.optional(),
    read_result: z.looseObject({}).nullable(),
  }),
  always: ['submitted', 'sent_as'],
  async run({ rows, cols, ...args }, caller, call) {
    const { sent, ...answer } =
      rows === undefined && cols === undefined
        ? await sendAndRead(args, caller, call)
        : await resizeAndSend(args, defined({ rows, cols }), caller, call);
    // What was read tells that the input was sent: else the call fails.
    return caller.isLean && answer.read_result !== null ? answer : { sent, ...answer };
  },
});

type Arguments = Omit<z.infer<typeof input>, 'rows' | 'cols'>;

async function sendAndRead(
  { session_id, read: limits, ...args }: Arguments,
  caller: Caller,
  call: Call,
) {
  // Before anything is sent.
  const viewed = limits && withView(limits);
  const coordinator = await caller.coordinatorOf(session_id);
  const read = viewed && (await withCondition(coordinator, session_id, viewed));
  const wait = read === undefined ? null : waitRequestOf(read, caller.options, call);
  const waitsToRead = wait !== null && read?.view === 'new';
  const waitsIn = (id: string): Waits | null =>
    wait && read
      ? { wait: reading(wait, read, caller.marks.of(id)), args: read as WaitArguments }
      : null;
  const send = (ref: SessionRef, id: string) =>
    sendKnowing(caller, id, (sender) =>
      sendAll(coordinator, ref, { ...args, sender }, waitsIn(id)),
    );
  const { session, answer } = await reporting(
    call,
    sendByName(coordinator, session_id, caller, waitsToRead, send),
  );
  const marks = caller.marks.of(session.id);
  if (answer.waited !== null) noteTold(marks, answer.waited);
  marks.turn = answer.turn ?? marks.turn;
  marks.waitMark = answer.waited?.mark ?? answer.mark;
  marks.commandMark = answer.waited?.command === undefined ? answer.mark : answer.waited.mark;
  const receipt = {
    sent: true,
    ...defined({
      pasted: answer.pasted || undefined,
      submitted: answer.submitted,
      sent_as: answer.sentAs,
    }),
    ...cutAnswer(answer.cutAtBytes),
  };
  if (read === undefined) return { ...receipt, read_result: null };
  const before = { waited: answer.waited, hasSent: true };
  const result = await readSession(coordinator, session, read, caller, before);
  return { ...receipt, read_result: result };
}

/**
 * Sends to a session whose id the client knows in one round trip with the question for it. It goes to the session that
 * has the name then: the id is only that by which the client knows the session's driver.
 *
 * @param waitsToRead whether the answer has the session, unless it is that of a daemon of an earlier version
 */
async function sendByName(
  coordinator: Coordinator,
  name: string,
  caller: Caller,
  waitsToRead: boolean,
  send: (ref: SessionRef, id: string) => Promise<Sent>,
): Promise<{ readonly session: SessionInfo; readonly answer: Sent }> {
  const idBefore = caller.marks.idOf(name);
  if (idBefore !== null) {
    const sending = send(name, idBefore).catch((error: unknown) => ({ error }));
    const asking = waitsToRead ? null : coordinator.info(name);
    const [info, answer] = await Promise.all([asking, sending]);
    const wait = 'error' in answer ? null : answer.waited;
    const session = info ?? wait?.session ?? (await coordinator.info(name));
    const isKnown = caller.marks.noteId(name, session.id) === idBefore;
    if (!('error' in answer)) return { session, answer };
    // Nothing was typed if another session has the name, and its driver is none that the client knows.
    if (isKnown || asVtrError(answer.error).code !== 'NOT_DRIVER') throw answer.error;
  }
  const session = await coordinator.info(name);
  caller.marks.noteId(name, session.id);
  const ref = { name: session.name, id: session.id };
  return { session, answer: await send(ref, session.id) };
}

/** Resizes first, so that the program draws its answer to the input in the new size. Needs no input. */
async function resizeAndSend(args: Arguments, size: Partial<Size>, caller: Caller, call: Call) {
  const { session_id, read, ...input } = args;
  const viewed = read && withView(read);
  const coordinator = await caller.coordinatorOf(session_id);
  const session = await coordinator.info(session_id);
  const dimensions = await resized(coordinator, session, size, caller);
  if (Object.keys(input).length > 0)
    return { ...(await sendAndRead(args, caller, call)), dimensions };
  if (viewed === undefined) return { sent: true, dimensions, read_result: null };
  const waited = await waitFor(coordinator, session, viewed, caller, call);
  const before = { waited, hasSent: false };
  const result = await readSession(
    coordinator,
    { ...session, size: dimensions },
    viewed,
    caller,
    before,
  );
  return { sent: true, dimensions, read_result: result };
}

/** A wait without a condition ends when the program exits. At a shell's prompt, it waits for the command instead. */
async function withCondition<Asked extends WaitArguments>(
  coordinator: Coordinator,
  session: SessionRef,
  request: Asked,
): Promise<Asked> {
  if (!waitsForExitOnly(request)) return request;
  const { evidence } = await coordinator.activity(session);
  const isAtPrompt = evidence.shellMark === 'prompt' && evidence.leaderInForeground !== false;
  return isAtPrompt ? { ...request, wait_for_command: true } : request;
}

const cutAnswer = (bytes: number | undefined) =>
  bytes === undefined ? {} : { line_cut_at_bytes: bytes };

interface Sent {
  /** Before the first input. */
  readonly mark: ReadMark;
  readonly waited: Waited | null;
  readonly cutAtBytes: number | undefined;
  readonly pasted: boolean;
  readonly submitted?: boolean;
  readonly turn?: number;
  readonly sentAs?: Readonly<Record<string, string>>;
  readonly driverEpoch?: number;
}

type Typed = Omit<Arguments, 'session_id' | 'read'>;
type Sendable = Typed & { readonly sender: Sender };

interface Waits {
  readonly wait: WaitRequest;
  readonly args: WaitArguments;
}

/**
 * Returns a text with CR, which the Enter key sends, in place of each line end. Programs that read the terminal raw
 * take LF for another key; in canonical mode the terminal makes LF of CR.
 */
export const typedText = (text: string): string => text.replace(/\r?\n/g, '\r');

/** Sends the text, then the keys. The wait covers output from before the text on. */
async function sendAll(
  coordinator: Coordinator,
  session: SessionRef,
  { text: value, bracketed_paste, submit = false, answer, question_id, sender, ...args }: Sendable,
  waits: Waits | null,
): Promise<Sent> {
  if (answer !== undefined) {
    if (value !== undefined || submit || args.mouse !== undefined || keysOf(args).length > 0) {
      throw new VtrError('INVALID_ARGUMENT', 'answer is sent alone, and confirms');
    }
    return sendAnswer(coordinator, session, answer, { question_id, sender }, waits);
  }
  // An agent takes a line end in a prompt for text.
  const text = submit || value === undefined ? value : typedText(value);
  const { mouse } = args;
  if (mouse !== undefined)
    return sendMouseAlone(coordinator, session, { text, sender, ...args }, waits);
  const keys = keysOf(args);
  if ((text ?? '') === '' && keys.length === 0) {
    const message = 'no input: give text, key, keys or mouse; terminal__read reads without input';
    throw new VtrError('NO_INPUT', message);
  }
  if (submit && (keys.length > 0 || text === undefined)) {
    throw new VtrError('INVALID_ARGUMENT', 'submit needs text, and presses enter: give no key');
  }
  const paste = pasteModeOf(bracketed_paste);
  const hasBoth = text !== undefined && text !== '' && keys.length > 0;
  const typed = hasBoth
    ? await coordinator.sendText(session, text, { paste, ...sender })
    : undefined;
  const wait = waits && (typed ? waitingSince(waits.wait, typed.mark) : waits.wait);
  const options = wait === null ? sender : { ...sender, wait };
  const last =
    keys.length === 0
      ? await coordinator.sendText(session, text ?? '', {
          ...options,
          paste,
          ...defined({ submit: submit || undefined }),
        })
      : await coordinator.sendKeys(session, keys, options);
  const { mark, lineCutAtBytes: cutAtBytes, pasted = false, driverEpoch } = typed ?? last;
  const waited = waits && last.wait ? asWaited(last.wait, waits.args, waits.wait) : null;
  // A coordinator of an earlier version does not tell.
  const submitted = submit && {
    submitted: last.submitted === true,
    ...defined({ turn: last.turn }),
  };
  const epoch = driverEpoch !== undefined && { driverEpoch };
  const { sentAs } = last;
  return { mark, waited, cutAtBytes, pasted, ...submitted, ...defined({ sentAs }), ...epoch };
}

/** @throws VtrError as `answer` of `Coordinator.sendText` */
async function sendAnswer(
  coordinator: Coordinator,
  session: SessionRef,
  answer: string,
  { question_id: question, sender }: Pick<Sendable, 'question_id' | 'sender'>,
  waits: Waits | null,
): Promise<Sent> {
  const wait = defined({ wait: waits?.wait });
  const options = { ...sender, answer: true, ...defined({ question }), ...wait };
  const result = await coordinator.sendText(session, answer, options);
  const waited = waits && result.wait ? asWaited(result.wait, waits.args, waits.wait) : null;
  const { mark, driverEpoch } = result;
  return {
    mark,
    waited,
    cutAtBytes: undefined,
    pasted: false,
    ...defined({ driverEpoch }),
  };
}

/** @throws VtrError INVALID_ARGUMENT if there is other input too */
async function sendMouseAlone(
  coordinator: Coordinator,
  session: SessionRef,
  { mouse = {}, text, key, keys, sender, ctrl = false, alt = false, shift = false }: Sendable,
  waits: Waits | null,
): Promise<Sent> {
  if (text !== undefined || key !== undefined || keys !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', 'send the mouse without text and keys, in its own call');
  }
  const options = { ...sender, ...defined({ wait: waits?.wait }) };
  const result = await sendMouse(coordinator, session, mouse, { ctrl, alt, shift }, options);
  const waited = waits && result.wait ? asWaited(result.wait, waits.args, waits.wait) : null;
  const { mark, driverEpoch } = result;
  return {
    mark,
    waited,
    cutAtBytes: undefined,
    pasted: false,
    ...defined({ driverEpoch }),
  };
}

/** Without modifier fields a short form such as `ctrl+c` is accepted too. */
function keysOf({ key, keys = [], ctrl = false, alt = false, shift = false }: Typed) {
  if (key === undefined && (ctrl || alt || shift)) {
    throw new VtrError('INVALID_KEY', 'ctrl, alt and shift need a key; name it in key');
  }
  if (key === undefined) return keys;
  const press: string | KeyPress = ctrl || alt || shift ? { key, ctrl, alt, shift } : key;
  return [press, ...keys];
}

function pasteModeOf(mode: Typed['bracketed_paste'] = 'auto'): PasteMode {
  if (mode === true) return 'always';
  return mode === false ? 'never' : mode;
}

type MouseField = z.infer<typeof mouseField>;
type Held = Pick<MouseInput, 'ctrl' | 'alt' | 'shift'>;

/**
 * Sends what the field asks for.
 *
 * @throws VtrError INVALID_ARGUMENT if nothing was sent
 */
async function sendMouse(
  coordinator: Coordinator,
  session: SessionRef,
  field: MouseField,
  modifiers: Held,
  options: SendOptions,
): Promise<SendMouseResult> {
  const actions = [field.click, field.drag, field.scroll].filter((each) => each !== undefined);
  if (actions.length !== 1) throw wrong('mouse needs one of click, drag and scroll');
  if (field.at !== undefined && !field.scroll) throw wrong('at is for scroll; give click a place');
  if (field.drag !== undefined && field.drag.length < 2) throw wrong('drag needs two places');
  const { times = 1 } = field;
  if (times < 1 || times > maxTimes) throw wrong(`times is 1 to ${maxTimes}`);
  const target = field.click ?? field.at;
  const isText = target !== undefined && cellOf(target) === null;
  const on = isText ? { on: literalPattern(target) } : {};
  const cells =
    field.drag ?? (isText ? [anywhere] : [target ?? (await middleOf(coordinator, session))]);
  const places = cells.map((each) => ({ ...placeOf(each), ...modifiers }));
  const result = await coordinator.sendMouse(session, eventsOf(field, places), {
    ...options,
    ...on,
  });
  if (result.ignored) throw unsent(result, target ?? '');
  return result;
}

const maxTimes = 100;

/** Events on a text do not use the place. */
const anywhere = '0,0';

async function middleOf(coordinator: Coordinator, session: SessionRef): Promise<string> {
  const { rows, cols } = (await coordinator.info(session)).size;
  return `${Math.floor(rows / 2)},${Math.floor(cols / 2)}`;
}

/** Null for a text. */
function cellOf(word: string): Pick<MouseInput, 'row' | 'col'> | null {
  const [, row, col] = /^\s*(\d+)\s*,\s*(\d+)\s*$/.exec(word) ?? [];
  return row === undefined ? null : { row: Number(row), col: Number(col) };
}

/** @throws VtrError INVALID_ARGUMENT */
function placeOf(word: string): Pick<MouseInput, 'row' | 'col'> {
  const place = cellOf(word);
  if (place !== null) return place;
  throw wrong(`${quoted(word)} is not a place; use "row,col", both from 0`);
}

type Place = Pick<MouseInput, 'row' | 'col'> & Held;

const wheel = {
  up: 'scrollUp',
  down: 'scrollDown',
  left: 'scrollLeft',
  right: 'scrollRight',
} as const;

function eventsOf(
  { scroll, button = 'left', times = 1 }: MouseField,
  places: readonly Place[],
): MouseInput[] {
  const [first, last] = [places[0] as Place, places.at(-1) as Place];
  const once: MouseInput[] =
    scroll === undefined
      ? [
          { action: 'press', button, ...first },
          ...places.slice(1).map((each): MouseInput => ({ action: 'move', button, ...each })),
          { action: 'release', button, ...last },
        ]
      : [{ action: wheel[scroll], ...first }];
  return Array.from({ length: times }, () => once).flat();
}

/** Returns an expression that matches the text itself. */
const literalPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const wrong = (message: string) => new VtrError('INVALID_ARGUMENT', message);

/** The most places that are listed. */
const maxPlaces = 10;

function unsent({ matches }: SendMouseResult, text: string): VtrError {
  if (matches === undefined || matches.length === 1) {
    return wrong(
      'not sent: the program has not requested these events of the mouse; press keys instead',
    );
  }
  if (matches.length === 0) {
    return wrong(`not sent: the screen does not show ${quoted(text)} in one row`);
  }
  const places = matches.slice(0, maxPlaces).map(({ row, col }) => `"${row},${col}"`);
  const rest = matches.length > maxPlaces ? ', ...' : '';
  return wrong(
    `not sent: the screen shows ${quoted(text)} ${matches.length} times: at ` +
      `${places.join(', ')}${rest}; give one of these places, or a longer text`,
  );
}
