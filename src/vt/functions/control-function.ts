import type { Params } from '../parser/params.ts';
import { functionKey } from '../parser/parser.ts';
import type { TerminalState } from '../state/terminal-state.ts';

export type FunctionKind = 'C0' | 'ESC' | 'CSI' | 'DCS';

export type Run = (t: TerminalState, params: Params) => void;

/**
 * One control function: how it is written, what it is called, what it does. The line that makes one
 * is all that there is about it; the dispatch and docs/sequences.md are made from these lines.
 */
export interface ControlFunction {
  readonly kind: FunctionKind;
  /** What the parser calls it by. */
  readonly key: number;
  /** As people write it, e.g. `CSI Ps A`. */
  readonly notation: string;
  readonly mnemonic: string;
  readonly meaning: string;
  /** Absent for what is known and not supported: it is read over. */
  readonly run?: Run;
}

/** A device control string; its payload comes whole, when it has ended. */
export interface DcsFunction extends Omit<ControlFunction, 'run'> {
  readonly run: (t: TerminalState, params: Params, payload: Uint8Array) => void;
}

/**
 * A control sequence.
 *
 * @param form marker, parameters, intermediates and final, parted by spaces: `Ps A`, `? Pm h`, `Ps SP q`
 */
export function csi(form: string, mnemonic: string, meaning: string, run?: Run): ControlFunction {
  return make('CSI', keyOf(form), `CSI ${form}`, mnemonic, meaning, run);
}

/** A device control string; `form` is what stands before its payload. */
export function dcs(
  form: string,
  mnemonic: string,
  meaning: string,
  run: DcsFunction['run'],
): DcsFunction {
  return { kind: 'DCS', key: keyOf(form), notation: `DCS ${form}`, mnemonic, meaning, run };
}

function keyOf(form: string): number {
  const parts = form.split(' ').filter((part) => !/^(P[a-z]|[;:])$/.test(part));
  const final = parts.pop() as string;
  const marker = parts.length > 0 && /^[<=>?]$/.test(parts[0]) ? (parts.shift() as string) : '';
  const intermediates = parts.map((part) => (part === 'SP' ? ' ' : part)).join('');
  return functionKey(marker, intermediates, final);
}

/** An escape sequence; `form` is what follows ESC. */
export function esc(form: string, mnemonic: string, meaning: string, run?: Run): ControlFunction {
  const parts = form.split(' ').map((part) => (part === 'SP' ? ' ' : part));
  const final = parts.pop() as string;
  return make('ESC', functionKey('', parts.join(''), final), `ESC ${form}`, mnemonic, meaning, run);
}

/** A single control character. */
export function c0(code: number, mnemonic: string, meaning: string, run?: Run): ControlFunction {
  const notation = `0x${code.toString(16).toUpperCase().padStart(2, '0')}`;
  return make('C0', code, notation, mnemonic, meaning, run);
}

function make(
  kind: FunctionKind,
  key: number,
  notation: string,
  mnemonic: string,
  meaning: string,
  run: Run | undefined,
): ControlFunction {
  const described = { kind, key, notation, mnemonic, meaning };
  return run === undefined ? described : { ...described, run };
}
