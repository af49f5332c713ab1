import { expect, it } from 'vitest';
import { flow } from './flow.ts';

const { reading, steps, window, receiving, saving } = flow;

it.each<[string, number, number]>([
  [
    'a step next to others fits what any session may send',
    steps.sharedStepBytes,
    window.expressBytes,
  ],
  ['a read next to others fits a step', reading.sharedReadBytes, steps.sharedStepBytes],
  ['a whole read fits a step of one alone', reading.wholeReadBytes, steps.aloneStepBytes],
  [
    'what is acknowledged at least is less than what may be under way',
    receiving.minAckBytes,
    window.minSharedBytes,
  ],
  [
    'rare acknowledgements keep the window of one alone open',
    receiving.lazyAckBytes,
    window.aloneBytes / 2,
  ],
  [
    'the coordinator takes what floods may have under way in one read',
    window.maxSharedBytes,
    receiving.readBytes,
  ],
  [
    'a session is saved before the host stops reading it, with what is on its way',
    saving.maxUnsavedBytes + window.aloneBytes,
    steps.maxWideSessionBytes,
  ],
  [
    'all are saved before the host gives no session more than its part',
    saving.maxAllUnsavedBytes + window.aloneBytes,
    steps.maxWideAllBytes,
  ],
  [
    'one session leaves others their part while no coordinator saves',
    steps.maxWideAllBytes + steps.maxSessionBytes,
    steps.maxAllBytes,
  ],
  [
    'no state is dropped before a session must be saved',
    saving.maxUnsavedBytes / saving.stateBytes,
    saving.maxStates,
  ],
  ['a state is taken before a session must be saved', saving.stateBytes, saving.maxUnsavedBytes],
])('%s', (_why, less, more) => {
  expect(less).toBeLessThanOrEqual(more);
});
