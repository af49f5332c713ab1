import { describe, expect, it } from 'vitest';
import { flow } from '#model';
import { SimulatedFlow } from '../support/flow/simulated-flow.ts';

/** By then the window knows what the coordinator handles. */
const settledMs = 250;
const endMs = 1_250;

describe('ten floods, as the PTY host and the coordinator share their time among them', () => {
  const simulated = new SimulatedFlow();
  const floods = Array.from({ length: 10 }, () => simulated.open());
  const quiet = simulated.open();
  for (const { program } of floods) program.flood();
  simulated.run(settledMs);
  const before = floods.map(({ handled }) => handled);
  const waitedMs = simulated.coordinator.waitedMs;
  simulated.mostInFlight = 0;
  const echoesMs: number[] = [];
  for (let atMs = settledMs; atMs < endMs; atMs += 37) {
    simulated.type(quiet, atMs, (ms) => echoesMs.push(ms));
    simulated.run(atMs + 37);
  }
  const handled = floods.map((each, index) => each.handled - (before[index] ?? 0));
  const all = handled.reduce((a, b) => a + b);

  it('delay no echo by more than what they may have under way', () => {
    expect(echoesMs).toHaveLength(Math.ceil((endMs - settledMs) / 37));
    expect(Math.max(...echoesMs)).toBeLessThan(flow.window.sharedMs);
  });

  it('have as much under way as the window allows, and not more', () => {
    const { maxSharedBytes, minSharedBytes } = flow.window;
    expect(simulated.mostInFlight).toBeGreaterThan(minSharedBytes);
    expect(simulated.mostInFlight).toBeLessThanOrEqual(maxSharedBytes + flow.steps.sharedStepBytes);
  });

  it('leave the coordinator no time without work', () => {
    expect(simulated.coordinator.waitedMs - waitedMs).toBeLessThan(0.01 * (endMs - settledMs));
  });

  it('each get a third of an equal share, at least', () => {
    expect(Math.min(...handled)).toBeGreaterThan(all / floods.length / 3);
  });

  it('are saved before the host stops reading them', () => {
    expect(floods.map(({ session }) => session.isStalled)).not.toContain(true);
  });
});

it('one flood alone has the wide window, and the coordinator never waits', () => {
  const simulated = new SimulatedFlow();
  const { program } = simulated.open();
  // Faster than the coordinator.
  program.flood(100_000);
  simulated.run(settledMs);
  const { waitedMs } = simulated.coordinator;
  simulated.run(endMs);
  const { aloneBytes, maxSharedBytes } = flow.window;
  expect(simulated.mostInFlight).toBeGreaterThan(maxSharedBytes);
  expect(simulated.mostInFlight).toBeLessThanOrEqual(aloneBytes);
  expect(simulated.coordinator.waitedMs - waitedMs).toBeLessThan(0.01 * (endMs - settledMs));
});

it('ten floods beside somebody who types each 4 ms have more than half of their output', () => {
  const simulated = new SimulatedFlow();
  const floods = Array.from({ length: 10 }, () => simulated.open());
  const quiet = simulated.open();
  for (const { program } of floods) program.flood();
  const output = (untilMs: number) => {
    const before = floods.reduce((sum, { handled }) => sum + handled, 0);
    simulated.run(untilMs);
    return floods.reduce((sum, { handled }) => sum + handled, 0) - before;
  };
  simulated.run(settledMs);
  const alone = output(endMs);
  let beside = 0;
  for (let atMs = endMs; atMs < 2 * endMs - settledMs; atMs += 4) {
    // A program that does not echo has the floods held for as long as it may.
    simulated.type(quiet, atMs, () => {}, 20);
    beside += output(atMs + 4);
  }
  expect(beside / alone).toBeGreaterThan(1 / 2);
  expect(beside / alone).toBeLessThan(3 / 4);
});
