import type { Params } from '../parser/params.ts';
import { functionKey } from '../parser/parser.ts';
import type { TerminalState } from '../state/terminal-state.ts';

export type FunctionKind = 'C0' | 'ESC' | 'CSI' | 'DCS';

export type Run = (t: TerminalState, params: Params) => void;

/**
 * A control function: its form, name, meaning and handler. Each function is defined by one line.
 * The dispatch and docs/sequences.md are made from these lines.
 */
export interface ControlFunction {
  readonly kind: FunctionKind;
  /** The key by which the parser identifies it. */
  readonly key: number;
  /** The conventional notation, for example `CSI Ps A`. */
  readonly notation: string;
  readonly mnemonic: string;
  readonly meaning: string;
  /** Absent if the function is known but not supported. It is then ignored. */
  readonly run?: Run;
}

/** A device control string. Its handler gets the whole payload after the string has ended. */
export interface DcsFunction extends Omit<ControlFunction, 'run'> {
  readonly run: (t: TerminalState, params: Params, payload: Uint8Array) => void;
}

/**
 * Defines a control sequence.
 *
 * @param form marker, parameters, intermediates and final, separated by spaces: `Ps A`, `? Pm h`,
 * `Ps SP q`
 */
export function csi(form: string, mnemonic: string, meaning: string, run?: Run): ControlFunction {
  return make('CSI', keyOf(form), `CSI ${form}`, mnemonic, meaning, run);
}

/** Defines a device control string; `form` is the part before its payload. */
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

/** Defines an escape sequence; `form` is the part after ESC. */
export function esc(form: string, mnemonic: string, meaning: string, run?: Run): ControlFunction {
  const parts = form.split(' ').map((part) => (part === 'SP' ? ' ' : part));
  const final = parts.pop() as string;
  return make('ESC', functionKey('', parts.join(''), final), `ESC ${form}`, mnemonic, meaning, run);
}

/** Defines a single control character. */
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
