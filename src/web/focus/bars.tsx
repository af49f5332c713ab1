import { useSignal } from '@preact/signals';
import { counted } from '#model';
import { isPhone } from '../page/device.ts';
import { Icon } from '../page/icon.tsx';
import { Popup } from '../page/popup.tsx';
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
  const { drives, holds, driver, viewers, note: theirs } = pane.live.driving.value;
  const isTyping = pane.live.isTyping.value && drives;
  const others = viewers.length - 1;
  const take = (force: boolean) => {
    pane.live.take(force);
    pane.input.element.focus();
  };
  // A phone has room for what is needed most.
  const canTake = write && !hasEnded && !holds && !(isTyping && isPhone());
  return (
    <div class={`driver ${isTyping ? 'own' : driver === null ? 'free' : 'other'}`}>
      {!write && <b class="read-only">Read-only: you watch</b>}
      <span class="chip" role="status">
        <span class="dot" />
        {driverText(pane.live, { write, hasEnded })}
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
      {canTake && (
        <button type="button" title="Agents wait until you give back" onClick={() => take(false)}>
          {driver?.holds ? 'Ask for it' : 'Take over'}
        </button>
      )}
      {canTake && driver?.holds === true && (
        <button type="button" class="danger" onClick={() => take(true)}>
          Take over
        </button>
      )}
      {isTyping && isPhone() && (
        <button type="button" onClick={() => pane.fitSession()}>
          Fit
        </button>
      )}
      {isTyping && <GiveBack pane={pane} />}
    </div>
  );
}

/** Gives the session back, with a note if the person writes one. */
function GiveBack({ pane }: { readonly pane: SessionPane }) {
  const note = useSignal('');
  const give = () => {
    pane.live.give(note.value);
    note.value = '';
  };
  return (
    <span class="group">
      <button type="button" onClick={give}>
        Give back
      </button>
      <Popup label="Add a note" class="narrow" sign={<Icon name="down" />}>
        {() => (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              give();
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
            <button type="submit">Give it back</button>
          </form>
        )}
      </Popup>
    </span>
  );
}

/** Returns who types or holds the session, and what the person can do. */
function driverText(
  { driving, isTyping }: SessionPane['live'],
  { write, hasEnded }: { readonly write: boolean; readonly hasEnded: boolean },
): string {
  const { drives, driver, askedBy } = driving.value;
  if (hasEnded) return 'The program has ended';
  if (drives && isTyping.value) {
    if (askedBy !== null) return `You drive; ${askedBy} asks for it`;
    return driver?.isPerson === false ? `You drive; ${driver.name} types, too` : 'You drive';
  }
  if (driver === null) return write ? 'Nobody drives: type to begin' : 'Nobody drives';
  const name = driver.name || (driver.isPerson ? 'Somebody' : 'An agent');
  return `${name} ${driver.holds ? 'holds it' : 'drives'}`;
}
