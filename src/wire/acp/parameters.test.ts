import { describe, expect, it } from 'vitest';
import { createParameters } from './parameters.ts';

describe('the parameters of terminal/create', () => {
  const least = { sessionId: 's', command: 'true' };
  const request = { conversationId: 's', command: 'true', args: [], env: {} };

  it.each([
    ['what is null is absent', { args: null, env: null, cwd: null, outputByteLimit: null }, {}],
    ['what the protocol does not know is not looked at', { _meta: { a: 1 }, later: true }, {}],
    [
      'the largest limit of the protocol is one',
      { outputByteLimit: 2 ** 64 },
      { outputByteLimit: 2 ** 64 },
    ],
    ['nothing is a limit', { outputByteLimit: 0 }, { outputByteLimit: 0 }],
  ])('%s', (_what, params, more) => {
    expect(createParameters({ ...least, ...params })).toEqual({ ...request, ...more });
  });
});
