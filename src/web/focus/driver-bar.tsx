import { useSignal } from '@preact/signals';
import { counted } from '#model';
import { isPhone } from '../page/device.ts';
import type { SessionPane } from './session-pane.ts';

/** Who drives, and how to take over and give back. */
export function DriverBar({
  pane,
  write,
  hasEnded,
}: {
  readonly pane: SessionPane;
  readonly write: boolean;
  readonly hasEnded: boolean;
}) {
  const note = useSignal('');
  const { drives, driver, askedBy, viewers, note: theirs } = pane.live.driving.value;
  const others = viewers.length - 1;
  const take = (force: boolean) => {
    pane.live.take(force);
    pane.input.element.focus();
  };
  const text = () => {
    if (hasEnded) return 'The program has ended';
    if (drives) return askedBy === null ? 'You drive' : `You drive; ${askedBy} asks for it`;
    if (driver === null) return write ? 'Nobody drives: type to begin' : 'Nobody drives';
    return `${driver.name || (driver.isPerson ? 'Somebody' : 'An agent')} drives`;
  };
  return (
    <div class={`driver ${drives ? 'own' : driver === null ? 'free' : 'other'}`}>
      <span role="status">
        {text()}
        {theirs !== '' && <q>{theirs}</q>}
      </span>
      {others > 0 && (
        <span
          class="viewers"
          title={viewers.map(({ name, kind }) => `${name} (${kind})`).join('\n')}
        >
          {counted(others, 'more viewer')}
        </span>
      )}
      <span class="gap" />
      {write && !hasEnded && !drives && (
        <button type="button" onClick={() => take(false)}>
          {driver?.isPerson ? 'Ask for it' : 'Take over'}
        </button>
      )}
      {write && !hasEnded && !drives && driver?.isPerson === true && (
        <button type="button" class="danger" onClick={() => take(true)}>
          Take over
        </button>
      )}
      {drives && isPhone() && (
        <button type="button" onClick={() => pane.fitSession()}>
          Fit
        </button>
      )}
      {drives && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            pane.live.give(note.value);
            note.value = '';
          }}
        >
          <input
            aria-label="Note"
            placeholder="Note for the agent"
            maxLength={1000}
            value={note.value}
            onInput={({ currentTarget }) => {
              note.value = currentTarget.value;
            }}
          />
          <button type="submit">Give back</button>
        </form>
      )}
    </div>
  );
}
