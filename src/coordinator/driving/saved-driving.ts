import type { Size } from '#model';
import { type Asking, type Driving, type DrivingState, undriven } from './driving.ts';

/** Returns null if the saved value is damaged. */
export function savedDriving(saved: unknown): DrivingState | null {
  const state = { ...undriven, ...object(saved) };
  const { epoch, driver, asking, present, note, takeovers, sizeBefore } = state;
  if (typeof saved !== 'object' || saved === null || !isCount(epoch)) return null;
  const isWhole =
    (driver === null || isDriving(driver)) &&
    Array.isArray(asking) &&
    asking.every(isAsking) &&
    Array.isArray(present) &&
    present.every((viewer) => typeof viewer === 'string') &&
    isTextOrNull(note) &&
    Array.isArray(takeovers) &&
    takeovers.every((each) => isCount(each?.epoch) && typeof each.mark === 'string') &&
    (sizeBefore === null || isSize(sizeBefore));
  // The epoch never goes back, whatever else is lost.
  return isWhole
    ? { epoch, driver, asking, present, note, takeovers, sizeBefore }
    : { ...undriven, epoch: epoch + 1 };
}

const object = (value: unknown): object =>
  typeof value === 'object' && value !== null ? value : {};

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

function isDriving(value: Partial<Driving>): value is Driving {
  const { kind, name, viewer, sinceWallMs, activeAtMs, activeWallMs, note } = value;
  return (
    (kind === 'agent' || kind === 'person') &&
    typeof name === 'string' &&
    [sinceWallMs, activeAtMs, activeWallMs].every((each) => typeof each === 'number') &&
    [viewer, note].every(isTextOrNull)
  );
}

const isAsking = (value: Partial<Asking> | null): boolean =>
  typeof value?.viewer === 'string' &&
  typeof value.name === 'string' &&
  typeof value.atMs === 'number';

const isSize = ({ cols, rows }: Partial<Size>): boolean => isCount(cols) && isCount(rows);
