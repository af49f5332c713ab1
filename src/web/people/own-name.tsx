import { useSignal } from '@preact/signals';
import { nameLogin } from '../link/login.ts';
import type { App } from '../page/app.ts';
import { say } from '../page/notices.tsx';
import { Popup } from '../page/popup.tsx';

/** The name that was saved since the page was loaded. */
let savedName: string | null = null;

/** Asks for the name under which others see this browser. @param onDone default: says that it is saved */
export function OwnName({ app, onDone }: { readonly app: App; readonly onDone?: () => void }) {
  const { name = '' } = app.me.login ?? {};
  const text = useSignal(savedName ?? name);
  const problem = useSignal('');
  const save = async () => {
    try {
      await nameLogin(text.value);
      savedName = text.value.trim();
      problem.value = '';
      if (onDone !== undefined) onDone();
      else say(`Others see you as ${text.value.trim()} from the next session on that you open`);
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <form
      class="own-name"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label class={onDone === undefined ? 'field' : ''}>
        {onDone === undefined ? 'Name' : 'Name of this browser, for others'}
        <input
          value={text.value}
          maxLength={40}
          autocomplete="off"
          placeholder="Ann's phone"
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
          }}
        />
        {onDone === undefined && (
          <span class="help">Others see it when you watch or type in the same session.</span>
        )}
        {problem.value !== '' && (
          <span class="error" role="alert">
            {problem.value}
          </span>
        )}
      </label>
      <button type="submit" class="primary" data-keeps>
        Save
      </button>
    </form>
  );
}

/** The name of a visitor with a share, for others, and a field for it. The page is loaded again, to be seen by it. */
export function VisitorName({ app }: { readonly app: App }) {
  const { name = '', isNamed = false } = app.me.login ?? {};
  return (
    <Popup label="Your name" class="quiet" sign={isNamed ? name : 'Name'}>
      {() => <OwnName app={app} onDone={() => location.reload()} />}
    </Popup>
  );
}

/** Where it is kept that the person was asked. */
const askedKey = 'vtr-name-asked';

/** Asks once for the name of this browser, when others are logged in, too. */
export function NameBanner({ app }: { readonly app: App }) {
  const isGone = useSignal(localStorage.getItem(askedKey) !== null);
  const { login } = app.me;
  if (isGone.value || login === undefined || login.isNamed || !login.hasOthers) return null;
  const done = () => {
    localStorage.setItem(askedKey, 'yes');
    isGone.value = true;
  };
  return (
    <section class="name-banner" aria-label="Your name">
      <OwnName app={app} onDone={done} />
      <button type="button" class="quiet" onClick={done}>
        Not now
      </button>
    </section>
  );
}
