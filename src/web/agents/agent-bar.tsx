import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { counted, type SessionInfo, stateText } from '#model';
import { Age } from '../page/age.tsx';
import type { App } from '../page/app.ts';
import { isPhone } from '../page/device.ts';
import { AnswerCard } from './answer-card.tsx';
import { askedBy, sentOf } from './answering.ts';
import { givePrompt, PromptHistory, type PromptResult, type PromptWay } from './prompting.ts';

/** The most rows of a prompt that are shown at once. */
const maxRows = 8;

interface BarProps {
  readonly app: App;
  readonly info: SessionInfo;
  /** Returns the viewing in which the person drives the session already; null for none. */
  readonly viewer: () => string | null;
}

/** Whether a session in focus has a bar for its agent, or, on a phone, for what its program asks. */
export const hasAgentBar = (app: App, info: SessionInfo): boolean =>
  app.me.write &&
  info.state === 'running' &&
  (info.agent !== undefined || (isPhone() && (askedBy(info) !== null || sentOf(info) !== null)));

/**
 * What the agent of a session does, and a field for its next prompt; while it asks, its choices. It is always as high,
 * because the terminal above has the rest of the window.
 */
export function AgentBar({ app, info, viewer }: BarProps) {
  const isAsking = askedBy(info) !== null || sentOf(info) !== null;
  return (
    <section class="agent-bar" aria-label="Agent">
      <StateChip info={info} />
      <AnswerCard app={app} info={info} viewer={viewer} hasScreen={isPhone()} />
      {!isAsking && info.agent !== undefined && (
        <PromptField app={app} info={info} viewer={viewer} />
      )}
    </section>
  );
}

const chips: Readonly<Record<string, string>> = { asks: 'asks', busy: 'running', done: 'done' };

/** The kind of the agent, what it does and for how long; its turns, and what goes on in the background. */
function StateChip({ info }: { readonly info: SessionInfo }) {
  const { agent } = info;
  if (agent === undefined) return null;
  const { kind, sinceMs, turn, background = 0 } = agent;
  const state = stateText(info);
  const more = background > 0 ? `${counted(background, 'task')} in the background` : '';
  return (
    <span
      class={`chip ${chips[state] ?? ''}`}
      title={[counted(turn, 'turn'), more].filter(Boolean).join(', ')}
    >
      <i class={`dot ${chips[state] ?? ''}`} />
      {`${kind} ${state} `}
      <Age atMs={sinceMs} />
      {background > 0 && ` · +${background}`}
    </span>
  );
}

const wayNames = { queue: 'Queue it', replace: 'Replace it' } as const;

/** The next prompt. Enter sends it, Shift+Enter begins a line; the arrow keys go through those before. */
function PromptField({ app, info, viewer }: BarProps) {
  const text = useSignal('');
  const isSending = useSignal(false);
  const result = useSignal<PromptResult | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const history = useMemo(() => new PromptHistory(info.id), [info.id]);
  const isBusy = info.agent?.state === 'busy';
  const send = async (way?: PromptWay) => {
    const prompt = text.value.trim();
    if (prompt === '' || isSending.value) return;
    isSending.value = true;
    result.value = null;
    result.value = await givePrompt({ app, info, viewer }, prompt, way);
    isSending.value = false;
    if (!result.value.isSent) return;
    history.add(prompt);
    text.value = '';
  };
  const sendNow = () => void send(isBusy ? 'queue' : undefined);
  const step = (by: -1 | 1, event: KeyboardEvent) => {
    const other = history.step(by, text.value);
    if (other === null) return;
    event.preventDefault();
    text.value = other;
  };
  const press = (event: KeyboardEvent) => {
    const { key, shiftKey, isComposing } = event;
    const { selectionStart: at = 0, value = '' } = field.current ?? {};
    if (key === 'Enter' && !shiftKey && !isComposing) {
      event.preventDefault();
      sendNow();
    } else if (key === 'ArrowUp' && !value.slice(0, at).includes('\n')) step(-1, event);
    else if (key === 'ArrowDown' && !value.slice(at).includes('\n')) step(1, event);
  };
  const { retry } = result.value ?? {};
  return (
    <form
      class="prompt"
      onSubmit={(event) => {
        event.preventDefault();
        sendNow();
      }}
    >
      <span class="prompt-field">
        <textarea
          ref={field}
          aria-label="Prompt"
          placeholder={isBusy ? 'Prompt for its next turn' : `Prompt for ${info.agent?.kind}`}
          enterkeyhint="send"
          rows={Math.min(maxRows, text.value.split('\n').length)}
          readOnly={isSending.value}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
            result.value = null;
          }}
          onKeyDown={press}
        />
      </span>
      <output class={result.value?.isSent === false ? 'failed' : 'done'} aria-live="polite">
        {isSending.value ? 'Sending…' : result.value?.text}
      </output>
      {retry !== undefined && (
        <button type="button" onClick={() => void send(retry)}>
          {wayNames[retry]}
        </button>
      )}
      <button type="submit" class="primary" aria-disabled={isSending.value}>
        {isBusy ? 'Queue' : 'Send'}
      </button>
    </form>
  );
}
