import { expect, it } from 'vitest';
import { recordedRange } from './index.ts';

const recording = {
  durationMs: 90_500,
  markers: [
    { atMs: 10_000, label: 'build' },
    { atMs: 20_000, label: 'test' },
    { atMs: 30_000, label: 'ls ..' },
    { atMs: 40_000, label: 'build' },
  ],
};

it.each([
  ['..', 0, 90_500],
  ['5..', 5_000, 90_500],
  ['5s..1m30.5s', 5_000, 90_500],
  ['..12.25', 0, 12_250],
  ['marker:test..', 20_000, 90_500],
  ['marker:build..marker:test', 10_000, 20_000],
  ['marker:test..marker:build', 20_000, 40_000],
  ['marker:ls ....50', 30_000, 50_000],
  ['..marker:ls ..', 0, 30_000],
])('%j is a part of a recording', (text, fromMs, toMs) => {
  expect(recordedRange(recording, text)).toEqual({ fromMs, toMs });
});

it.each([
  ['5', /"5" is not FROM\.\.TO; use seconds/],
  ['x..5', /"x" is not a time; use seconds/],
  ['..-1', /"-1" is not a time/],
  ['7..5', /7 is after 5/],
  ['..91', /91 is after the end of the recording, at 90\.500 s/],
  ['marker:tets..', /no marker "tets"; did you mean "test"\?/],
  ['marker:other..', /no marker "other"; it has "build", "test", "ls \.\."/],
])('%j is refused', (text, message) => {
  expect(() => recordedRange(recording, text)).toThrow(message);
});

it('names no marker where there is none', () => {
  expect(() => recordedRange({ durationMs: 1, markers: [] }, 'marker:x..')).toThrow(/it has none$/);
});
