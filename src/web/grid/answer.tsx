import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { RequestJson } from '#messages';
import { isStillAsked, type Question, replyText, type SessionInfo } from '#model';
import { errorText, LinkError } from '../link/link-error.ts';
import { sessionOf } from '../link/values.ts';
import type { App } from '../page/app.ts';
import { say } from '../page/notices.tsx';

const password = { type: 'password' } as const;
const plain = { type: 'text' } as const;

/** A field for the answer to a question, which is sent only while that question is asked. */
export function Answer({
  app,
  info,
  question,
}: {
  readonly app: App;
  readonly info: SessionInfo;
  readonly question: Question;
}) {
  const text = useSignal('');
  const isSending = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  const send = async (reply: string) => {
    if (isSending.value) return;
    isSending.value = true;
    try {
      await answer(app, info, question, reply);
      text.value = '';
      // The field goes; a person with a keyboard stays at the session.
      const link = form.current?.parentElement?.querySelector('a');
      if (form.current?.contains(document.activeElement)) link?.focus();
    } catch (error) {
      say(`Nothing was sent to ${info.name}: ${errorText(error)}`);
    } finally {
      isSending.value = false;
    }
  };
  return (
    <form
      ref={form}
      class="answer"
      onSubmit={(event) => {
        event.preventDefault();
        void send(text.value);
      }}
    >
      <input
        aria-label="Answer"
        placeholder={question.kind === 'password' ? 'Password' : 'Answer'}
        {...(question.kind === 'password' ? password : plain)}
        autocomplete="off"
        autocapitalize="off"
        readOnly={isSending.value}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
        }}
      />
      <button type="submit" aria-disabled={isSending.value}>
        Send
      </button>
    </form>
  );
}

/** @throws LinkError if another question is asked, or somebody else drives */
async function answer(
  { link }: App,
  { name, id, size }: SessionInfo,
  question: Question,
  reply: string,
): Promise<void> {
  const reference = { name, sessionId: id };
  const isAsked = async () => {
    const { session = {} } = await link.call('Info', { ...reference, activity: true });
    return isStillAsked(question, sessionOf(session));
  };
  const changed = new LinkError('FAILED_PRECONDITION', 'the question has changed');
  if (!(await isAsked())) throw changed;
  const view = await takenView(link, { ...reference, ...size, as: 'VIEW_AS_TAKE' });
  try {
    if (!(await isAsked())) throw changed;
    const text = replyText(question, reply, true);
    const inputId = `web-${crypto.randomUUID()}`;
    await link.call('SendText', { ...reference, text, viewer: view.id, inputId });
  } finally {
    view.close();
  }
}

/** Views a session as its driver. @throws LinkError NOT_DRIVER if another person drives */
function takenView(
  link: App['link'],
  request: RequestJson<'View'>,
): Promise<{ id: string; close: () => void }> {
  return new Promise((resolve, reject) => {
    const stream = link.open('View', request, {
      message: ({ body: { viewId: id = '', drives = false } }) => {
        if (drives) {
          const close = () => {
            stream.close();
            void link.call('CloseView', { viewId: id }).catch(() => {});
          };
          resolve({ id, close });
        } else {
          stream.close();
          reject(new LinkError('NOT_DRIVER', 'somebody else drives it'));
        }
      },
      ended: (reason) =>
        reject(reason ?? new LinkError('SESSION_NOT_FOUND', 'the session has gone')),
    });
  });
}
