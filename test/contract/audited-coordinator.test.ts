import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Audit, type NewEntry } from '#audit';
import { LocalCoordinator } from '#coordinator';
import {
  type Client,
  type Coordinator,
  callAs,
  callNames,
  callOf,
  type ObservedInput,
  VtrError,
  type WebControls,
  type WrittenInput,
} from '#model';
import { coordinatorActions, webActions } from '../../src/audit/actions.ts';
import { runs } from '../support/run/runs.ts';

const own: Client = { kind: 'vtr', pid: 1 };
const one = { name: 'one', id: 'A' };

/** Arguments for each method. */
const requests: { [Name in keyof Coordinator]: Parameters<Coordinator[Name]> } = {
  spawn: [{ name: 'one', program: 'sh', env: { KEY: 'value' } }],
  publish: [{ by: 'make' }],
  list: [],
  info: ['one'],
  rename: ['one', 'two'],
  setLabels: ['one', { key: 'value', other: null }],
  report: ['one', { state: 'busy' }],
  revive: ['one'],
  sendText: ['one', 'echo hello'],
  sendKeys: ['one', ['ctrl+c', { key: 'a', alt: true }]],
  sendBytes: ['one', Uint8Array.of(1, 2)],
  sendMouse: ['one', [{ action: 'press', row: 0, col: 0 }]],
  sendFocus: ['one', true],
  resize: ['one', { cols: 80, rows: 24 }],
  kill: ['one'],
  end: ['one'],
  remove: ['one', { force: true }],
  screen: ['one'],
  frame: ['one'],
  readLines: ['one'],
  follow: ['one'],
  search: ['one', { pattern: 'x' }],
  read: ['one'],
  mark: ['one'],
  record: ['one'],
  setMarker: ['one', 'label'],
  startRecording: ['one'],
  stopRecording: ['one'],
  recordings: [],
  renameRecording: ['R', 'deploy'],
  removeRecording: ['R'],
  wait: ['one'],
  activity: ['one'],
  explainAgent: ['one'],
  commands: ['one'],
  commandOutput: ['one'],
  run: ['one', { line: 'make all' }],
  take: ['one'],
  give: ['one'],
  view: ['one', { kind: 'web', size: { cols: 80, rows: 24 } }],
  openLease: [],
  subscribe: ['one'],
  watchSessions: [],
  close: [],
};

/** What changes nothing, and is therefore not recorded. */
const reads = [
  ...['list', 'info', 'screen', 'frame', 'readLines', 'search', 'read', 'mark', 'record'],
  'follow',
  'explainAgent',
  ...['recordings', 'wait', 'activity', 'commands', 'commandOutput', 'subscribe', 'watchSessions'],
];

/** What clients do not call, of this implementation. */
const notOfThePort = [
  ...['constructor', 'persistence', 'adopt', 'detach', 'identify', 'counts'],
  ...['removeLeftArchives', 'withoutSecrets', 'sessionOfReports', 'agentKindsChanged'],
  ...['lostSessions', 'idsWithEarlier'],
];

const methods = Object.keys(requests) as (keyof Coordinator)[];

interface Called {
  readonly audited: Coordinator;
  readonly entries: NewEntry[];
  /** The arguments of the calls that reached the coordinator. */
  readonly calls: unknown[][];
}

/** An audited coordinator whose calls end as `answer` says. */
function auditedWith(answer: (name: string, args: unknown[]) => Promise<unknown>): Called {
  const entries: NewEntry[] = [];
  const calls: unknown[][] = [];
  const method = (name: string) => [
    name,
    (...args: unknown[]) => {
      calls.push(args);
      return answer(name, args);
    },
  ];
  const audit = new Audit({
    trail: { add: (entry) => void entries.push(entry) },
    client: own,
    identify: (ref) => (ref === 'one' ? one : null),
    wallMs: () => 0,
  });
  const stub = Object.fromEntries(methods.map(method)) as unknown as Coordinator;
  return { audited: audit.coordinator(stub), entries, calls };
}

const call = (of: object, name: string, args: readonly unknown[]): Promise<unknown> =>
  (of as Record<string, (...args: readonly unknown[]) => Promise<unknown>>)[name]?.(
    ...args,
  ) as Promise<unknown>;

/** Tells the caller of input that it was written. */
function written(args: readonly unknown[], input: WrittenInput): void {
  for (const each of args) (each as ObservedInput | undefined)?.onWritten?.(input);
}

/** What all results have that a coordinator returns. */
const result = { name: 'made', id: 'B', session: { name: 'made', id: 'B' } };

describe('each method of a coordinator', () => {
  it('is recorded, or known to change nothing', () => {
    const port = Object.getOwnPropertyNames(LocalCoordinator.prototype);
    expect(port.filter((name) => !notOfThePort.includes(name)).sort()).toEqual([...methods].sort());
    expect(callNames().sort()).toEqual([...methods].sort());
    const unrecorded = callNames().filter((name) => callOf(name).audit === null);
    expect([...unrecorded].sort()).toEqual([...reads].sort());
    const recorded = callNames().filter((name) => !unrecorded.includes(name));
    expect(Object.keys(coordinatorActions).sort()).toEqual([...recorded].sort());
  });

  it('that changes anything leaves one entry, whoever calls it and however it ends', async () => {
    const client = fc.record({
      kind: fc.constantFrom('cli', 'mcp', 'web'),
      pid: fc.integer({ min: 2 }),
    });
    const property = fc.asyncProperty(
      fc.constantFrom(...methods),
      fc.option(client),
      fc.constantFrom('answers', 'fails', 'throws'),
      async (name, caller, end) => {
        const { audited, entries, calls } = auditedWith(async (_, args) => {
          const error = new VtrError('NOT_DRIVER', 'a person drives it');
          if (end === 'throws') throw error;
          if (end === 'fails') return Promise.reject(error);
          written(args, { bytes: 3, isShown: true });
          return result;
        });
        const answered = callAs(caller, () => call(audited, name, requests[name]));
        const outcome = await answered.then(
          () => 'answers',
          ({ code }) => code,
        );
        expect(outcome).toBe(end === 'answers' ? 'answers' : 'NOT_DRIVER');
        expect(calls).toHaveLength(1);
        if (reads.includes(name)) {
          expect(entries).toEqual([]);
          return;
        }
        const { kind, pid } = caller ?? own;
        const action = callOf(name).audit;
        expect(entries).toMatchObject([{ entry: { action, client: kind, pid } }]);
        expect(entries[0]?.entry.refused).toBe(end === 'answers' ? undefined : 'NOT_DRIVER');
        if (typeof requests[name][0] === 'string' && !/^re(?:name|move)Recording$/.test(name)) {
          expect(entries[0]?.entry.session).toBe(
            name === 'revive' && end === 'answers' ? 'made' : 'one',
          );
        }
        // What was refused was not typed: whether it would be shown is not known.
        if (end !== 'answers') expect(entries[0]?.input).toBeNull();
      },
    );
    await fc.assert(property, runs(200));
  });

  it('is called at once, and its result is the same', async () => {
    const { audited, calls } = auditedWith(async (name) => ({ ...result, of: name }));
    const results = methods.map((name) => call(audited, name, requests[name]));
    expect(calls).toHaveLength(methods.length);
    const wrapped = ['view', 'openLease', 'publish'];
    for (const [at, name] of methods.entries()) {
      if (!wrapped.includes(name)) expect(await results[at]).toEqual({ ...result, of: name });
    }
  });
});

describe('input', () => {
  const inputs = methods.filter((name) => callOf(name).kind === 'input');

  it('is recorded when it is written, with its text only if all of it is shown', async () => {
    expect(inputs.length).toBeGreaterThan(5);
    for (const name of inputs) {
      for (const isShown of [true, false]) {
        const { audited, entries } = auditedWith((_, args) => {
          written(args, { bytes: 7, isShown });
          return new Promise(() => {});
        });
        // It waits for something, for example for the end of a command.
        void call(audited, name, requests[name]);
        expect(entries, name).toMatchObject([{ entry: { bytes: 7, session_id: 'A' } }]);
        if (!isShown) expect(entries[0]?.input, name).toBeNull();
      }
    }
  });

  it('that writes nothing is not recorded: a repeat, and what a program did not request', async () => {
    for (const name of inputs) {
      const { audited, entries } = auditedWith(async () => result);
      await call(audited, name, requests[name]);
      expect(entries, name).toEqual([]);
    }
  });

  it('of several lines has its text only if none of them was hidden', async () => {
    for (const shown of [
      [true, true],
      [true, false],
      [false, true],
    ]) {
      const { audited, entries } = auditedWith(async (_, args) => {
        for (const isShown of shown) written(args, { bytes: 5, isShown });
        return result;
      });
      await audited.run('one', { line: 'sudo -S ls\nsecret' });
      expect(entries).toMatchObject([{ entry: { bytes: 10 } }]);
      expect(entries[0]?.input).toBe(shown.includes(false) ? null : 'sudo -S ls\nsecret');
    }
  });

  it('that is accepted in part has that size, and neither text nor hash', async () => {
    const details = { acceptedBytes: 4 };
    const { audited, entries } = auditedWith(() =>
      Promise.reject(new VtrError('INPUT_TIMEOUT', 'it does not read', { details })),
    );
    await expect(audited.sendText('one', 'echo hello')).rejects.toThrow();
    const entry = { refused: 'INPUT_TIMEOUT', bytes: 4 };
    expect(entries).toMatchObject([{ entry, input: null }]);
  });

  it('of several lines that is accepted in part has neither, though its beginning was shown', async () => {
    const details = { acceptedBytes: 4 };
    const { audited, entries } = auditedWith((_, args) => {
      written(args, { bytes: 8, isShown: true });
      return Promise.reject(new VtrError('INPUT_TIMEOUT', 'it does not read', { details }));
    });
    await expect(audited.run('one', { line: 'sudo -S\nsecret' })).rejects.toThrow();
    const entry = { refused: 'INPUT_TIMEOUT', bytes: 12 };
    expect(entries).toMatchObject([{ entry, input: null }]);
  });
});

describe('what a call returns', () => {
  it('is recorded for the client that made the call', async () => {
    const done = async () => {};
    const handle = { ...result, id: 'L', close: done, take: done, give: done, resize: done };
    const { audited, entries } = auditedWith(async () => ({ ...handle, dispose: done }));
    const cli: Client = { kind: 'cli', pid: 7 };
    const lease = await callAs(cli, () => audited.openLease());
    const viewing = await callAs(cli, () => audited.view(...requests.view));
    const publication = await callAs(cli, () => audited.publish(...requests.publish));
    await lease.close();
    await lease.close();
    await viewing.take({ force: true });
    await viewing.resize({ cols: 9, rows: 9 });
    await viewing.give();
    await viewing.dispose();
    await publication.close();
    expect(entries.map(({ entry }) => entry.action)).toEqual([
      ...['lease', 'view', 'publish', 'lease close', 'take', 'resize', 'give', 'leave'],
      'publish end',
    ]);
    expect(new Set(entries.map(({ entry }) => entry.pid))).toEqual(new Set([7]));
  });
});

describe('the web page', () => {
  it('says that a recording overwrites a file', async () => {
    const { audited, entries } = auditedWith(async () => {});
    await audited.startRecording('one', { file: '/tmp/a.cast', force: true });
    await audited.startRecording('one', { file: '/tmp/b.cast', input: true });
    expect(entries.map(({ entry }) => entry.details)).toEqual([
      { file: '/tmp/a.cast', force: true },
      { file: '/tmp/b.cast', input: true },
    ]);
  });

  it('is recorded where it is served and shared', async () => {
    const entries: NewEntry[] = [];
    const audit = new Audit({
      trail: { add: (entry) => void entries.push(entry) },
      client: own,
      identify: () => one,
      wallMs: () => 0,
    });
    const web: WebControls = {
      start: async () => ({ url: 'http://127.0.0.1/#t=secret', port: 7681 }),
      stop: async () => {},
      describe: () => ({ port: null, origin: '', viewers: 0, shares: 0, logins: 0, warnings: [] }),
      share: async () => ({ id: 'S', url: 'http://127.0.0.1/#t=secret', untilMs: 1 }),
      shares: async () => [],
      unshare: () => {
        throw new VtrError('SHARE_NOT_FOUND', 'there is no share');
      },
      logins: () => [],
      endLogin: () => {},
    };
    const audited = audit.web(web);
    await audited.start({});
    await audited.share('one', { write: true, withHistory: true, redact: false });
    expect(() => audited.unshare('S')).toThrow();
    audited.endLogin('L');
    audited.logins();
    await audited.stop();
    audited.describe();
    await audited.shares();
    expect(entries.map(({ entry }) => [entry.action, entry.details, entry.refused])).toEqual([
      ['web', undefined, undefined],
      ['share', { write: true, with_history: true, redact: false, share: 'S' }, undefined],
      ['unshare', { share: 'S' }, 'SHARE_NOT_FOUND'],
      ['web logout', { login: 'L' }, undefined],
      ['web stop', undefined, undefined],
    ]);
    expect(JSON.stringify(entries)).not.toContain('secret');
    expect(Object.keys(webActions).sort()).toEqual(Object.keys(web).sort());
  });
});
