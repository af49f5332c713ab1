import { sceneOf } from '#agents';
import { type Clock, quoted } from '#base';
import {
  type InputReceipt,
  type Menu,
  menuText,
  type ObservedInput,
  type SendTextOptions,
  VtrError,
} from '#model';
import type { Session } from '#session';
import { questionAsked, questionOnScreen, type ShownQuestion, shownQuestion } from '#watch';
import type { PromptedAgent } from './agent-ready.ts';
import { type Choice, choicesOf, keyOf } from './choices.ts';
import { screenOf, untilShown } from './until-shown.ts';

type AnswerOptions = SendTextOptions & ObservedInput;

/** How long a program has to move its pointer after a key, in ms. */
const moveMs = 1_500;
/** How long it has to take the answer, in ms. */
const proofMs = 5_000;
/** How long a menu may be away while it is painted again, in ms. */
const paintMs = 500;
/** A key may be an answer by itself: the question has this time to go, in ms. */
const keyMs = 600;
/** The proof must hold for this time, in ms: a program may erase its screen before it paints it again. */
const holdMs = 150;

/** Implements `answer` of `Coordinator.sendText`. */
export async function answerQuestion(
  session: Session,
  text: string,
  options: AnswerOptions,
  clock: Clock,
  agent: PromptedAgent,
): Promise<InputReceipt> {
  const { inputId, wait: _, paste: __, answer: ___, question: id, ...how } = options;
  const confirmId = inputId === undefined ? {} : { inputId: `${inputId}:confirm` };
  // A repeat whose first call has answered.
  if (session.knowsInput(confirmId.inputId)) return { answered: text };
  const question = await questionNow(session, agent);
  if (question === null) throw noQuestion();
  if (id !== undefined && id !== question.id) throw changed(question);
  const answering = new Answering(session, question, { how, confirmId, clock });
  const answered = await answering.answer(text);
  return { answered };
}

/** Returns the question that a session shows; null if it shows none. */
async function questionNow(session: Session, agent: PromptedAgent): Promise<ShownQuestion | null> {
  // What an agent asks without choices on the screen is not answered blindly.
  if (agent.info() !== null) return sceneOf(screenOf(session)).question;
  const { view } = session;
  const activity = await session.activity();
  const shown = shownQuestion(activity, view);
  if (shown !== null) return shown;
  const { shellMark, leaderInForeground } = activity.evidence;
  if (shellMark === 'prompt' && leaderInForeground !== false) return null;
  const condition = questionAsked(activity, Number.POSITIVE_INFINITY, view);
  if (condition === null) return null;
  const { question = '', questionId: id = '' } = condition;
  return { question, menu: null, by: 'text', id };
}

interface AnsweringOptions {
  readonly how: ObservedInput;
  /** The input id of the key that confirms. */
  readonly confirmId: { readonly inputId?: string };
  readonly clock: Clock;
}

/** Answers one question. */
class Answering {
  readonly #session: Session;
  readonly #question: ShownQuestion;
  readonly #options: AnsweringOptions;

  constructor(session: Session, question: ShownQuestion, options: AnsweringOptions) {
    this.#session = session;
    this.#question = question;
    this.#options = options;
  }

  /** @returns what was chosen or typed. @throws VtrError INVALID_ARGUMENT, QUESTION_CHANGED, ANSWER_NOT_TAKEN */
  async answer(text: string): Promise<string> {
    const { menu, by } = this.#question;
    if (menu === null) {
      await (by === 'key' ? this.#press(text) : this.#type(text));
      return text;
    }
    const chosen = choicesOf(menu, text, by === 'filter');
    if (chosen === null) {
      await this.#filter(text);
      return text;
    }
    await this.#choose(chosen);
    return chosen.map(({ name }) => name).join(', ');
  }

  async #choose(chosen: readonly Choice[]): Promise<void> {
    const { menu, by } = this.#question;
    const [choice] = chosen;
    if (choice === undefined || menu === null) return;
    const isByKey = by === 'keys' || menu.selected === null || choice.isByKey;
    if (choice.key !== null && isByKey) {
      await this.#confirm([choice.key]);
    } else if (by === 'number' || (menu.selected === null && choice.number !== null)) {
      await this.#type(String(choice.number ?? choice.index + 1));
    } else if (menu.multiple || choice.box !== null) {
      await this.#mark(chosen);
    } else {
      const isAtChoice = await this.#pointsTo(choice);
      // Some programs draw a pointer and read one key: the number of a choice.
      if (!isAtChoice && choice.number !== null && choice.number < 10) {
        await this.#pressNumber(String(choice.number));
        return;
      }
      if (!isAtChoice) throw this.#unmoved();
      // In a list with one mark, a key sets it before the button is pressed.
      if (menu.checked !== undefined && !menu.checked.includes(choice.index)) {
        await this.#toggle(choice.index);
      }
      await this.#confirm(['enter']);
    }
  }

  /** Presses the key of a choice. Such a program leaves its choices on the screen, and goes on below them. */
  async #pressNumber(key: string): Promise<void> {
    const { how, confirmId } = this.#options;
    const { view } = this.#session;
    if (this.#shown() === null) throw this.#gone();
    const { outputEnd } = view;
    await this.#session.sendKeys([key], { ...how, ...confirmId });
    const isTaken = () => this.#isGone() || this.#goesOn(outputEnd, key);
    if (await this.#lasts(isTaken, proofMs)) return;
    throw this.#notTaken('it is still shown');
  }

  /** Marks the choices, and no others, and confirms. */
  async #mark(chosen: readonly Choice[]): Promise<void> {
    const { by } = this.#question;
    const menu = await this.#menu();
    const indexes = new Set(chosen.map(({ index }) => index));
    if (by === 'filter' && indexes.size === 1 && (menu.checked ?? []).length === 0) {
      await this.#pointTo(chosen[0] as Choice);
      await this.#confirm(['enter']);
      return;
    }
    const boxes = choicesOf(menu, null, false) ?? [];
    for (const choice of boxes) {
      const isMarked = marked(await this.#menu(), choice.index);
      if (choice.isButton || isMarked === indexes.has(choice.index)) continue;
      await this.#pointTo(choice);
      await this.#toggle(choice.index);
    }
    const button = boxes.find(({ isButton }) => isButton);
    if (button !== undefined) await this.#pointTo(button);
    await this.#confirm(['enter']);
  }

  /** Marks the choice at the pointer, or takes the mark away. */
  async #toggle(index: number): Promise<void> {
    const before = marked(await this.#menu(), index);
    const isToggled = () => this.#isMarked(index) === !before;
    for (const key of this.#question.by === 'filter' ? ['tab'] : ['space', 'enter']) {
      await this.#keys([key]);
      if (await this.#until(isToggled, moveMs)) return;
    }
    throw this.#notTaken(`the choice ${index + 1} cannot be marked`);
  }

  /** Moves the pointer to a choice. @throws VtrError ANSWER_NOT_TAKEN */
  async #pointTo(choice: Choice): Promise<void> {
    if (!(await this.#pointsTo(choice))) throw this.#unmoved();
  }

  /** Moves the pointer to a choice. @returns false if it does not move */
  async #pointsTo({ name }: Choice): Promise<boolean> {
    const { by } = this.#question;
    const others =
      by === 'row'
        ? [
            ['right', 'left'],
            ['tab', 'shift+tab'],
          ]
        : [['down', 'up']];
    let [ways = ['down', 'up'], ...more] = others;
    const most = 2 * (await this.#menu()).options.length + 4;
    for (let moves = 0; moves < most; moves++) {
      // A part of the menu may be painted already.
      await this.#until(() => this.#indexOf(name) !== undefined, paintMs);
      const menu = await this.#menu();
      const at = this.#indexOf(name);
      if (at === undefined) throw this.#gone();
      if (menu.selected === at) return true;
      const [forward = 'down', back = 'up'] = ways;
      const isBefore = menu.selected === null || menu.selected < at;
      await this.#keys([isBefore ? forward : back]);
      const before = JSON.stringify([menu.selected, menu.options]);
      const hasMoved = () => {
        const now = this.#shown()?.menu;
        return now != null && JSON.stringify([now.selected, now.options]) !== before;
      };
      if (await this.#until(hasMoved, moveMs)) continue;
      const next = more.shift();
      if (next === undefined) break;
      ways = next;
    }
    return false;
  }

  /** Returns the place of a choice as it is shown now; undefined if it is not shown. */
  #indexOf(name: string): number | undefined {
    const menu = this.#shown()?.menu;
    return menu == null
      ? undefined
      : choicesOf(menu, null, false)?.find((each) => each.name === name)?.index;
  }

  /** Types a text that leaves one choice of a list. */
  async #filter(text: string): Promise<void> {
    await this.#session.sendText(text, this.#options.how);
    const needle = text.toLowerCase();
    const selected = () => {
      const menu = this.#shown()?.menu;
      return menu?.options[menu.selected ?? -1] ?? '';
    };
    const isFound = () => selected().toLowerCase().includes(needle);
    if (!(await this.#until(isFound, moveMs))) {
      throw this.#notTaken(`the list has no choice ${quoted(text)}; it was typed`);
    }
    await this.#confirm(['enter']);
  }

  /** Types a text and Enter. */
  async #type(text: string): Promise<void> {
    const { how, confirmId } = this.#options;
    const { view } = this.#session;
    const { evidence } = await this.#session.activity();
    if (evidence.canonical === true) {
      await this.#session.sendText(`${text}\r`, { ...how, ...confirmId });
      return;
    }
    const { outputEnd } = view;
    await this.#session.sendText(text, { ...how, paste: 'supported' });
    const isKey = [...text].length === 1 && this.#shown() === null;
    if (isKey && (await this.#isTakenAlone(text, outputEnd))) return;
    const isEchoed = () => view.screenRows().some((row) => row.includes(text));
    if (!isKey) await this.#until(isEchoed, keyMs);
    await this.#confirm(['enter']);
  }

  /** Whether a program that reads one key has its answer: another Enter would be for what it asks or runs next. */
  async #isTakenAlone(key: string, outputEnd: number): Promise<boolean> {
    if (await this.#lasts(() => this.#goesOn(outputEnd, key), keyMs)) return true;
    return (await this.#session.activity()).evidence.readingTerminal === false;
  }

  /** Whether the program has printed something since, and not only echoed the key. */
  #goesOn(since: number, key: string): boolean {
    const { view } = this.#session;
    return view.outputEnd > since && !view.textBeforeCursor().trimEnd().endsWith(key);
  }

  /** Presses the key that a question names, and Enter if that is needed. */
  async #press(text: string): Promise<void> {
    const { evidence } = await this.#session.activity();
    if (evidence.canonical === true) return this.#type(text);
    const isWord = /^(?:yes|no)$/iu.test(text) && /y\/n/iu.test(this.#question.question);
    const key = keyOf(isWord ? text.slice(0, 1) : text);
    if (key === null) return this.#type(text);
    const { how, confirmId } = this.#options;
    await this.#session.sendKeys([key], { ...how, ...confirmId });
    if (await this.#until(() => this.#isGone(), keyMs)) return;
    await this.#keys(['enter']);
    await this.#prove();
  }

  async #confirm(keys: readonly string[]): Promise<void> {
    const { how, confirmId } = this.#options;
    if (this.#question.menu !== null && this.#shown() === null) throw this.#gone();
    await this.#session.sendKeys(keys, { ...how, ...confirmId });
    await this.#prove();
  }

  /** @throws VtrError ANSWER_NOT_TAKEN */
  async #prove(): Promise<void> {
    if (await this.#lasts(() => this.#isGone(), proofMs)) return;
    if (this.#session.view.exitStatus !== null) return;
    throw this.#notTaken('it is still shown');
  }

  /** The question as it is shown now; null if none is. */
  #shown(): ShownQuestion | null {
    return questionOnScreen(screenOf(this.#session));
  }

  #isGone(): boolean {
    const { view } = this.#session;
    if (view.exitStatus !== null) return true;
    const shown = this.#shown();
    return shown === null || shown.id !== this.#question.id;
  }

  /** Returns the menu as it is shown now, or when it has been painted again. @throws VtrError QUESTION_CHANGED */
  async #menu(): Promise<Menu> {
    await this.#until(() => this.#shown()?.menu != null, paintMs);
    const menu = this.#shown()?.menu;
    if (menu == null) throw this.#gone();
    return menu;
  }

  /** Whether a choice is marked; null while no menu is shown. */
  #isMarked(index: number): boolean | null {
    const menu = this.#shown()?.menu;
    return menu == null ? null : marked(menu, index);
  }

  #keys(keys: readonly string[]): Promise<InputReceipt> {
    return this.#session.sendKeys(keys, this.#options.how);
  }

  #until(test: () => boolean, ms: number): Promise<boolean> {
    return untilShown(this.#session, this.#options.clock, test, ms);
  }

  /** Waits until a test holds for a moment: a program may erase what it paints again. */
  async #lasts(test: () => boolean, ms: number): Promise<boolean> {
    const { clock } = this.#options;
    const endMs = clock.nowMs() + ms;
    while (await this.#until(test, Math.max(0, endMs - clock.nowMs()))) {
      if (!(await this.#until(() => !test(), holdMs))) return true;
    }
    return false;
  }

  #unmoved(): VtrError {
    return this.#notTaken('the pointer does not move to the choice');
  }

  #notTaken(why: string): VtrError {
    const { question, menu } = this.#question;
    const text = menu === null ? question : menuText(menu);
    return new VtrError('ANSWER_NOT_TAKEN', `the program did not take the answer: ${why}: ${text}`);
  }

  #gone(): VtrError {
    const shown = this.#shown();
    // The pointer may have been moved.
    const done = 'no choice was taken';
    return shown === null ? noQuestion(done) : changed(shown, done);
  }
}

/** Whether a choice is marked; false if that is not known. */
const marked = (menu: Menu, index: number): boolean =>
  menu.checked?.includes(index) ?? choicesOf(menu, null, false)?.[index]?.box === true;

const noQuestion = (done = 'nothing was typed') =>
  new VtrError('NO_QUESTION', `no question is shown, or it is not known to be one; ${done}`);

function changed({ question, menu, id }: ShownQuestion, done = 'nothing was typed'): VtrError {
  const text = menu === null ? question : menuText(menu);
  const message = `another question is shown, with id ${id}; ${done}: ${text}`;
  return new VtrError('QUESTION_CHANGED', message, {
    details: { question: text, question_id: id },
  });
}
