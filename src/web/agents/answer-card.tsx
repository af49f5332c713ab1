import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { defined, encodeUtf8, ignored } from '#base';
import {
  type Cell,
  choiceTexts,
  type Menu,
  type Question,
  type SessionInfo,
  stateText,
} from '#model';
import { Terminal } from '#vt';
import { errorText } from '../link/link.ts';
import { onLook } from '../look/look.ts';
import type { App } from '../page/app.ts';
import { readInView } from '../page/in-view.ts';
import { showCells } from '../terminal/history.ts';
import {
  type Answering,
  type Asked,
  answer,
  askedBy,
  isOther,
  sentOf,
  tellSent,
} from './answering.ts';
import { type AskedScreen, askedScreen } from './asked-screen.ts';

/**
 * When another question takes the place of one, its buttons do nothing for this time, in ms: a finger that was on its way
 * to the first one answers nothing that the person has not seen.
 */
const unseenMs = 500;

const password = { type: 'password' } as const;
const plain = { type: 'text' } as const;

interface CardProps {
  readonly app: App;
  readonly info: SessionInfo;
  /** The viewing in which the person drives the session already; null for none. */
  readonly viewer?: () => string | null;
  /** Whether the screen around the question is shown, too. */
  readonly hasScreen: boolean;
}

/**
 * What a session asks: the question, what it is about, and a button for each choice or a field. Afterwards it tells what
 * was sent, and what came next. Nothing is sent when another question is shown by then.
 */
export function AnswerCard({ app, info, viewer, hasScreen }: CardProps) {
  const question = app.me.write ? askedBy(info) : null;
  const last = sentOf(info);
  const problem = useSignal('');
  const box = useRef<HTMLFieldSetElement>(null);
  const isShown = question !== null || last !== null;
  // The question that the card showed first: nobody was on the way to another one.
  const first = useRef<string | null>(null);
  if (!isShown) {
    first.current = null;
    return null;
  }
  const key =
    question === null
      ? ''
      : `${question.question.sinceMs} ${question.id ?? question.question.text}`;
  if (question !== null) first.current ??= key;
  const isAnswered = last?.isNew === true;
  return (
    <fieldset ref={box} class="answer-card" aria-label={`Answer ${info.name}`}>
      <p class="sent" role="status">
        {last !== null && (isAnswered ? `sent ✓ ${last.label}` : nextText(info, question))}
      </p>
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {question !== null && !isAnswered && (
        <>
          <p class="asked">{askedText(info, question)}</p>
          {hasScreen && (
            <AboutIt
              key={key}
              box={box}
              app={app}
              info={info}
              question={question}
              isInFocus={viewer !== undefined}
            />
          )}
          <Options
            key={key}
            box={box}
            isFirst={key === first.current}
            answering={{ app, info, ...defined({ viewer }) }}
            question={question}
            problem={problem}
          />
        </>
      )}
    </fieldset>
  );
}

/** When the choices go, a person with a keyboard stays at the session. To be used in what goes with them. */
function useFocusKept(box: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const element = box.current;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      element.closest('li')?.querySelector('a')?.focus();
    };
  }, []);
}

/** What came after the answer. */
function nextText(info: SessionInfo, question: Asked | null): string {
  if (question !== null) return 'It asks again:';
  const { agent, state } = info;
  if (state === 'exited') return stateText(info);
  return agent?.state === 'busy' || agent === undefined
    ? 'It works again'
    : `It is ${stateText(info)}`;
}

/** The question in words; the choices are buttons. */
function askedText(info: SessionInfo, { question, menu }: Asked): string {
  return info.agent?.question || menu?.title || question.text || 'It waits for input';
}

interface AboutItProps extends Pick<CardProps, 'app' | 'info'> {
  /** The card. */
  readonly box: { readonly current: HTMLElement | null };
  readonly question: Asked;
  readonly isInFocus: boolean;
}

/** What the question is about, as the screen shows it: it scrolls, and nothing is left out. It is read when the card is in view. */
function AboutIt({ box, app, info, question, isInFocus }: AboutItProps) {
  const shown = useSignal<AskedScreen | null>(null);
  const lines = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current === null) return;
    let isGone = false;
    const read = async () => {
      const { rows, isWhole } = await readScreen(app, info);
      if (isGone) return;
      const region = askedScreen(rows, askedText(info, question), question.menu);
      shown.value = { ...region, isCut: region.isCut && !isWhole };
    };
    const end = readInView(box.current, () => ignored(read(), 'the question itself is shown'));
    return () => {
      isGone = true;
      end();
    };
  }, []);
  const paint = () => {
    const rows = shown.value?.rows ?? [];
    lines.current?.replaceChildren(...rows.map(rowOf));
  };
  useLayoutEffect(paint, [shown.value]);
  useEffect(() => onLook(paint), []);
  if (shown.value === null || shown.value.rows.length === 0) return null;
  return (
    <>
      {shown.value.isCut && (
        <p class="soft cut-above">
          {isInFocus
            ? 'It may begin above the screen: scroll up to see all of it.'
            : 'It may begin above the screen: open the session to see all of it.'}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it */}
      <section class="about" aria-label="What it asks about" tabIndex={0} ref={lines} />
    </>
  );
}

function rowOf(cells: readonly Cell[]): HTMLElement {
  const row = document.createElement('div');
  row.className = 'line';
  showCells(row, cells, noColors);
  if (row.textContent === '') row.textContent = '\n';
  return row;
}

const noColors = { palette: {}, foreground: null, background: null, reverseVideo: false };

/** Returns the rows of a session's screen, with their colours, and whether nothing is above them. */
async function readScreen(app: App, { name, id }: SessionInfo) {
  const format = 'RENDER_FORMAT_ANSI' as const;
  // A person sees what is there.
  const how = { name, sessionId: id, format, redact: false };
  const shown = await app.link.call('GetScreen', how);
  const { text = [], cols = 80, rows = 24, alternate = false, topLine = '0' } = shown;
  const scratch = new Terminal({ size: { cols, rows } });
  scratch.feed(encodeUtf8(text.map((row, at) => `\x1b[${at + 1}H\x1b[m${row}`).join('')));
  return { rows: scratch.screenCells().rows, isWhole: !alternate && topLine === '0' };
}

interface OptionsProps {
  /** The card. */
  readonly box: { readonly current: HTMLElement | null };
  readonly answering: Answering;
  readonly question: Asked;
  readonly isFirst: boolean;
  readonly problem: Signal<string>;
}

function Options({ box, answering, question, isFirst, problem }: OptionsProps) {
  const isSending = useSignal(false);
  const isUnseen = useSignal(!isFirst);
  useFocusKept(box);
  useEffect(() => {
    const timer = setTimeout(() => {
      isUnseen.value = false;
    }, unseenMs);
    return () => clearTimeout(timer);
  }, []);
  const send = async (reply: string, label = reply): Promise<boolean> => {
    if (isSending.value || isUnseen.value) return false;
    isSending.value = true;
    problem.value = '';
    try {
      await answer(answering, question, reply);
      tellSent(answering.info, question.question.kind === 'password' ? 'password' : label);
      return true;
    } catch (error) {
      problem.value = refusalText(error);
      return false;
    } finally {
      isSending.value = false;
    }
  };
  const { menu, keys } = question;
  const parts = { isSending: isSending.value || isUnseen.value, send };
  if (menu !== null) return <Choices menu={menu} {...parts} />;
  return (
    <>
      {keys.length > 0 && <Keys keys={keys} {...parts} />}
      {(keys.length === 0 || question.question.readsLines) && (
        <Field question={question.question} {...parts} />
      )}
    </>
  );
}

const refusalText = (error: unknown): string =>
  isOther(error) ? 'Not sent: this is another question' : `Not sent: ${errorText(error)}`;

interface SendProps {
  readonly isSending: boolean;
  /** @returns whether it was sent */
  readonly send: (reply: string, label?: string) => Promise<boolean>;
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
          title={text}
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
          class="primary"
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
    <div class="choices keys-of-question">
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
        enterkeyhint="send"
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
