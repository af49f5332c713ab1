import { durationText } from '#base';
import { VtrError } from '#model';
import { type DrivingState, markAfter, personOf, type Refusal } from './driving.ts';

/**
 * The error of input that is refused.
 *
 * @param wallMs now, in ms since 1970
 * @param epoch that the input carried, if any
 */
export function notDriver(
  state: DrivingState,
  refusal: Refusal,
  wallMs: number,
  epoch: number | undefined,
): VtrError {
  const person = personOf(state);
  const note = person === null ? state.note : person.note;
  const mark = markAfter(state, epoch ?? state.epoch - 1);
  return new VtrError('NOT_DRIVER', message(state, refusal, wallMs, epoch), {
    details: {
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
    const noted = state.note === null ? '' : ` and left a note: ${state.note}`;
    return (
      `a person drove since epoch ${epoch}${noted}; read what was done (from the mark), ` +
      `then decide again: the epoch is ${state.epoch}`
    );
  }
  const forMs = Math.max(0, wallMs - person.sinceWallMs);
  const noted = person.note === null ? '' : ` and left a note: ${person.note}`;
  return `${person.name} has driven it for ${durationText(forMs)}${noted}; wait until nobody does (driver)`;
}
