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
  /** What the function does, if a parameter selects that. */
  readonly operations?: readonly Operation[];
}

/** One of several things that a function does. It has a row of its own in docs/sequences.md. */
export interface Operation<Effect = unknown> {
  /** The parameter or the word that selects it. */
  readonly value: number | string;
  readonly meaning: string;
  /** What it does, or what is reported. Absent if the operation is known but not supported. It is then ignored. */
  readonly effect?: Effect;
}

/** A handler that runs one of several operations. */
export interface Choice<Handler> {
  readonly operations: readonly Operation[];
  readonly run: Handler;
}

/** Defines an operation: what a function does when `value` selects it. */
export function when<Effect>(
  value: number | string,
  meaning: string,
  effect?: Effect,
): Operation<Effect> {
  return effect === undefined ? { value, meaning } : { value, meaning, effect };
}

/**
 * Runs the operation that a parameter selects.
 *
 * @param index of the parameter
 * @param fallback if it is omitted
 */
export function byParameter(
  operations: readonly Operation<Run>[],
  index = 0,
  fallback = 0,
): Choice<Run> {
  const effects = new Map(operations.map(({ value, effect }) => [value, effect]));
  return {
    operations,
    run: (t, params) => effects.get(params.get(index, fallback))?.(t, params),
  };
}

/** A device control string. Its handler gets the whole payload after the string has ended. */
export interface DcsFunction extends Omit<ControlFunction, 'run'> {
  readonly run: DcsRun;
}

export type DcsRun = (t: TerminalState, params: Params, payload: Uint8Array) => void;

/**
 * Defines a control sequence.
 *
 * @param form marker, parameters, intermediates and final, separated by spaces: `Ps A`, `? Pm h`,
 * `Ps SP q`
 */
export function csi(
  form: string,
  mnemonic: string,
  meaning: string,
  run?: Run | Choice<Run>,
): ControlFunction {
  return make('CSI', keyOf(form), `CSI ${form}`, mnemonic, meaning, run);
}

/** Defines a device control string; `form` is the part before its payload. */
export function dcs(
  form: string,
  mnemonic: string,
  meaning: string,
  run: DcsRun | Choice<DcsRun>,
): DcsFunction {
  const described = {
    kind: 'DCS' as const,
    key: keyOf(form),
    notation: `DCS ${form}`,
    mnemonic,
    meaning,
  };
  return { ...described, ...handled(run) };
}

/** The properties of a row for its handler. */
export function handled<Handler extends (...args: never[]) => void>(
  run: Handler | Choice<Handler>,
): { readonly run: Handler; readonly operations?: readonly Operation[] } {
  return typeof run === 'function' ? { run } : run;
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
  run: Run | Choice<Run> | undefined,
): ControlFunction {
  const described = { kind, key, notation, mnemonic, meaning };
  return run === undefined ? described : { ...described, ...handled(run) };
}
