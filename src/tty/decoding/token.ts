/** A `CSI` sequence: `CSI prefix parameters intermediates final`. */
export interface ControlSequence {
  /** `<`, `=`, `>` or `?`; `[` for the function keys of the Linux console; else empty. */
  readonly prefix: string;
  /** Each parameter with its parts (`1:2`); null for what is left out. */
  readonly parameters: readonly (readonly (number | null)[])[];
  readonly intermediates: string;
  /** `$` for keys of rxvt with shift. */
  readonly final: string;
}

/** What the bytes of a terminal consist of. `alt`: ESC precedes it. */
export type Token =
  | { readonly kind: 'character'; readonly text: string; readonly alt: boolean }
  /** C0 or DEL. */
  | { readonly kind: 'control'; readonly code: number; readonly alt: boolean }
  | { readonly kind: 'csi'; readonly sequence: ControlSequence; readonly alt: boolean }
  /** `SS3 parameter final` */
  | {
      readonly kind: 'ss3';
      readonly parameter: string;
      readonly final: string;
      readonly alt: boolean;
    }
  /** The three values after `CSI M`, less 32. */
  | { readonly kind: 'mouse'; readonly values: readonly number[] }
  /**
   * OSC (`]`), DCS (`P`) or APC (`_`). Long ones come in parts, of which all but the last `continue`.
   */
  | {
      readonly kind: 'string';
      readonly introducer: string;
      readonly content: string;
      readonly isWhole: boolean;
      readonly continues: boolean;
    }
  | { readonly kind: 'pasteBegin' }
  /** Ill-formed UTF-8, or a sequence that is ill-formed or ends early. */
  | { readonly kind: 'unknown' };

const shape = /^([<=>?[]?)([\d;:]*)([ -/]*)([@-~])$|^()(\d+)()(\$)$/;

/** Parses what follows `CSI`; undefined if it is ill-formed. */
export function parseControlSequence(body: string): ControlSequence | undefined {
  const [prefix, parameters, intermediates, final] =
    shape
      .exec(body)
      ?.slice(1)
      .filter((part) => part !== undefined) ?? [];
  if (final === undefined) return undefined;
  return {
    prefix: prefix ?? '',
    parameters: parseParameters(parameters ?? ''),
    intermediates: intermediates ?? '',
    final,
  };
}

const parseParameters = (text: string): (number | null)[][] =>
  text === '' ? [] : text.split(';').map((field) => field.split(':').map(parseNumber));

const parseNumber = (digits: string): number | null => (digits === '' ? null : Number(digits));

/** Returns the value of a parameter, or its default if it is left out. */
export const parameterOf = (sequence: ControlSequence, index: number, otherwise = 0): number =>
  sequence.parameters[index]?.[0] ?? otherwise;

/** Returns the first part of each parameter, 0 for those that are left out. */
export const parametersOf = (sequence: ControlSequence): number[] =>
  sequence.parameters.map(([value]) => value ?? 0);
