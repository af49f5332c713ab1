import { signal } from '@preact/signals';
import { ignored, ownTimers, type Timers } from '#base';
import type { RequestJson } from '#messages';
import {
  isStillAsked,
  keysNamedBy,
  type Menu,
  type Question,
  questionOf,
  replyText,
  type SessionInfo,
} from '#model';
import { type Calls, LinkError } from '../link/link.ts';
import { sessionOf } from '../link/values.ts';

/** What a tile asks a person, and how it is answered. */
export interface Asked {
  readonly question: Question;
  /** With it the coordinator refuses an answer when another question is shown. */
  readonly id: string | undefined;
  /** Null if a text or a key is expected. */
  readonly menu: Menu | null;
  /** The short answers that the question names, such as `y`; empty if it names none. */
  readonly keys: readonly string[];
}

const changedText = 'the question has changed';

/** Returns what a session asks; null if it asks nothing, or nothing that can be answered without a look at it. */
export function askedBy(info: SessionInfo): Asked | null {
  const { attention, agent } = info;
  const question = questionOf(info);
  const isAsking = attention?.kind === 'input' || attention?.kind === 'password';
  if (question === null || question.kind === 'prompt' || !isAsking) return null;
  const { questionId: id, menu = null } = agent ?? attention;
  // What an agent asks without choices on its screen is not answered blindly.
  if (agent !== undefined && id === undefined && menu === null) return null;
  return { question, id, menu, keys: keysNamedBy(question) };
}

/** Who answers, and where. */
export interface Answering {
  readonly app: { readonly link: Calls };
  readonly info: SessionInfo;
  /** Returns the viewing in which the person drives the session already; null for none. */
  readonly viewer?: () => string | null;
}

/** @throws LinkError if another question is asked, or another person holds the session */
export async function answer(
  answering: Answering,
  { question, id: questionId, menu }: Asked,
  reply: string,
): Promise<void> {
  const { link } = answering.app;
  const { name, id } = answering.info;
  const reference = { name, sessionId: id };
  const view = await typingView(answering);
  const inputId = `web-${crypto.randomUUID()}`;
  const input = { ...reference, viewer: view.id, inputId };
  try {
    if (questionId !== undefined) {
      await link.call('SendText', { ...input, text: reply, answer: true, question: questionId });
      return;
    }
    const { session = {} } = await link.call('Info', { ...reference, activity: true });
    if (!isStillAsked(question, sessionOf(session)))
      throw new LinkError('FAILED_PRECONDITION', changedText);
    if (menu !== null) {
      await link.call('SendText', { ...input, text: reply, answer: true });
      return;
    }
    // A program that reads keys has its answer with one: Enter would be for what it asks next.
    const isLine = [...reply].length !== 1;
    await link.call('SendText', { ...input, text: replyText(question, reply, { isLine }) });
  } finally {
    view.close();
  }
}

/** Returns the viewing in which the person types; without one, another that ends with the answer. */
export async function typingView({
  app: { link },
  info: { name, id, size },
  viewer,
}: Answering): Promise<{ id: string; close: () => void }> {
  const own = viewer?.() ?? null;
  if (own !== null) return { id: own, close: () => {} };
  return personsView(link, { name, sessionId: id, ...size, as: 'VIEW_AS_AUTO' });
}

/** Views a session as a person who types. @throws LinkError NOT_DRIVER if another person holds it */
function personsView(
  link: Calls,
  request: RequestJson<'View'>,
): Promise<{ id: string; close: () => void }> {
  return new Promise((resolve, reject) => {
    const stream = link.open('View', request, {
      message: ({ body: { viewId: id = '', drives = false, state } }) => {
        if (drives) {
          const close = () => {
            stream.close();
            ignored(link.call('CloseView', { viewId: id }), 'the view ends with the connection');
          };
          resolve({ id, close });
        } else {
          stream.close();
          const who = state?.driver?.name || 'somebody else';
          reject(new LinkError('NOT_DRIVER', `${who} holds it`));
        }
      },
      ended: (reason) =>
        reject(reason ?? new LinkError('SESSION_NOT_FOUND', 'the session has gone')),
    });
  });
}

/** Whether an answer was refused because another question is shown. */
export const isOther = (error: unknown): boolean =>
  error instanceof LinkError &&
  (error.code === 'QUESTION_CHANGED' || error.message === changedText);

/** For how long a card tells what was sent, and then what came next, in ms. */
const sentMs = 2_000;
const nextMs = 3_000;

/** What was answered last in a session, while its card tells so. */
export interface Sent {
  readonly label: string;
  /** Whether it was sent just now; else the card tells what came next. */
  readonly isNew: boolean;
}

const sentAnswers = signal<ReadonlyMap<string, Sent>>(new Map());

/** Returns what was answered in a session a moment ago; null for nothing. */
export const sentOf = ({ id }: Pick<SessionInfo, 'id'>): Sent | null =>
  sentAnswers.value.get(id) ?? null;

/** Tells for a few seconds what was sent in answer, and what came next. @param timers default: those of the page */
export function tellSent(
  { id }: Pick<SessionInfo, 'id'>,
  label: string,
  timers: Timers = ownTimers,
): void {
  const first: Sent = { label, isNew: true };
  const put = (before: Sent | undefined, after: Sent | undefined) => {
    const others = new Map(sentAnswers.peek());
    // Another answer was sent meanwhile.
    if (before !== undefined && others.get(id) !== before) return;
    if (after === undefined) others.delete(id);
    else others.set(id, after);
    sentAnswers.value = others;
  };
  const later: Sent = { label, isNew: false };
  put(undefined, first);
  timers.schedule(sentMs, () => put(first, later));
  timers.schedule(sentMs + nextMs, () => put(later, undefined));
}
