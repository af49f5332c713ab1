import { beforeAll, describe, expect, it } from 'vitest';
import { setUp } from '../../../scripts/setup.mjs';
import { Place } from '../../support/vtr-command.ts';

beforeAll(() => setUp());

describe('vtr wait', () => {
  it('[S3.16] ends when output matches, and prints the line', async () => {
    const place = new Place();
    await place.ok('spawn', 'job', '--', 'sh', '-c', 'read x; echo "result: $x"; sleep 60');
    const waiting = place.vtr(['wait', 'job', 'result: \\d+', '--timeout', '1m']);
    // Sent again and again, because nobody tells when the wait has begun.
    let isOver = false;
    void waiting.then(() => {
      isOver = true;
    });
    await place.ok('send', 'job', '42', '--enter');
    while (!isOver) await place.vtr(['send', 'job', 'result: 43', '--enter']);
    expect(await waiting).toMatchObject({ status: 0, stderr: '' });
    expect((await waiting).stdout).toMatch(/result: 4[23]\n$/);
  });

  it('tells time-out and exit apart, in words and by status', async () => {
    const place = new Place();
    await place.shell('one');
    const late = await place.vtr(['wait', 'one', 'never', '--timeout', '50ms']);
    expect(late).toMatchObject({ status: 9, stdout: '' });
    expect(late.stderr).toContain('timed out after 50ms');
    await place.ok('spawn', 'done', '--', 'sh', '-c', 'exit 3');
    const gone = await place.vtr(['wait', 'done', 'never', '--json']);
    expect(gone.status).toBe(6);
    expect(JSON.parse(gone.stdout)).toMatchObject({
      outcome: 'exited',
      exit_code: 3,
      timed_out: false,
    });
  });

  it('refuses a duration without a unit', async () => {
    const { status, stderr } = await new Place().vtr(['wait', 'x', 'y', '--timeout', '5']);
    expect(status).toBe(2);
    expect(stderr).toContain('500ms, 5s or 2m');
  });
});

describe('vtr idle', () => {
  it('[S3.17] ends when nothing has changed for a while', async () => {
    const place = new Place();
    await place.shell('one');
    const { outcome } = await place.json('idle', 'one', '--idle', '100ms', '--timeout', '30s');
    expect(outcome).toBe('idle');
  });

  it('times out while a program goes on', async () => {
    const place = new Place();
    await place.ok('spawn', 'busy', '--', 'sh', '-c', 'while :; do echo x; done');
    const { status } = await place.vtr(['idle', 'busy', '--idle', '2s', '--timeout', '300ms']);
    expect(status).toBe(9);
    await place.ok('kill', 'busy', '-s', 'KILL');
    expect((await place.vtr(['idle', 'busy', '--idle', '10s', '--timeout', '20s'])).status).toBe(6);
  });
});
