import { ignored } from '#base';
import type { RequestJson } from '#messages';
import {
  isStillAsked,
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
  /** The keys that the question names, of which the program reads one; empty if it reads text. */
  readonly keys: readonly string[];
}

/** `[y/N]`, `(y/n/a)` at the end of a question. */
const namedKeys = /[[(]([a-z](?:\/[a-z])+)[\])]\s*[:?]?\s*$/i;

/** Returns what a session asks; null if it asks nothing, or nothing that can be answered without a look at it. */
export function askedBy(info: SessionInfo): Asked | null {
  const { attention, agent } = info;
  const question = questionOf(info);
  const isAsking = attention?.kind === 'input' || attention?.kind === 'password';
  if (question === null || question.kind === 'prompt' || !isAsking) return null;
  const { questionId: id, menu = null } = agent ?? attention;
  // What an agent asks without choices on its screen is not answered blindly.
  if (agent !== undefined && id === undefined && menu === null) return null;
  const [, keys = ''] = (!question.readsLines && namedKeys.exec(question.text)) || [];
  return { question, id, menu, keys: keys.toLowerCase().split('/').filter(Boolean) };
}

/** @throws LinkError if another question is asked, or another person holds the session */
export async function answer(
  { link }: { readonly link: Calls },
  { name, id, size }: Pick<SessionInfo, 'name' | 'id' | 'size'>,
  { question, id: questionId, menu }: Asked,
  reply: string,
): Promise<void> {
  const reference = { name, sessionId: id };
  const view = await personsView(link, { ...reference, ...size, as: 'VIEW_AS_AUTO' });
  const inputId = `web-${crypto.randomUUID()}`;
  const input = { ...reference, viewer: view.id, inputId };
  try {
    if (questionId !== undefined) {
      await link.call('SendText', { ...input, text: reply, answer: true, question: questionId });
      return;
    }
    const { session = {} } = await link.call('Info', { ...reference, activity: true });
    if (!isStillAsked(question, sessionOf(session)))
      throw new LinkError('FAILED_PRECONDITION', 'the question has changed');
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
