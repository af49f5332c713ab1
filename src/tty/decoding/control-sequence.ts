import type { ControlSequence } from './token.ts';

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
