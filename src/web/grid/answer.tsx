import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ignored } from '#base';
import type { RequestJson } from '#messages';
import {
  choiceTexts,
  isStillAsked,
  type Menu,
  type Question,
  questionOf,
  replyText,
  type SessionInfo,
} from '#model';
import { type Calls, errorText, LinkError } from '../link/link.ts';
import { sessionOf } from '../link/values.ts';
import type { App } from '../page/app.ts';
import { say } from '../page/notices.tsx';

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

const password = { type: 'password' } as const;
const plain = { type: 'text' } as const;

interface AnswerProps {
  readonly app: App;
  readonly info: SessionInfo;
  readonly asked: Asked;
}

/** The answers to a question: a button for each choice, or a field. They are sent only while that question is asked. */
export function Answer({ app, info, asked }: AnswerProps) {
  const isSending = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const send = async (reply: string, shown = reply): Promise<boolean> => {
    if (isSending.value) return false;
    isSending.value = true;
    try {
      await answer(app, info, asked, reply);
      if (asked.question.kind !== 'password') say(`Sent to ${info.name}: ${shown}`);
      // The buttons go; a person with a keyboard stays at the session.
      const link = box.current?.parentElement?.querySelector('a');
      if (box.current?.contains(document.activeElement)) link?.focus();
      return true;
    } catch (error) {
      say(`Not answered: ${info.name}: ${errorText(error)}`);
      return false;
    } finally {
      isSending.value = false;
    }
  };
  const { menu, keys, question } = asked;
  const parts = { isSending: isSending.value, send };
  return (
    <div ref={box} role="group" aria-label={`Answer ${info.name}`}>
      {menu !== null && <Choices menu={menu} {...parts} />}
      {menu === null && keys.length > 0 && <Keys keys={keys} {...parts} />}
      {menu === null && keys.length === 0 && <Field question={question} {...parts} />}
    </div>
  );
}

interface SendProps {
  readonly isSending: boolean;
  /** @returns whether it was sent */
  readonly send: (reply: string, shown?: string) => Promise<boolean>;
}

/** One button for each choice; where several can be chosen, they are chosen first, and then sent. */
function Choices({ menu, isSending, send }: SendProps & { readonly menu: Menu }) {
  const chosen = useSignal<ReadonlySet<number>>(new Set(menu.checked ?? []));
  const numbers = menu.options.map((option, at) => /^\d+/.exec(option)?.[0] ?? String(at + 1));
  const toggle = (at: number) => {
    const others = new Set(chosen.value);
    if (!others.delete(at)) others.add(at);
    chosen.value = others;
  };
  const texts = choiceTexts(menu.multiple ? { ...menu, checked: [] } : menu);
  return (
    <div class="choices">
      {texts.map((text, at) => (
        <button
          type="button"
          key={text}
          aria-disabled={isSending}
          aria-pressed={menu.multiple ? chosen.value.has(at) : undefined}
          onClick={() => (menu.multiple ? toggle(at) : void send(menu.options[at] ?? '', text))}
        >
          {text}
        </button>
      ))}
      {menu.multiple && (
        <button
          type="button"
          aria-disabled={isSending}
          onClick={() => void send([...chosen.value].map((at) => numbers[at]).join(','))}
        >
          Send
        </button>
      )}
    </div>
  );
}

function Keys({ keys, isSending, send }: SendProps & { readonly keys: readonly string[] }) {
  return (
    <div class="choices">
      {keys.map((key) => (
        <button
          type="button"
          key={key}
          aria-disabled={isSending}
          onClick={() => void send(key)}
        >
          {key}
        </button>
      ))}
    </div>
  );
}

function Field({ question, isSending, send }: SendProps & { readonly question: Question }) {
  const text = useSignal('');
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault();
        void send(text.value).then((isSent) => {
          if (isSent) text.value = '';
        });
      }}
    >
      <input
        aria-label="Answer"
        placeholder={question.kind === 'password' ? 'Password' : 'Answer'}
        {...(question.kind === 'password' ? password : plain)}
        autocomplete="off"
        autocapitalize="off"
        readOnly={isSending}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
      />
      <button type="submit" aria-disabled={isSending}>
        Send
      </button>
    </form>
  );
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
