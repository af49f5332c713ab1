import type { KeyPress } from '#model';
import { type BoundKey, boundKey, boundPress } from '../../keys/bound-key.ts';
import type { Target } from '../../target/target.ts';
import { Call } from '../call.ts';
import { leaveMode } from './modes.ts';

/** A part of what is typed: bytes, text, or keys. */
export type Part = string | KeyPress | number;

/** These end a list or the clock; there is nobody who would choose from a list. */
const ends: ReadonlySet<string> = new Set(['q', 'Escape', 'C-c', 'C-g']);

/**
 * Types into the mode of a pane. In copy mode keys do what they are bound to, when all of them have been read, as
 * with tmux: also those after one that ends the mode.
 *
 * @returns what is left for the program, after the key that has ended another mode
 */
export async function typeInModes(
  call: Call,
  target: Target,
  parts: readonly Part[],
): Promise<readonly Part[]> {
  const { pane } = target;
  let left = parts.flatMap((part): readonly Part[] =>
    typeof part === 'string' ? [...part] : [part],
  );
  for (let mode = pane.modes.current; mode !== null; mode = pane.modes.current) {
    if (mode.copy !== null) {
      for (const part of left) await runBound(call, target, keyOfPart(part));
      return [];
    }
    const [part, ...rest] = left;
    // As with tmux, these modes take keys only while a client is attached.
    if (part === undefined || call.server.clients.size === 0) return [];
    left = rest;
    const name = keyOfPart(part)?.name ?? '';
    if (mode.name === 'clock-mode' || ends.has(name)) leaveMode(call.server, pane);
  }
  return left;
}

async function runBound(call: Call, target: Target, key: BoundKey | null): Promise<void> {
  const { server, caller, output, runner, hook } = call;
  const table = target.pane.options.text('mode-keys') === 'vi' ? 'copy-mode-vi' : 'copy-mode';
  const binding = key === null ? null : server.keys.get(table, key);
  if (binding === null) return;
  const bound = new Call(server, caller, output, runner, hook === null ? null : { hook, target });
  bound.makeCurrent(target);
  await runner.runText(binding.commands, bound);
}

function keyOfPart(part: Part): BoundKey | null {
  if (typeof part === 'object') return boundPress(part);
  if (typeof part === 'string') return boundKey(part);
  if (part === 27) return boundKey('Escape');
  if (part < 32) return boundKey(`C-${String.fromCharCode(part + 96)}`);
  return boundKey(String.fromCharCode(part));
}
