import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { McpHost } from '../../support/mcp/mcp-client.ts';

describe('a person who takes a session over from an agent', () => {
  it('refuses its input, is waited for, and leaves a note and a mark, once', async () => {
    const place = new Place();
    const host = await McpHost.start(place);
    const session_id = await host.shell({ name: 'one' });
    expect(await host.call('run', { session_id, line: 'echo agent' })).toMatchObject({
      content: 'agent',
    });
    const { driver } = await host.call('get_info', { session_id });
    expect(driver).toMatchObject({ kind: 'agent', name: 'test', epoch: 1 });

    const epoch = (await place.ok('take', 'one', '--note', 'merging')).trim();
    const person = { name: expect.any(String), kind: 'person', epoch: 2 };
    expect(await host.call('get_info', { session_id })).toMatchObject({ driver: person });
    expect((await host.call('list_sessions')).sessions[0].driven_by).toEqual(person.name);
    for (let tries = 0; tries < 2; tries++) {
      expect(await host.failure('send', { session_id, text: 'lost\n' })).toMatch(
        /^SESSION_ERROR: session one: .* \(note: merging\); use terminal__wait \{"wait_for_driver":true\}/,
      );
    }
    expect(await host.failure('run', { session_id, line: 'echo lost' })).toMatch(/wait_for_driver/);
    expect(await host.failure('resize', { session_id, rows: 9, cols: 9 })).toMatch(/merging/);

    await place.ok('send', 'one', 'echo "by $((40+2))"', '-e', '--epoch', epoch);
    await place.sees('one', 'by 42');
    const waiting = host.call('wait', { session_id, wait_for_driver: true });
    await place.ok('give', 'one', '--note', 'go on');
    const waited = await waiting;
    expect(waited.note).toMatch(/^go on; what was done: terminal__read \{.*"since":"r1-/);
    const since = /"since":"(r1-[^"]*)"/.exec(waited.note)?.[1];
    const read = await host.call('read', { session_id, view: 'new', since });
    expect(read.content).toContain('by 42');
    expect(await host.call('send', { session_id, text: 'echo on\n' })).toEqual({ sent: true });

    // Without a wait, the next input fails once.
    await place.ok('take', 'one');
    await place.ok('give', 'one', '--note', 'once more');
    expect(await host.failure('run', { session_id, line: 'echo old' })).toMatch(
      /since epoch 3 \(note: once more\); .* the epoch is 5; what was done: terminal__read /,
    );
    expect(await host.call('run', { session_id, line: 'echo new' })).toMatchObject({
      content: 'new',
    });
    expect((await place.vtr(['screen', 'one'])).stdout).not.toMatch(/lost|old/);
  });
});
