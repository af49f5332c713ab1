import type { OtherViewer } from '../link/values.ts';
import { isPhone } from '../page/device.ts';
import { Icon } from '../page/icon.tsx';
import { Later } from '../page/later.tsx';
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
  const { drives, holds, driver, others, note: theirs } = pane.live.driving.value;
  const isTyping = pane.live.isTyping.value && drives;
  const take = (force: boolean) => {
    pane.live.take(force);
    pane.input.element.focus();
  };
  // A phone has room for what is needed most.
  const canTake = write && !hasEnded && !holds && !(isTyping && isPhone());
  return (
    <div class={`driver ${isTyping ? 'own' : driver === null ? 'free' : 'other'}`}>
      {!write && (
        <b class="read-only">
          Read-only<span class="long">: you watch</span>
        </b>
      )}
      <span class="chip" role="status">
        <span class="dot" />
        {driverText(pane.live, hasEnded)}
        {driver === null && write && !hasEnded && !isTyping && (
          <span class="long">: type to begin</span>
        )}
        {theirs !== '' && <q>{theirs}</q>}
      </span>
      {isTyping && pane.live.typed.isSlow.value && (
        <span class="late" title="An answer to what you type takes more than 0.3 s">
          slow
        </span>
      )}
      {others.length > 0 && <Presence others={others} driver={driver?.name ?? null} />}
      {canTake && (
        <button type="button" title="Agents wait until you give back" onClick={() => take(false)}>
          {driver?.holds ? 'Ask for it' : 'Take over'}
        </button>
      )}
      {canTake && driver?.holds === true && (
        <button
          type="button"
          title={`Gives it back to ${driver.name} when you give back`}
          onClick={() => take(true)}
        >
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

/** Who else sees the session, and how. */
function Presence({
  others,
  driver,
}: {
  readonly others: readonly OtherViewer[];
  /** The name of who drives. */
  readonly driver: string | null;
}) {
  const all = others.map((each) => nameText(each, driver)).join(', ');
  return (
    <Popup
      label={`Also here: ${all}`}
      class="quiet viewers"
      sign={
        <>
          <Icon name="people" />
          <span class="count">{others.length}</span>
          <span class="names">{all}</span>
        </>
      }
    >
      {() => <Later show={({ AlsoHere }) => <AlsoHere others={others} driver={driver} />} />}
    </Popup>
  );
}

/** `Bo (watching)`. Who may type at any time has the name alone. */
function nameText({ name, watches, isReadOnly }: OtherViewer, driver: string | null): string {
  return (watches || isReadOnly) && name !== driver ? `${name} (watching)` : name;
}

/** Gives the session back; in its menu with a note, or to another person. */
function GiveBack({ pane: { live } }: { readonly pane: SessionPane }) {
  return (
    <span class="group">
      <button type="button" onClick={() => live.give('')}>
        Give back
      </button>
      <Popup label="Add a note, or hand over" class="narrow" sign={<Icon name="down" />}>
        {() => (
          <Later
            show={({ GiveMenu }) => (
              <GiveMenu
                others={live.driving.value.others}
                give={(note) => live.give(note)}
                hand={(to, note) => void live.hand(to, note)}
              />
            )}
          />
        )}
      </Popup>
    </span>
  );
}

/** Returns who types or holds the session. */
function driverText({ driving, isTyping }: SessionPane['live'], hasEnded: boolean): string {
  const { drives, driver, askedBy } = driving.value;
  if (hasEnded) return 'The program has ended';
  if (drives && isTyping.value) {
    if (askedBy !== null) return `You drive; ${askedBy} asks for it`;
    if (driver?.handedBy) return `${driver.handedBy} handed it to you`;
    return driver?.isPerson === false ? `You drive; ${driver.name} types, too` : 'You drive';
  }
  if (driver === null) return 'Nobody drives';
  const name = driver.name || (driver.isPerson ? 'Somebody' : 'An agent');
  const from = driver.handedBy === null ? '' : `, from ${driver.handedBy}`;
  return `${name} ${driver.holds ? 'holds it' : 'drives'}${from}`;
}
