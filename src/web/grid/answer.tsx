import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { choiceTexts, type Menu, type Question, type SessionInfo } from '#model';
import { errorText } from '../link/link.ts';
import type { App } from '../page/app.ts';
import { say } from '../page/notices.tsx';
import { type Asked, answer } from './answering.ts';

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
  const box = useRef<HTMLFieldSetElement>(null);
  // When it is answered, here or elsewhere, this goes: a person with a keyboard stays at the session.
  useLayoutEffect(() => {
    const element = box.current;
    const link = element?.parentElement?.querySelector('a');
    return () => {
      if (element?.contains(document.activeElement)) link?.focus();
    };
  }, []);
  const send = async (reply: string, shown = reply): Promise<boolean> => {
    if (isSending.value) return false;
    isSending.value = true;
    try {
      await answer(app, info, asked, reply);
      if (asked.question.kind !== 'password') say(`Sent to ${info.name}: ${shown}`);
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
    <fieldset ref={box} aria-label={`Answer ${info.name}`}>
      {menu !== null && <Choices menu={menu} {...parts} />}
      {menu === null && keys.length > 0 && <Keys keys={keys} {...parts} />}
      {menu === null && keys.length === 0 && <Field question={question} {...parts} />}
    </fieldset>
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
        <button type="button" key={key} aria-disabled={isSending} onClick={() => void send(key)}>
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
