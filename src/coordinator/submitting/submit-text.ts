import { type Clock, defined } from '#base';
import {
  type InputReceipt,
  menuText,
  type ObservedInput,
  type SendTextOptions,
  VtrError,
} from '#model';
import { type Session, TextPlace } from '#session';
import { shownQuestion } from '#watch';
import { menuShown, type PromptedAgent, shownDraft, untilReady } from './agent-ready.ts';
import { arrivedInPart, checkPieces, leftIn, pieceBytes, typedPrompt } from './prompt-text.ts';
import { untilShown } from './until-shown.ts';

/**
 * How long a program has to take the text after each Enter, in ms. It may take it late on a busy machine, and then asks
 * something by itself, which another Enter would answer.
 */
const proofMs = 5_000;
/** A program has this time to draw the last piece of a text, in ms. */
const drawnMs = 2_000;
/** A composer has this time to become empty when the text has gone, in ms. */
const clearedMs = 1_000;
/** A proof must hold for this time, in ms: a program may erase its screen before it paints it again. */
const holdMs = 150;

type SubmitOptions = SendTextOptions & ObservedInput;

/** The submissions with ids of which a session knows the result. */
const maxResults = 64;

const results = new WeakMap<Session, Map<string, Promise<InputReceipt>>>();

/** Implements `submit` of `Coordinator.sendText`. A repeat with the id of an earlier call has the result of that call. */
export function submitText(
  session: Session,
  text: string,
  options: SubmitOptions,
  clock: Clock,
  agent: PromptedAgent,
): Promise<InputReceipt> {
  const { inputId } = options;
  if (inputId === undefined) return submitOnce(session, text, options, clock, agent);
  const receipts = results.get(session) ?? new Map<string, Promise<InputReceipt>>();
  results.set(session, receipts);
  // The id with another text is refused where the text is sent.
  const key = JSON.stringify([inputId, text]);
  const first = receipts.get(key);
  if (first !== undefined) return first;
  const result = submitOnce(session, text, options, clock, agent);
  receipts.set(key, result);
  for (const oldest of receipts.keys()) if (receipts.size > maxResults) receipts.delete(oldest);
  result.catch(() => receipts.delete(key));
  return result;
}

/**
 * Pastes the text, presses Enter when the program has read it, and tells whether the program took it. If the text stays
 * where it was typed, it presses Enter once more. An agent that needs it gets a long text in pieces, and no Enter if it
 * shows that a part is missing.
 *
 * @throws VtrError `MENU_SHOWN`, and nothing is typed: a dialog drops the text, and Enter chooses its selected option;
 * `AGENT_NOT_IDLE`, `DRAFT_SHOWN`, `INVALID_ARGUMENT` for control characters and `INPUT_TOO_LARGE` for a very long text
 * without brackets, and nothing is typed
 */
async function submitOnce(
  session: Session,
  text: string,
  options: SubmitOptions,
  clock: Clock,
  agent: PromptedAgent,
): Promise<InputReceipt> {
  const { inputId, wait: _, paste: __, submit: ___, draft, queue = false, ...how } = options;
  const idOf = (part: string): { inputId?: string } =>
    inputId === undefined ? {} : { inputId: `${inputId}:${part}` };
  const { view } = session;
  // A repeat has typed the text.
  if (!session.knowsInput(inputId)) await untilReady(session, agent, { queue, draft, how, clock });
  const before = agent.info();
  const line = typedPrompt(text, before !== null);
  const activity = await session.activity();
  // A terminal in canonical mode passes the line on with Enter, whatever is shown: it can be the answer to a menu.
  const isCanonical = activity.evidence.canonical === true;
  const menu = isCanonical ? null : (shownQuestion(activity, view)?.menu ?? null);
  // Both are of an earlier daemon, whose result is not known.
  const isTyped = session.knowsInput(inputId);
  const isEntered = session.knowsInput(idOf('enter').inputId);
  if (menu !== null && !isTyped) throw menuShown(menuText(menu));
  // In a repeat, the menu has come after the text.
  const needsProof = !isCanonical && menu === null;
  const rowsBefore = view.screenRows();
  const { bracketedPaste } = session;
  if (!bracketedPaste && !isTyped) checkNoKeys(line);
  const isLong = Buffer.byteLength(line) > pieceBytes;
  const hasPieces = isLong && !bracketedPaste && !isCanonical && agent.takesPieces();
  if (hasPieces && !isTyped) checkPieces(line);
  // Without brackets, CR would submit the first line alone.
  const typing = session.sendText(line, {
    ...how,
    paste: bracketedPaste ? 'supported' : 'never',
    ...(hasPieces && { pieceBytes }),
    ...defined({ inputId }),
  });
  let typedDraft = '';
  const press = (part: string) => {
    let place = placeOf(session, line, rowsBefore);
    const onAccepted = () => {
      place = placeOf(session, line, rowsBefore);
      typedDraft = shownDraft(session);
    };
    const pressing = session.sendKeys(['enter'], {
      ...how,
      ...idOf(part),
      onAccepted,
      entersApart: !isCanonical,
    });
    return pressing.then(() => !needsProof || isTaken(session, place, clock));
  };
  if (hasPieces) {
    const receipt = await typing;
    const isWhole = () => !arrivedInPart(line, rowsBefore, view.screenRows());
    const arrived = await untilShown(session, clock, isWhole, drawnMs);
    if (!arrived) return { ...receipt, submitted: false };
  }
  // In one turn, so that no other input is between them.
  const [receipt, taken] = await Promise.all([typing, press('enter')]);
  const first = typedDraft;
  const left = () => (before === null ? null : leftIn(shownDraft(session), line, first));
  if (needsProof) await untilShown(session, clock, () => left() === null, clearedMs);
  // An Enter that has chosen a completion has changed the text: another one would submit that.
  if (needsProof && left() === 'changed') return { ...receipt, submitted: false };
  const isDone = taken && (!needsProof || left() === null);
  const submitted = isDone || (!isEntered && (await press('again')) && left() !== 'stand-in');
  if (submitted) agent.onPrompt(before);
  return { ...receipt, submitted, ...(submitted && before !== null && { turn: before.turn + 1 }) };
}

/** Control characters but tabs and line ends. */
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/** Outside of the brackets of a paste, a control character in a text is a key: Escape and ctrl+c end work. */
function checkNoKeys(text: string): void {
  const at = text.search(controls);
  if (at === -1) return;
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  const message = `the text has U+${code} at character ${at}, and the program takes no pastes: it would be a key; remove it`;
  throw new VtrError('INVALID_ARGUMENT', message);
}

/** What a session looks like right before an Enter. */
interface BeforeEnter {
  readonly place: TextPlace;
  readonly signs: string;
}

const placeOf = (session: Session, text: string, before: readonly string[]): BeforeEnter => ({
  place: new TextPlace(text, before, session.view.screenRows()),
  signs: signsOf(session),
});

/** What changes when a line editor or a full-screen program passes on or comes up, or a shell begins a command. */
function signsOf({ view }: Session): string {
  const { bracketedPaste, alternateScreen, kittyFlags } = view.terminal.viewModes;
  const { running, prompt } = view.commands;
  const title = view.terminal.title.replace(/[^\p{L}]+/gu, ' ');
  const shell = [running?.number, prompt?.offset];
  return JSON.stringify([bracketedPaste, alternateScreen, kittyFlags, title, shell]);
}

/** Waits for the proof that the program has taken the text. */
function isTaken(session: Session, { place, signs }: BeforeEnter, clock: Clock): Promise<boolean> {
  const { view } = session;
  const isProved = () => {
    if (view.exitStatus !== null || signsOf(session) !== signs) return true;
    const rows = view.screenRows();
    return place.hasMoved(rows) && !place.isIn(rows);
  };
  return new Promise((resolve) => {
    let holding = clock.schedule(0, check);
    let isHolding = false;
    const deadline = clock.schedule(proofMs, () => end(false));
    const events = view.onEvent(check);
    function end(isTrue: boolean) {
      for (const each of [holding, deadline, events]) each.dispose();
      resolve(isTrue);
    }
    function check() {
      const isTrue = isProved();
      if (isTrue === isHolding) return;
      isHolding = isTrue;
      holding.dispose();
      if (isTrue) holding = clock.schedule(holdMs, () => end(isProved()));
    }
  });
}
