import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { earlyCode, lateCode } from './early-code.ts';

it('V8 knows the flags for its version', () => {
  const flags = [...earlyCode(process.versions.v8), ...lateCode(process.versions.v8)];
  expect(execFileSync(process.execPath, [...flags, '-p', '1'], { encoding: 'utf8' })).toBe('1\n');
});

it.each([
  ['11.3.244.8-node.33', 1],
  ['12.4.254.21-node.33', 0],
  ['13.6.233.10-node.28', 0],
])('V8 %s has %d of them', (v8, count) => {
  expect(earlyCode(v8)).toHaveLength(count);
  expect(lateCode(v8)).toHaveLength(count);
});
