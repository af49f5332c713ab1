import { describe, expect, it } from 'vitest';
import { checkWebRequest } from './origins.ts';

const behindProxy = 'https://vtr.example';

describe('the address to listen at', () => {
  it.each(['', 'fe80::1%eth0', '::1%lo', 'a b'])('%j is refused: no page has it', (host) => {
    expect(() => checkWebRequest({ host, behindProxy })).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(/cannot be in the address of a page/),
      }),
    );
  });

  it.each(['0.0.0.0', '::', 'fe80::1', 'vtr.example', 'my_host'])('%j may be one', (host) => {
    expect(checkWebRequest({ host, behindProxy })).toEqual({ host, behindProxy });
  });
});
