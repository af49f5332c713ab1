import { describe, expect, it } from 'vitest';
import { checkFilesLeft, checkHeadroom, forkRefused, type Headroom } from './system-limits.ts';

const files: Headroom = { what: 'open files', used: 1000, max: 1024, needed: 68 };
const tasks: Headroom = { what: 'tasks', used: 10, max: null, needed: 2 };
const unknown: Headroom = { what: 'pseudo-terminals', used: null, max: 4096, needed: 1 };

describe('checkHeadroom', () => {
  it('refuses with the limit and its use', () => {
    expect(() => checkHeadroom(1, () => [tasks, files])).toThrowError(
      expect.objectContaining({
        code: 'SYSTEM_LIMIT',
        message: expect.stringContaining('open files 1000 of 1024'),
      }),
    );
  });

  it.each([
    ['there is enough', { ...files, used: 956 }],
    ['there is no limit', tasks],
    ['it is unknown', unknown],
  ])('accepts a spawn if %s', (_, headroom) => {
    checkHeadroom(1, () => [headroom]);
  });

  it('accepts a spawn on this machine', () => {
    checkHeadroom(2);
  });
});

describe('checkFilesLeft', () => {
  it('refuses with the limit and its use', () => {
    expect(() => checkFilesLeft(5, 4, 24)).toThrowError(
      expect.objectContaining({
        code: 'SYSTEM_LIMIT',
        message: expect.stringContaining('open files 20 of 24'),
      }),
    );
  });

  it('accepts enough, and what is not known', () => {
    checkFilesLeft(5, 5, 24);
    checkFilesLeft(5, null, null);
  });
});

describe('forkRefused', () => {
  const cause = new Error('forkpty(3) failed.');

  it('names the reached limit, and all numbers', () => {
    const error = forkRefused(cause, () => [tasks, files, unknown]);
    expect(error.message).toMatch(/forkpty.*likely open files/);
    const limits = [
      'tasks 10 of no limit',
      'open files 1000 of 1024',
      'pseudo-terminals ? of 4096',
    ];
    expect(error).toMatchObject({ code: 'SYSTEM_LIMIT', cause, details: { limits } });
  });

  it('reports that no limit is reached', () => {
    const error = forkRefused(cause, () => [tasks]);
    expect(error).toMatchObject({
      code: 'SPAWN_FAILED',
      message: expect.stringContaining('no readable limit'),
    });
  });
});
