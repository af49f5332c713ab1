import type { IncomingMessage } from 'node:http';
import { asVtrError, callAs, errorTable } from '#model';
import type { Login, Visitor, WebAccess } from '../access/web-access.ts';
import type { Pusher } from '../push/pusher.ts';
import type { WebSessions } from '../scope.ts';
import { otherSession, type Refusal } from './answers.ts';

export interface PushRequestParts {
  readonly access: WebAccess;
  readonly sessions: WebSessions;
  /** Null if the page offers no push messages. */
  readonly pusher: () => Pusher | null;
}

/** A request with its body, an object of JSON; null if that is none. */
export interface PushRequest {
  readonly visitor: Visitor;
  readonly method: IncomingMessage['method'];
  readonly body: Readonly<Record<string, unknown>> | null;
}

const client = { kind: 'web' };

const notOffered: Refusal = {
  status: 404,
  message: 'the page offers no push messages; vtr web --push, or web_push = true in server.toml',
};

/** What a login is told of push messages; null if it may have none. */
export function pushOffer({ share, login }: Visitor, pusher: Pusher | null): object | null {
  if (share !== null || login === null || pusher === null) return null;
  const { push } = login;
  return { key: pusher.publicKey, isOn: push !== null, content: push?.content ?? false };
}

/** Begins or ends the push messages of a login, or shows more in them. */
export async function answerPush(
  { visitor, method, body }: PushRequest,
  { access, pusher }: PushRequestParts,
): Promise<Refusal | null> {
  const { share, login } = visitor;
  if (share !== null || login === null) return otherSession;
  const offered = pusher();
  if (method === 'DELETE') {
    if (offered === null) access.subscribe(login, null);
    else offered.unsubscribe(login);
    return null;
  }
  if (offered === null) return notOffered;
  try {
    // A browser that has replaced its subscription does not say.
    const { subscription, content = login.push?.content } = body ?? {};
    await offered.subscribe(login, subscription, content === true);
    return null;
  } catch (error) {
    const { code, message } = asVtrError(error);
    return code === 'INVALID_ARGUMENT'
      ? { status: 400, message }
      : { status: 502, message: `the push service did not take the first message: ${message}` };
  }
}

/** Answers a question from a notification, as the person of the login. Nothing is typed if another one is shown. */
export async function answerQuestion(
  { visitor, body }: PushRequest,
  { sessions }: PushRequestParts,
): Promise<Refusal | null> {
  const { share, login } = visitor;
  if (share !== null || login === null) return otherSession;
  const { session, question, reply, input } = body ?? {};
  if (![session, question, reply, input].every((each) => typeof each === 'string')) {
    return { status: 400, message: 'the body is {"session", "question", "reply", "input"}' };
  }
  const at = { name: '', id: String(session) };
  try {
    const { size } = await callAs(client, () => sessions.info(at));
    const view = { name: nameOf(login), kind: 'web', size, as: 'auto', looking: false } as const;
    const viewing = await callAs(client, () => sessions.view(at, view));
    try {
      const options = { answer: true, question: String(question), inputId: String(input) };
      await callAs(client, () =>
        sessions.sendText(at, String(reply), { ...options, viewer: viewing.id }),
      );
      return null;
    } finally {
      await viewing.dispose();
    }
  } catch (error) {
    const { code, message } = asVtrError(error);
    return { status: errorTable[code].grpc === 'NOT_FOUND' ? 404 : 409, message };
  }
}

const nameOf = ({ name }: Login): string => name || 'web';
