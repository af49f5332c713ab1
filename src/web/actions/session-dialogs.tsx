import { useSignal } from '@preact/signals';
import type { SessionInfo } from '#model';
import { errorText } from '../link/link.ts';
import type { App } from '../page/app.ts';
import { closeDialog, Dialog, Field, FormDialog, NameField } from '../page/dialog.tsx';
import { QrCode } from '../people/qr-code.tsx';
import { labelChanges, labelText } from './label-text.ts';

export interface SessionProps {
  readonly app: App;
  readonly info: SessionInfo;
}

/** The state of a form that makes a call: whether it is under way, and why it failed. */
export function useCall(call: () => Promise<unknown>) {
  const problem = useSignal('');
  const isBusy = useSignal(false);
  const onSubmit = async () => {
    isBusy.value = true;
    try {
      await call();
    } catch (error) {
      problem.value = errorText(error);
    } finally {
      isBusy.value = false;
    }
  };
  return { problem: problem.value, isBusy: isBusy.value, onSubmit: () => void onSubmit() };
}

export function RenameDialog({ app, info: { name, id: sessionId } }: SessionProps) {
  const newName = useSignal(name);
  const form = useCall(async () => {
    if (newName.value !== name)
      await app.link.call('Rename', { name, sessionId, newName: newName.value });
    closeDialog();
  });
  return (
    <FormDialog title={`Rename ${name}`} label={`Session ${name}`} action="Rename" {...form}>
      <NameField
        value={newName.value}
        onChange={(value) => {
          newName.value = value;
        }}
      />
    </FormDialog>
  );
}

export const labelHint = 'KEY=VALUE, several with commas';

export function LabelDialog({ app, info: { name, id: sessionId, labels = {} } }: SessionProps) {
  const text = useSignal(labelText(labels));
  const form = useCall(async () => {
    const changes = labelChanges(labels, text.value);
    await app.link.call('SetLabels', { name, sessionId, ...changes });
    closeDialog();
  });
  return (
    <FormDialog title={`Labels of ${name}`} label={`Session ${name}`} action="Save" {...form}>
      <Field
        label="Label"
        value={text.value}
        placeholder="team=api"
        hint={labelHint}
        onChange={(value) => {
          text.value = value;
        }}
      />
    </FormDialog>
  );
}

/** For how long a link is good, in seconds. */
const lifetimes = [
  ['1 hour', 3600],
  ['8 hours', 8 * 3600],
  ['1 day', 86_400],
  ['1 week', 7 * 86_400],
  ['30 days', 30 * 86_400],
] as const;

export function ShareDialog({ app, info }: SessionProps) {
  const { name, id: sessionId } = info;
  const seconds = useSignal(3600);
  const write = useSignal(false);
  const withHistory = useSignal(false);
  const link = useSignal('');
  const form = useCall(async () => {
    const { url = '' } = await app.link.call('ShareWeb', {
      name,
      sessionId,
      duration: `${seconds.value}s`,
      write: write.value,
      withHistory: withHistory.value,
    });
    link.value = url;
  });
  if (link.value !== '') return <SharedLink name={name} url={link.value} />;
  return (
    <FormDialog title={`Share ${name}`} action="Make a link" {...form}>
      <label class="field">
        <span>Lifetime</span>
        <select
          aria-label="Lifetime"
          value={seconds.value}
          onChange={({ currentTarget }) => {
            seconds.value = Number(currentTarget.value);
          }}
        >
          {lifetimes.map(([text, value]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <Check label="Visitors may type" state={write} />
      <Check label="Visitors see what was before" state={withHistory} />
    </FormDialog>
  );
}

function Check({ label, state }: { readonly label: string; readonly state: { value: boolean } }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={state.value}
        onChange={({ currentTarget }) => {
          state.value = currentTarget.checked;
        }}
      />
      {label}
    </label>
  );
}

function SharedLink({ name, url }: { readonly name: string; readonly url: string }) {
  const isCopied = useSignal(false);
  return (
    <Dialog label={`Link to ${name}`}>
      <header>{`Link to ${name}`}</header>
      <p>Everyone with this link sees the session.</p>
      <input
        aria-label="Link"
        readOnly
        value={url}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <QrCode text={url} label={`QR code of the link to ${name}`} />
      <div class="actions">
        <button type="button" onClick={closeDialog}>
          Close
        </button>
        <button
          type="button"
          class="primary"
          onClick={() =>
            navigator.clipboard.writeText(url).then(() => {
              isCopied.value = true;
            })
          }
        >
          {isCopied.value ? 'Copied' : 'Copy'}
        </button>
      </div>
    </Dialog>
  );
}
