import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseXml, type XmlElement } from '../../../../test/support/parsed-xml.ts';
import { TestFailure } from '../test-failure.ts';
import { reporters, type TestResult } from './reporters.ts';

/** What the schema of Jenkins' JUnit plugin allows of each element: its attributes, and its children. */
const schema: Readonly<Record<string, { attributes: string[]; children: string[] }>> = {
  testsuites: {
    attributes: ['name', 'tests', 'failures', 'errors', 'time'],
    children: ['testsuite'],
  },
  testsuite: {
    attributes: ['name', 'tests', 'failures', 'errors', 'skipped', 'time'],
    children: ['testcase'],
  },
  testcase: { attributes: ['name', 'classname', 'time'], children: ['failure'] },
  failure: { attributes: ['message', 'type'], children: [] },
};

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(...'<>&"\'\n\t ]]>-', '\x00', '\x1b', '\ud800', '\ufffe', '漢'),
  }),
);
const failure = fc.record({ message: text, details: text, line: fc.nat(99) });
const result = fc
  .record({ file: text, runs: fc.integer({ min: 1, max: 3 }), failures: fc.array(failure) })
  .map(({ file, runs, failures }): TestResult => {
    const errors = failures.slice(0, runs).map(({ message, details, line }) => {
      return new TestFailure(message, { details, left: [file], place: { file, line } });
    });
    return { file, runs, failures: errors, durationMs: 12.345 };
  });

it('a JUnit report is XML that the schema allows, and its counts are right', () => {
  fc.assert(
    fc.property(fc.array(result, { maxLength: 4 }), (results) => {
      const root = parseXml(reporters.junit.end(results));
      expect(root.name).toBe('testsuites');
      check(root);
      const [suite] = root.children as [XmlElement];
      const failed = results.filter(({ failures }) => failures.length > 0);
      for (const { attributes } of [root, suite]) {
        expect(attributes.get('tests')).toBe(`${results.length}`);
        expect(attributes.get('failures')).toBe(`${failed.length}`);
      }
      expect(suite.children).toHaveLength(results.length);
      const shown = suite.children.filter(({ children }) => children.length > 0);
      expect(shown).toHaveLength(failed.length);
    }),
  );
});

function check({ name, attributes, children }: XmlElement): void {
  const allowed = schema[name];
  expect([...attributes.keys()].sort()).toEqual([...(allowed?.attributes ?? [])].sort());
  for (const number of ['tests', 'failures', 'errors', 'skipped']) {
    if (attributes.has(number)) expect(attributes.get(number)).toMatch(/^\d+$/);
  }
  if (attributes.has('time')) expect(attributes.get('time')).toMatch(/^\d+\.\d{3}$/);
  for (const child of children) {
    expect(allowed?.children).toContain(child.name);
    check(child);
  }
}

it('it shows names and messages as they are, without control characters', () => {
  const place = { file: 'a & <b>.tape', line: 2 };
  const failures = [new TestFailure('/"no"/ was\x1b[1m not shown', { place, details: '1\n<&>' })];
  const report = reporters.junit.end([{ file: place.file, runs: 1, failures, durationMs: 1 }]);
  const [suite] = parseXml(report).children;
  const [test] = suite?.children ?? [];
  expect(test?.attributes.get('name')).toBe('a & <b>.tape');
  const [shown] = test?.children ?? [];
  expect(shown?.attributes.get('message')).toBe('a & <b>.tape:2: /"no"/ was[1m not shown');
  expect(shown?.text).toBe('1\n<&>');
});
