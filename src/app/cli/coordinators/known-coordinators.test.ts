import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { vtrFile } from '../../../../test/support/command/vtr-command.ts';
import { contextHere } from '../../../../test/support/command/vtr-here.ts';
import { tree } from '../../../../test/support/tree.ts';
import { coordinatorsOf, namedCoordinatorsOf, problemOf } from './known-coordinators.ts';

const selector = 'docker://web-*';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A command, and what docker says when it lists. */
function commandIn() {
  const bin = tree({ docker: '#!/bin/sh\n. "$0.said"\n' });
  chmodSync(join(bin, 'docker'), 0o755);
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  const context = contextHere(
    { env: {}, cwd: bin, program: vtrFile },
    { out: () => {}, say: () => {} },
  );
  const says = (script: string) => writeFileSync(join(bin, 'docker.said'), script);
  const names = async () => (await coordinatorsOf(context, selector)).map(({ name }) => name);
  return { context, says, names };
}

/** Later for what measures durations. */
function afterMs(ms: number): void {
  const nowMs = performance.now() + ms;
  vi.spyOn(performance, 'now').mockReturnValue(nowMs);
}

it('lists containers once for a command; a view gets the last list while the next is made', async () => {
  const { context, says, names } = commandIn();
  says('echo web-1; echo web-2');
  expect(await names()).toEqual(['web-1', 'web-2']);
  const [first] = await coordinatorsOf(context, selector);
  if (first === undefined) throw new Error('none');
  says('echo web-2; echo web-3');
  expect(await names()).toEqual(['web-1', 'web-2']);
  expect(await problemOf(context, first)).toBeNull();
  afterMs(11_000);
  expect(await names()).toEqual(['web-1', 'web-2']);
  await expect.poll(names).toEqual(['web-2', 'web-3']);
  expect(await problemOf(context, first)).toMatchObject({
    message: 'docker://web-* does not select docker://web-1 any more',
    details: { reason: 'NOT_SELECTED' },
  });
});

it('has one with the failure in place of those that cannot be listed, until they can', async () => {
  const { context, says, names } = commandIn();
  says('echo no daemon >&2; exit 1');
  const [failed, ...more] = await namedCoordinatorsOf(context, selector);
  if (failed === undefined) throw new Error('none');
  const message = 'the containers of docker://web-* cannot be listed: no daemon';
  expect([failed.name, failed.failure?.message, more]).toEqual([selector, message, []]);
  expect(await problemOf(context, failed)).toMatchObject({ message });
  says('echo web-1');
  afterMs(11_000);
  await expect.poll(names).toEqual(['web-1']);
  expect(await problemOf(context, failed)).toMatchObject({ details: { reason: 'NOT_SELECTED' } });
});

it('says that nothing runs, where that is named', async () => {
  const { context, says, names } = commandIn();
  says('echo db');
  expect(await names()).toEqual([]);
  const [none] = await namedCoordinatorsOf(context, selector);
  expect(none?.failure?.message).toBe('no running container matches docker://web-*');
  expect(none && (await problemOf(context, none))).toMatchObject({ code: 'UNAVAILABLE' });
});
