import { describe, expect, it } from 'vitest';
import type { Share } from '../access/web-access.ts';
import { Scope } from './scope.ts';

const share = (write: boolean): Share => ({
  ...{ id: 'x', hash: '', sessionId: 'id-1', session: 'codex', write, alis: false },
  ...{ sinceMs: 0, untilMs: 1 },
});

/** Every method of proto/vtr.proto that is not for pages at all. */
const never = [
  ...[
    'StopDaemon',
    'RestartDaemon',
    'DescribeDaemon',
    'StartWeb',
    'StopWeb',
    'ShareWeb',
    'Unshare',
  ],
  ...['ListShares', 'DescribeWeb', 'Publish', 'OpenLease', 'CloseLease', 'StartRecording'],
  ...[
    'RunTmux',
    'ControlTmux',
    'StopRecording',
    'RemoveRecording',
    'TakeDriver',
    'GiveDriver',
    'constructor',
    'toString',
  ],
];

const ownerOnly = [
  ...[
    'List',
    'Spawn',
    'Revive',
    'End',
    'Kill',
    'Remove',
    'Rename',
    'SetLabels',
    'GetScreen',
    'Read',
  ],
  ...['SetMarker', 'ListRecordings'],
];

const inputs = ['SendText', 'SendKey', 'SendBytes', 'SendMouse', 'SendFocus', 'Resize'];

const refused = (act: () => unknown) =>
  expect(act).toThrow(expect.objectContaining({ code: 'NOT_ALLOWED' }));

/** A scope with a viewing of its own. */
function viewing(write: boolean): Scope {
  const scope = new Scope(share(write));
  scope.seen('View', { json: { viewId: 'mine' }, bytes: null });
  return scope;
}

describe('[S3.32] a page', () => {
  it.each(never)('never calls %s', (method) => {
    for (const scope of [new Scope(null), viewing(false), viewing(true)]) {
      refused(() => scope.call(method, {}));
      refused(() => scope.stream(method, {}));
    }
  });

  it('with the full cookie views as web, whatever it says', () => {
    const body = new Scope(null).stream('View', { name: 'a', kind: 'VIEWER_KIND_ATTACH' });
    expect(body).toEqual({ name: 'a', kind: 'VIEWER_KIND_WEB', person: 'web' });
  });

  it.each(['viewer', 'viewId', 'view_id', 'watchId', 'watch_id'])(
    'uses no %s of another connection',
    (name) => {
      for (const each of [new Scope(null), viewing(true)]) {
        refused(() => each.call('CloseView', { [name]: 'not mine' }));
        refused(() => each.call('CloseView', { [name]: 7 }));
      }
      expect(viewing(true).call('CloseView', { view_id: 'mine' })).toEqual({ viewId: 'mine' });
    },
  );

  it('gives no field twice under its two names', () => {
    expect(() => new Scope(null).call('Info', { sessionId: 'a', session_id: 'b' })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });
});

describe('[S3.32] a visitor with a share', () => {
  it.each(ownerOnly)('does not call %s', (method) => {
    refused(() => viewing(true).call(method, { viewer: 'mine' }));
  });

  it.each(['Info', 'ReadLines', 'ListCommands', 'GetCommandOutput', 'Grep'])(
    'calls %s for its session only',
    (method) => {
      const others = [{ name: 'other' }, { sessionId: 'other' }, { session_id: 'other' }];
      for (const body of others) {
        expect(viewing(false).call(method, body)).toEqual({ sessionId: 'id-1' });
      }
    },
  );

  it.each(inputs)('does not call %s without --write, nor without a viewing', (method) => {
    refused(() => viewing(false).call(method, { viewer: 'mine' }));
    refused(() => viewing(true).call(method, {}));
    refused(() => viewing(true).call(method, { viewer: null }));
    const body = { name: 'other', viewer: 'mine' };
    expect(viewing(true).call(method, body)).toEqual({ viewer: 'mine', sessionId: 'id-1' });
  });

  // An enumeration is its name or its number.
  it.each(['VIEW_AS_FORCE', 3])('watches, and takes over only with --write, never by %j', (as) => {
    const asked = { name: 'other', as, viewId: 'lost' };
    const common = { person: 'visitor', kind: 'VIEWER_KIND_WEB', sessionId: 'id-1' };
    expect(viewing(false).stream('View', asked)).toEqual({ ...common, as: 'VIEW_AS_WATCH' });
    expect(viewing(true).stream('View', asked)).toEqual({
      ...{ ...common, as: 'VIEW_AS_TAKE', viewId: 'lost' },
    });
    refused(() => viewing(false).call('UpdateView', { viewId: 'mine', take: {} }));
    const take = { viewId: 'mine', take: { force: true } };
    expect(viewing(true).call('UpdateView', take)).toEqual({ viewId: 'mine', take: {} });
  });

  it('sees only its session among all', () => {
    const scope = new Scope(share(false));
    const [own, other] = [
      { id: 'id-1', name: 'codex' },
      { id: 'id-2', name: 'secret' },
    ];
    const seen = (json: object) =>
      scope.seen('WatchSessions', { json: { ...json }, bytes: null })?.json ?? null;
    expect(seen({ watchId: 'w', sessions: { sessions: [own, other] } })).toEqual({
      ...{ watchId: 'w', sessions: { sessions: [own] } },
    });
    expect(seen({ session: other })).toBeNull();
    expect(seen({ removed: { sessionId: 'id-2', name: 'secret' } })).toBeNull();
    expect(seen({ frame: { sessionId: 'id-2' } })).toBeNull();
    expect(seen({})).toBeNull();
    expect(seen({ frame: { sessionId: 'id-1' } })).toEqual({ frame: { sessionId: 'id-1' } });
  });

  it('does not replay', () => {
    refused(() => viewing(true).stream('DumpRecording', {}));
  });
});
