import { describe, expect, it } from 'vitest';
import type { Share } from './access/web-access.ts';
import { Scope } from './scope.ts';
import { allCalls, visitorCall } from './socket/visitor-calls.ts';

const share = (write: boolean, shown: Partial<Share> = {}): Share => ({
  id: 'x',
  hash: '',
  sessionId: 'id-1',
  session: 'codex',
  write,
  alis: false,
  withHistory: false,
  redact: true,
  begin: { line: 40, command: 7 },
  ...shown,
  sinceMs: 0,
  untilMs: 1,
});

/** Every method of proto/vtr.proto that is not for pages at all. */
const never = [
  ...['StopDaemon', 'RestartDaemon', 'DescribeDaemon', 'StartWeb', 'StopWeb', 'DescribeWeb'],
  ...['Publish', 'OpenLease', 'CloseLease', 'RunTmux', 'ControlTmux'],
  ...['TakeDriver', 'GiveDriver', 'constructor', 'toString'],
];

const ownerOnly = [
  ...['List', 'Spawn', 'Revive', 'End', 'Kill', 'Remove', 'Rename', 'SetLabels', 'GetScreen'],
  ...['Read', 'SetMarker', 'ListRecordings', 'StartRecording', 'StopRecording'],
  ...['RenameRecording', 'RemoveRecording'],
  ...['ListDirectories', 'ShareWeb', 'ListShares', 'Unshare', 'ListLogins', 'EndLogin'],
  ...['ListAgentKinds', 'MakeWorktree'],
];

const inputs = ['SendText', 'SendKey', 'SendBytes', 'SendMouse', 'SendFocus', 'Resize'];

const refused = (act: () => unknown) =>
  expect(act).toThrow(expect.objectContaining({ code: 'NOT_ALLOWED' }));

/** A scope with a viewing of its own. */
function viewing(write: boolean, shown: Partial<Share> = {}): Scope {
  const scope = new Scope(share(write, shown));
  scope.visible('View', { json: { viewId: 'mine' }, bytes: null });
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

  it('views under the name that its person has given', () => {
    const named = (each: Share | null) =>
      new Scope(each, () => 'Ann').stream('View', { name: 'a' });
    expect([named(null)['person'], named(share(false))['person']]).toEqual(['Ann', 'visitor Ann']);
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

  it.each([
    ['Info', {}, {}],
    ['ReadLines', {}, { from: 40 }],
    ['ListCommands', {}, {}],
    ['GetCommandOutput', { command: { number: '8' } }, { command: { number: 8 } }],
    ['Grep', { pattern: 'x' }, { pattern: 'x', from: 40 }],
  ])('calls %s for its session only, without secrets', (method, request, result) => {
    const others = [{ name: 'other' }, { sessionId: 'other' }, { session_id: 'other' }];
    for (const body of others) {
      expect(viewing(false).call(method, { ...body, ...request, redact: false })).toEqual({
        sessionId: 'id-1',
        redact: true,
        ...result,
      });
    }
  });

  it('calls nothing that the table does not allow, and with no other field', () => {
    const allowed = allCalls.filter((method) => visitorCall(method) !== null);
    expect(allowed.sort()).toEqual(
      [
        ...['CloseView', 'GetCommandOutput', 'Grep', 'Info', 'ListCommands', 'ReadLines', 'Resize'],
        ...['SendBytes', 'SendFocus', 'SendKey', 'SendMouse', 'SendText', 'SetWatchFrames'],
        ...['Subscribe', 'UpdateView', 'View', 'WatchSessions'],
      ].sort(),
    );
    for (const method of allCalls) {
      const isStream = visitorCall(method)?.isStream === true;
      const call = (body: object) => {
        const scope = viewing(true);
        return isStream ? scope.stream(method, { ...body }) : scope.call(method, { ...body });
      };
      refused(() => call({ viewer: 'mine', unheardOf: 1 }));
      if (!allowed.includes(method)) refused(() => call({}));
      else
        refused(() =>
          isStream ? viewing(true).call(method, {}) : viewing(true).stream(method, {}),
        );
    }
  });

  it('reads nothing from before its share', () => {
    const read = (method: string, body: object, shown: Partial<Share> = {}) => {
      const scope = viewing(false, shown);
      return method === 'Subscribe'
        ? scope.stream(method, { ...body })
        : scope.call(method, { ...body });
    };
    for (const from of [undefined, null, 0, '0', 39, '39'])
      for (const method of ['ReadLines', 'Grep'])
        expect(read(method, { from })).toMatchObject({ from: 40 });
    expect(read('ReadLines', { from: '41', to: 50 })).toMatchObject({ from: 41, to: 50 });
    for (const from of ['1e9', '0x1', -1, 1.5, {}, '']) {
      expect(() => read('ReadLines', { from })).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      );
    }
    for (const at of ['command:1', '-60s']) refused(() => read('ReadLines', { at }));
    for (const number of [1, '7', 7]) {
      refused(() => read('GetCommandOutput', { command: { number } }));
      refused(() => read('Grep', { command: { number } }));
    }
    refused(() => read('GetCommandOutput', {}));
    refused(() => read('Subscribe', { since: 'r1-id-1-0-0-0-0-0' }));
    expect(read('Subscribe', { scrollbackLines: 900 })).toMatchObject({ scrollbackLines: 0 });

    const withHistory = { withHistory: true };
    const at = { at: '-60s' };
    expect(read('ReadLines', at, withHistory)).toEqual({ ...at, sessionId: 'id-1', redact: true });
    const since = { since: 'start', scrollbackLines: 9 };
    expect(read('Subscribe', since, withHistory)).toMatchObject(since);
    expect(read('GetCommandOutput', {}, withHistory)).toMatchObject({ sessionId: 'id-1' });
  });

  it('gets no command and no line from before its share in an answer', () => {
    const commands = [{ number: 7 }, { number: 8 }];
    const matches = [{ lineId: '41', contextBefore: ['38', '39', '40'] }];
    const scope = viewing(false);
    const at = (ms: number) => new Date(ms).toISOString();
    const agentCommands = [{ number: 1 }, { startedAt: at(-1) }, { startedAt: at(0) }];
    expect(scope.answered('ListCommands', { commands, agentCommands })).toEqual({
      commands: [{ number: 8 }],
      agentCommands: [{ startedAt: at(0) }],
    });
    expect(scope.answered('Grep', { matches })).toEqual({
      matches: [{ lineId: '41', contextBefore: ['40'] }],
    });
    const all = viewing(false, { withHistory: true });
    expect(all.answered('ListCommands', { commands })).toEqual({ commands });
    expect(all.answered('Grep', { matches })).toEqual({ matches });
    expect(new Scope(null).answered('ListCommands', { commands })).toEqual({ commands });
  });

  it('sees secrets only if its share says so, and frames only then', () => {
    const frames = { sessions: [{ name: 'codex' }] };
    const shown = (redact: boolean) =>
      viewing(false, { redact }).stream('WatchSessions', { frames, redact: false });
    expect(shown(true)).toEqual({ redact: true });
    expect(shown(false)).toEqual({ redact: false, frames });
  });

  it('is called a visitor, whatever it says', () => {
    const named = (person: unknown) => viewing(true).stream('View', { person })['person'];
    expect([named('ann'), named(''), named(undefined), named(7)]).toEqual([
      ...['visitor ann', 'visitor', 'visitor', 'visitor'],
    ]);
  });

  it.each(inputs)('does not call %s without --write, nor without a viewing', (method) => {
    refused(() => viewing(false).call(method, { viewer: 'mine' }));
    refused(() => viewing(true).call(method, {}));
    refused(() => viewing(true).call(method, { viewer: null }));
    const body = { name: 'other', viewer: 'mine' };
    expect(viewing(true).call(method, body)).toEqual({ viewer: 'mine', sessionId: 'id-1' });
  });

  // An enumeration is its name or its number.
  it.each(['VIEW_AS_FORCE', 3])('watches, and takes over only with --write, never by %j', (as) => {
    const request = { name: 'other', as, viewId: 'lost' };
    const common = { person: 'visitor', kind: 'VIEWER_KIND_WEB', sessionId: 'id-1' };
    expect(viewing(false).stream('View', request)).toEqual({
      ...common,
      as: 'VIEW_AS_WATCH',
      readOnly: true,
    });
    expect(viewing(true).stream('View', request)).toEqual({
      ...common,
      as: 'VIEW_AS_TAKE',
      viewId: 'lost',
    });
    refused(() => viewing(false).call('UpdateView', { viewId: 'mine', take: {} }));
    for (const give of [{ note: 'for the agent' }, { to: 'ann' }, {}]) {
      const body = { viewId: 'mine', give };
      expect(viewing(true).call('UpdateView', body)).toEqual(body);
      if (Object.keys(give).length === 0)
        expect(viewing(false).call('UpdateView', body)).toEqual(body);
      else refused(() => viewing(false).call('UpdateView', body));
    }
    const take = { viewId: 'mine', take: { force: true } };
    expect(viewing(true).call('UpdateView', take)).toEqual({ viewId: 'mine', take: {} });
  });

  it('sees only its session among all', () => {
    const scope = new Scope(share(false));
    const [own, other] = [
      { id: 'id-1', name: 'codex' },
      { id: 'id-2', name: 'secret' },
    ];
    const filter = (json: object) =>
      scope.visible('WatchSessions', { json: { ...json }, bytes: null })?.json ?? null;
    expect(filter({ watchId: 'w', sessions: { sessions: [own, other] } })).toEqual({
      watchId: 'w',
      sessions: { sessions: [own] },
    });
    expect(filter({ session: other })).toBeNull();
    expect(filter({ removed: { sessionId: 'id-2', name: 'secret' } })).toBeNull();
    expect(filter({ frame: { sessionId: 'id-2' } })).toBeNull();
    expect(filter({})).toBeNull();
    expect(filter({ frame: { sessionId: 'id-1' } })).toEqual({ frame: { sessionId: 'id-1' } });
  });

  it('does not replay', () => {
    refused(() => viewing(true).stream('DumpRecording', {}));
  });
});
