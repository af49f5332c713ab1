import { createHash } from 'node:crypto';
import { cleanLine } from '#base';
import { choiceTexts, keysNamedBy, questionOf, type SessionInfo } from '#model';
import type { Notice } from '#notify';
import type { PushSubscription } from '../access/web-access.ts';
import type { Pushed } from './push-service.ts';

/** The longest title or text, in UTF-16 code units. */
const maxPart = 300;
const maxButton = 40;
/** What browsers show beside a notification: two buttons at most (`Notification.maxActions`). */
const maxButtons = 2;
const dayS = 24 * 60 * 60;

/** What the service worker of the page shows (`worker.js`): JSON in a push message. */
interface Shown {
  /** A notification replaces another one with the same tag. */
  readonly tag: string;
  /** How many sessions ask now. */
  readonly asks: number;
  /** Absent: the notification is closed. */
  readonly title?: string;
  readonly body?: string;
  /** The view that it opens. */
  readonly path?: string;
  /** What its buttons answer. */
  readonly answers?: readonly { readonly reply: string; readonly title: string }[];
  /** The session, and the question that is answered. */
  readonly session?: string;
  readonly question?: string;
}

/** A notice, as a browser gets it. */
export function pushedNotice(
  { content, auth }: PushSubscription,
  notice: Notice,
  info: SessionInfo | null,
  asks: number,
): Pushed {
  const path = info === null ? '#/' : `#/s/${encodeURIComponent(info.name)}`;
  const always = { tag: tagOf(notice), asks, path };
  const shown: Shown = content
    ? {
        ...always,
        title: cleanLine(notice.title, maxPart),
        body: cleanLine(notice.text, maxPart),
        ...(info !== null && answersOf(info)),
      }
    : { ...always, title: 'vtr', body: plainText(notice) };
  return pushed(shown, auth, { ttlS: dayS, urgency: 'high' });
}

/** Closes the notification of a notice that is no longer true. */
export const pushedEnd = ({ auth }: PushSubscription, tag: string, asks: number): Pushed =>
  pushed({ tag, asks }, auth, { ttlS: dayS, urgency: 'normal' });

/** What a browser gets first: it shows that messages arrive. */
export const pushedWelcome = ({ auth }: PushSubscription, asks: number): Pushed =>
  pushed(
    { tag: 'vtr', title: 'vtr', body: 'This device is told when a session asks', path: '#/', asks },
    auth,
    { ttlS: 60, urgency: 'high' },
  );

/** Names the notification of a notice: a later one of the session replaces it. */
export const tagOf = ({ id }: Pick<Notice, 'id'>): string => `vtr-${id || 'several'}`;

function plainText({ of }: Notice): string {
  return of === undefined ? 'A session asks' : `${of.length} sessions ask`;
}

/** The service sees topics, so they name the session to the browser alone. */
function pushed(shown: Shown, auth: string, how: Pick<Pushed, 'ttlS' | 'urgency'>): Pushed {
  const topic = createHash('sha256').update(`${auth} ${shown.tag}`).digest('base64url');
  return { text: JSON.stringify(shown), topic: topic.slice(0, 32), ...how };
}

/** The first answers to a question that the daemon can compare with the one on the screen when they arrive. */
function answersOf(info: SessionInfo): Partial<Shown> {
  const question = questionOf(info);
  const { questionId, menu } = info.agent ?? info.attention ?? {};
  if (question?.kind !== 'input' || questionId === undefined || menu?.multiple) return {};
  const named = menu === undefined ? keysNamedBy(question) : choiceTexts(menu);
  const answers = named.slice(0, maxButtons).map((text) => ({
    reply: /^\S+/.exec(text)?.[0] ?? text,
    title: cleanLine(text, maxButton),
  }));
  return answers.length === 0 ? {} : { answers, session: info.id, question: questionId };
}
