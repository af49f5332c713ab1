import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { OtherViewer } from '../link/values.ts';
import type { AlsoHereProps, GiveMenuProps } from '../page/later.tsx';

const placeTexts = { attach: 'in a terminal', web: 'on the page', ui: 'in the overview' } as const;

/** Who else sees a session, and what each of them can do. */
export function AlsoHere({ others, driver }: AlsoHereProps) {
  return (
    <ul class="also-here">
      {others.map((each) => (
        <li key={each.name}>
          <b>{each.name}</b> <span class="soft">{doesText(each, driver)}</span>
        </li>
      ))}
    </ul>
  );
}

function doesText(
  { name, kind, watches, isReadOnly, isAway }: OtherViewer,
  driver: string | null,
): string {
  const does = isReadOnly
    ? 'can only watch'
    : name === driver
      ? 'drives'
      : watches
        ? 'watches'
        : 'may type';
  return [does, placeTexts[kind], ...(isAway ? ['looks at something else'] : [])].join(' · ');
}

/** Gives a session back with a note, or hands it to another person. */
export function GiveMenu({ others, give, hand }: GiveMenuProps) {
  const note = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const receivers = others.filter(({ kind, isReadOnly }) => kind !== 'ui' && !isReadOnly);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        give(note.value);
      }}
    >
      <input
        ref={field}
        aria-label="Note"
        placeholder={receivers.length > 0 ? 'Note for who drives next' : 'Note for the agent'}
        maxLength={1000}
        value={note.value}
        onInput={({ currentTarget }) => {
          note.value = currentTarget.value;
        }}
      />
      <button type="submit">Give it back</button>
      {receivers.map((each) => (
        <button type="button" key={each.name} onClick={() => hand(each.name, note.value)}>
          {`Hand to ${each.name}`}
          <small class="soft">{placeTexts[each.kind]}</small>
        </button>
      ))}
    </form>
  );
}
