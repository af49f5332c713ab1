import type { ViewState } from '../view-state.ts';

/** Returns who drives, and which key changes that. Empty before it is known. */
export function driverText({ viewing, keys }: ViewState): string {
  if (viewing === null) return '';
  const hint = (does: string) => {
    const text = keys.hint('attach', 'take', does);
    return text === '' ? '' : `: ${text}`;
  };
  const { driver, askedBy } = viewing;
  if (viewing.drives) {
    return askedBy === undefined ? 'you drive' : `${askedBy} asks for it${hint('gives it')}`;
  }
  if (driver === null) return `nobody drives${hint('to drive')}`;
  if (driver.kind === 'agent') return `${driver.name} drives${hint('to take over')}`;
  const { note } = viewing;
  return `${driver.name} drives${note === undefined ? '' : ` (${note})`}${hint('to ask for it')}`;
}

/** Returns who else sees the session; empty if nobody does. */
export function viewersText({ viewing }: ViewState): string {
  const count = viewing?.viewers.length ?? 0;
  if (count < 2) return '';
  const names = [...new Set(viewing?.viewers.map(({ name }) => name))];
  return `${count} viewers: ${names.join(', ')}`;
}
