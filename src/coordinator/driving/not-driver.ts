import { durationText } from '#base';
import { VtrError } from '#model';
import { type DrivingState, markAfter, personOf, type Refusal } from './driving.ts';

interface NotDriverFacts {
  /** The name of the session. */
  readonly name: string;
  /** Now, in ms since 1970. */
  readonly wallMs: number;
  /** That the input carried, if any. */
  readonly epoch: number | undefined;
}

/** The error of input that is refused: NOT_DRIVER; INVALID_ARGUMENT for an epoch that was never there. */
export function notDriver(
  state: DrivingState,
  refusal: Refusal,
  { name, wallMs, epoch }: NotDriverFacts,
): VtrError {
  const person = personOf(state);
  const note = person === null ? state.note : person.note;
  const mark = markAfter(state, epoch ?? state.epoch - 1);
  if (refusal === 'old' && epoch !== undefined && epoch > state.epoch) {
    const text = `epoch ${epoch} is not known: the epoch is ${state.epoch}`;
    return new VtrError('INVALID_ARGUMENT', text, { details: { name, epoch: state.epoch } });
  }
  return new VtrError('NOT_DRIVER', message(state, refusal, wallMs, epoch), {
    details: {
      name,
      epoch: state.epoch,
      ...(person && { driver: person.name, sinceMs: person.sinceWallMs }),
      ...(mark !== null && refusal !== 'watching' && { mark }),
      ...(note !== null && { note }),
    },
  });
}

function message(
  state: DrivingState,
  refusal: Refusal,
  wallMs: number,
  epoch: number | undefined,
): string {
  if (refusal === 'watching') return 'this viewer does not drive; take over first';
  const person = personOf(state);
  if (person === null) {
    return (
      `a person has driven it since epoch ${epoch}${noteText(state.note)}; read what was done (from ` +
      `the mark), and decide again; the epoch is ${state.epoch}`
    );
  }
  const forMs = Math.max(0, wallMs - person.sinceWallMs);
  return (
    `${person.name} has driven it for ${durationText(forMs)}${noteText(person.note)}; ` +
    'wait until no person drives'
  );
}

const noteText = (note: string | null): string => (note === null ? '' : ` (note: ${note})`);
