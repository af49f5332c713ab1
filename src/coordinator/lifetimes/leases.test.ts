import { describe, expect, it } from 'vitest';
import { fakeSession } from '../../../test/support/session/fake-session.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Leases } from './leases.ts';

function begin() {
  const clock = new VirtualClock();
  const leases = new Leases(clock, (error) => {
    throw error;
  });
  const { session } = fakeSession();
  return { clock, leases, session };
}

const closed = expect.objectContaining({ code: 'LEASE_CLOSED' });
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a lease that another coordinator left', () => {
  it('can be opened again for 60 s, and then ends its programs', async () => {
    const { clock, leases, session } = begin();
    leases.adopt(['one', 'two']);
    leases.add('one', session);
    clock.advance(59_999);
    leases.open('two');
    expect(session.exitStatus).toBe(null);
    clock.advance(1);
    await settled();
    expect(session.info()).toMatchObject({ state: 'exited', endedBy: { reason: 'lease' } });
    expect(() => leases.open('one')).toThrow(closed);
    expect(() => leases.check('two')).not.toThrow();
    expect(clock.pending).toBe(0);
  });

  it('has one owner', () => {
    const { leases } = begin();
    leases.adopt(['one']);
    expect(leases.open('one').id).toBe('one');
    expect(() => leases.open('one')).toThrow(closed);
  });

  it('without sessions is known for the same time', async () => {
    const { clock, leases } = begin();
    expect(() => leases.open('early')).toThrow(closed);
    leases.adopt([]);
    await leases.open('empty').close();
    expect(() => leases.open('empty')).toThrow(closed);
    clock.advance(60_000);
    expect(() => leases.open('late')).toThrow(closed);
  });

  it('keeps its programs when the coordinator is detached', async () => {
    const { clock, leases, session } = begin();
    const own = leases.open();
    leases.adopt(['one']);
    leases.add(own.id, session);
    leases.detach();
    await own.close();
    clock.advance(120_000);
    await settled();
    expect(session.exitStatus).toBe(null);
  });
});
