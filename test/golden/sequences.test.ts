import { describe, expect, it } from 'vitest';
import { ansiModes, controlFunctions, dcsFunctions, decModes, oscFunctions } from '#vt/functions';
import { observe, readSequenceCases, type SequenceCase } from '../support/vt/sequence-cases.ts';
import { withoutFunction, withoutOperation } from '../support/vt/sequence-names.ts';

const cases = readSequenceCases();

/** Subjects of cases that are not about a single function. */
const groups = ['syntax', 'characters'];

const supported = [
  ...controlFunctions.filter((each) => each.run !== undefined).map((each) => each.notation),
  ...dcsFunctions.map((each) => each.notation),
  ...ansiModes.map((mode) => `mode ${mode.number}`),
  ...decModes.map((mode) => `mode ?${mode.number}`),
  ...oscFunctions.filter((each) => each.run !== undefined).map((each) => `OSC ${each.number}`),
];

const commands = oscFunctions.map((each) => ({ ...each, notation: `OSC ${each.number}` }));

/** The operations of functions that a parameter or a word selects. */
const operations = [...controlFunctions, ...dcsFunctions, ...commands].flatMap(
  ({ notation, operations = [] }) =>
    operations
      .filter(({ effect }) => effect !== undefined)
      .map(({ value }) => ({ notation, value: String(value) })),
);

const holds = (each: SequenceCase, input: string): boolean =>
  JSON.stringify(observe(each, input)) === JSON.stringify(each.expected);

describe('the cases of the control functions', () => {
  it('each expect something', () => {
    const empty = cases.filter((each) => Object.keys(each.expected).length === 0);
    expect(empty.map((each) => each.title)).toEqual([]);
  });

  it('are about functions that are supported', () => {
    const names = [...supported, ...groups];
    expect(cases.map((each) => each.about).filter((about) => !names.includes(about))).toEqual([]);
  });

  // A case that passes without its function does not test it.
  it('cover every supported function and mode with a case that fails without it', () => {
    const unshown = supported.filter(
      (name) =>
        !cases.some(
          (each) => each.about === name && !holds(each, withoutFunction(each.input, name)),
        ),
    );
    expect(unshown).toEqual([]);
  });

  it('cover every operation of a function, too', () => {
    const unshown = operations.filter(
      ({ notation, value }) =>
        !cases.some(
          (each) =>
            each.about === notation && !holds(each, withoutOperation(each.input, notation, value)),
        ),
    );
    expect(operations.length).toBeGreaterThan(100);
    expect(unshown).toEqual([]);
  });
});

describe.each([...new Set(cases.map((each) => each.about))])('%s', (about) => {
  const own = cases.filter((each) => each.about === about);
  it.each(own.map((each) => [each.title, each] as const))('%s', (_title, each) => {
    expect(observe(each, each.input)).toEqual(each.expected);
  });
});
