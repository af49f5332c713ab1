import {
  closeSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readRecording } from '#app/recordings';
import { Forwarder, forwardTarget, Trail } from '#audit';
import * as config from '#config';
import { GitBranches } from '../../src/app/daemon/git-branches.ts';
import { claimSocket } from '../../src/app/daemon/start/claim.ts';
import { writePidFile } from '../../src/app/daemon/start/process-identity.ts';
import { readTokenFile, writeTokenFile } from '../../src/app/mcp/run-mcp.ts';
import { AuditFile } from '../../src/wire/acp/audit-trail.ts';
import { failEveryCall, type Operation } from '../support/faults/every-call.ts';
import { tree } from '../support/tree.ts';

const root = tree({}, afterAll);
const at = (name: string) => join(root, name);
const contentOf = (name: string) => readFileSync(at(name), 'utf8');
const empty = () => {
  for (const name of readdirSync(root)) rmSync(at(name), { recursive: true });
};
const put = (name: string, text: string) => () => {
  mkdirSync(join(at(name), '..'), { recursive: true });
  writeFileSync(at(name), text, { mode: 0o600 });
};
const env = { HOME: root, XDG_CONFIG_HOME: root, XDG_STATE_HOME: at('state') };
const user = { env, home: root };

const io = ['IO_ERROR'] as const;
const ioOrInvalid = ['IO_ERROR', 'INVALID_ARGUMENT'] as const;
const coordinators = '[[coordinators]]\npath = "/a/b"\n';

const operations: readonly Operation[] = [
  {
    name: 'entries of the audit trail are forwarded to a file',
    codes: [],
    act: async () => {
      const directory = at('audit');
      const reasons: string[] = [];
      const log = (line: string) => void reasons.push(line);
      const to = { kind: 'file', path: at('forwarded') } as const;
      const forwarder = new Forwarder({ directory, target: forwardTarget(to), ...to, log });
      const onWritten = (newest: number) => forwarder.note(newest);
      const options = { directory, maxBytes: 1024 * 1024, text: false, wallMs: () => 0, log };
      const trail = new Trail({ ...options, onWritten });
      for (const bytes of [1, 2, 3]) {
        trail.add({ entry: { time: '', action: 'send', client: 'x', bytes }, input: null });
      }
      await trail.close();
      await forwarder.close();
      const lines = existsSync(to.path) ? contentOf('forwarded').split('\n') : [];
      return [lines.filter((line) => line.includes('"send"')).length, reasons];
    },
    isReported: ([, reasons]: [number, string[]], reason) =>
      reasons.some((each) => each.includes(reason)),
  },
  {
    name: 'a file is created',
    codes: io,
    act: () => {
      config.createFile(at('new'), 'text');
      return contentOf('new');
    },
  },
  {
    name: 'a file is replaced',
    codes: io,
    prepare: put('old', 'old'),
    act: () => {
      config.replaceFile(at('old'), 'text');
      return contentOf('old');
    },
  },
  {
    name: 'a file of the user is overwritten',
    codes: io,
    prepare: put('old', 'old'),
    act: () => {
      config.overwriteFile(at('old'), 'text');
      return contentOf('old');
    },
  },
  {
    name: 'server.toml is read',
    codes: ioOrInvalid,
    prepare: put('server.toml', 'max_sessions = 7\n'),
    act: () => config.readServerConfig(user, at('server.toml')),
  },
  {
    name: 'config.toml is read',
    codes: ioOrInvalid,
    prepare: put('vtr/config.toml', coordinators),
    act: () => config.readClientConfig(user),
  },
  {
    name: 'a coordinator is added',
    codes: ioOrInvalid,
    prepare: put('vtr/config.toml', coordinators),
    act: async () => {
      await config.addCoordinator(user, { place: '/c/d' });
      return contentOf('vtr/config.toml');
    },
  },
  {
    name: 'a coordinator is added to a new file',
    codes: ioOrInvalid,
    act: async () => {
      await config.addCoordinator(user, { place: '/c/d' });
      return contentOf('vtr/config.toml');
    },
  },
  {
    name: 'a coordinator is removed',
    codes: ioOrInvalid,
    prepare: put('vtr/config.toml', coordinators),
    act: async () => {
      await config.removeCoordinator(user, '/a/b');
      return contentOf('vtr/config.toml');
    },
  },
  {
    name: 'a directory for a socket is made',
    codes: ['UNAVAILABLE'],
    act: () => config.ensurePrivateDirectory(at('a/b')),
  },
  {
    name: 'the record of a daemon is written, read and removed',
    codes: io,
    act: () => {
      config.writeDaemonRecord(at('s'), { flags: ['-v'], inForeground: true, state: '/x' });
      const values = [config.readDaemonRecord(at('s')), config.stateDirectory(user, at('s'))];
      config.removeDaemonRecord(at('s'));
      return [values, existsSync(at('s.daemon'))];
    },
    // The file of another user, who keeps it from us, does not count.
    isReported: (_, reason) => reason === 'EACCES',
  },
  {
    name: 'the state of a web page is written, read and removed',
    codes: io,
    act: () => {
      config.writeWebState(at('s'), { port: 1 });
      const state = config.readWebState(at('s'));
      config.writeWebState(at('s'), null);
      return [state, existsSync(at('s.web'))];
    },
    // The file of another user, who keeps it from us, does not count.
    isReported: (_, reason) => reason === 'EACCES',
  },
  {
    name: 'PTY hosts and saved sessions are looked for',
    codes: ['IO_ERROR', 'UNAVAILABLE'],
    prepare: () => {
      put('s.01234567.ptyd', '')();
      put(`state/vtr/${at('s').replaceAll('/', '!')}/one/facts`, '')();
    },
    act: async () => [config.ptyHostSockets(at('s')), await config.areSessionsLeft(user, at('s'))],
  },
  {
    name: 'the log is opened, and otherwise there is none',
    codes: [],
    act: () => {
      const log = config.openLog(at('log'));
      if (log !== null) closeSync(log);
      return log !== null;
    },
    isReported: (result) => result === false,
  },
  {
    name: 'a socket is claimed',
    codes: ['UNAVAILABLE'],
    act: async () => {
      const claim = await claimSocket(at('s'), { isLive: async () => false });
      claim?.renew();
      claim?.release();
      return claim !== null;
    },
  },
  {
    name: 'a socket is found to be claimed',
    codes: ['UNAVAILABLE'],
    // Process 1 is alive, and has a smaller pid: a socket that answers means that it has the claim.
    prepare: put(`s.1-${startOf(1)}.claim`, ''),
    act: async () => [
      await claimSocket(at('s'), { isLive: async () => true }),
      // That of a process which runs is never removed.
      existsSync(at(`s.1-${startOf(1)}.claim`)),
    ],
  },
  {
    name: 'a pid file is written and removed',
    codes: ['IO_ERROR', 'UNAVAILABLE'],
    act: () => {
      const removePidFile = writePidFile(at('pid'), at('s'));
      const [, , socket] = contentOf('pid').split('\n');
      removePidFile();
      return socket;
    },
  },
  {
    name: 'a token is written, read and removed',
    codes: ['IO_ERROR', 'UNAVAILABLE', 'INVALID_ARGUMENT'],
    act: () => {
      const removeToken = writeTokenFile(at('token'), 'x'.repeat(20));
      const token = readTokenFile(at('token'));
      removeToken();
      return token;
    },
  },
  {
    name: 'a line is added to an audit file, or nothing',
    codes: ioOrInvalid,
    prepare: put('audit', '{"event":"exit"}\n'),
    act: () => {
      try {
        new AuditFile(at('audit')).write({
          time: '',
          event: 'refused',
          command: 'ls',
          args: [],
          cwd: '/',
          conversation: '',
          envNames: [],
          error: 'IO_ERROR',
          message: 'x'.repeat(1000),
        });
      } finally {
        for (const line of contentOf('audit').trim().split('\n')) JSON.parse(line);
      }
      return contentOf('audit');
    },
  },
  {
    name: 'the branch of a directory is read, or none is known',
    codes: [],
    prepare: put('repo/.git/HEAD', 'ref: refs/heads/main\n'),
    act: () => new GitBranches().of(at('repo')),
    isReported: (branch) => branch === null,
  },
  {
    name: 'a recording is read',
    codes: io,
    prepare: put('r.cast', '{"version":2,"width":80,"height":24}\n[0,"o","x"]\n'),
    act: () => readRecording(at('r.cast'), 'r.cast'),
  },
];

function startOf(pid: number): string {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return fields[19] ?? '';
}

describe('files, of which every system call fails', () => {
  const all = operations.map((each) => [each.name, each] as const);
  test.each(all)('%s', async (_, operation) => {
    const { wrong, calls } = await failEveryCall({ ...operation, undo: empty }, root);
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(0);
  });
});
