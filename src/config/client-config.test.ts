import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tree } from '../../test/support/tree.ts';
import { expandPath, parseClientConfig, readClientConfig } from './client-config.ts';
import { addCoordinator, removeCoordinator } from './edit-coordinators.ts';

const parse = (source: string) => parseClientConfig(source, 'config.toml');

describe('config.toml', () => {
  it('lists coordinators and the defaults of flags', async () => {
    const source = `
[[coordinators]]
path = "/var/run/vtr/*.sock"  # glob pattern

[[coordinators]]
path = "/home/me/.vtr/project-alpha.sock"

[[coordinators]]
name = "gpu"
address = "ssh://gpu1"

[defaults]
wait_for_idle_timeout = "5s"
grep_context_before = 3
grep_context_after = 2
output_format = "human"

[attach]
leader = "ctrl+a"
clipboard = "write"

[notify]
quiet = "22:30-07:00"

[keys.attach]
detach = "x"
`;
    expect(await parse(source)).toEqual({
      coordinators: [
        { place: '/var/run/vtr/*.sock' },
        { place: '/home/me/.vtr/project-alpha.sock' },
        { place: 'ssh://gpu1', name: 'gpu' },
      ],
      waitForIdleTimeoutMs: 5000,
      grepContextBefore: 3,
      grepContextAfter: 2,
      outputFormat: 'human',
      execCols: 120,
      passedVariables: [],
      attach: {
        leader: 'ctrl+a',
        status: 'on',
        clipboard: 'write',
        bell: 'attached',
        notifications: 'pass',
        programStatus: 'off',
        mouse: 'on',
        predict: 'auto',
        copyCommand: null,
        remainOnExit: 'on',
        statusLeft: null,
        statusRight: null,
      },
      acp: { shell: 'off' },
      notify: {
        quiet: { fromMinute: 1350, toMinute: 420 },
        perMinute: 6,
        webhook: null,
        webhookFormat: null,
      },
      keys: { attach: { detach: 'x' } },
    });
    expect(await parse('')).toEqual({
      coordinators: [],
      waitForIdleTimeoutMs: 5000,
      grepContextBefore: 0,
      grepContextAfter: 0,
      outputFormat: 'human',
      execCols: 120,
      passedVariables: [],
      attach: {
        leader: 'ctrl+b',
        status: 'on',
        clipboard: 'off',
        bell: 'attached',
        notifications: 'pass',
        programStatus: 'off',
        mouse: 'on',
        predict: 'auto',
        copyCommand: null,
        remainOnExit: 'on',
        statusLeft: null,
        statusRight: null,
      },
      acp: { shell: 'off' },
      notify: { quiet: null, perMinute: 6, webhook: null, webhookFormat: null },
      keys: {},
    });
  });

  it.each([
    [
      '[defaults]\n\n  outputformat = "json"',
      '3:3: unknown key outputformat; did you mean output_format?',
    ],
    ['[defaults]\nwait_for_idle_timeout = 5', '2:25: wait_for_idle_timeout is 5; it must be a dur'],
    ['[[coordinators]]\npath = "/a"\n[[coordinators]]\npaht = "/b"', '4:1: unknown key paht'],
    ['[[coordinators]]\npath = ""', '2:8: path is ""; it must be the path of a Unix socket, or a'],
    ['[[coordinators]]\npath = "ssh://a"', '2:8: path is "ssh://a"; it must be the path of'],
    [
      'coordinators = "/a"',
      '1:16: coordinators must be an array of tables, written as [[coordinators]]',
    ],
    ['\n[[coordinators]]', '2:1: [[coordinators]] must set either path or address'],
    [
      '[[coordinators]]\npath = "/a"\naddress = "ssh://a"',
      '1:1: [[coordinators]] must set either path or address',
    ],
    ['[[coordinators]]\npath = "/*"\nname = "a"', '1:1: [[coordinators]] cannot set the name of'],
    [
      '[[coordinators]]\naddress = "kube://ns/app=web"\nname = "a"',
      '1:1: [[coordinators]] cannot set the name of a glob or of labels',
    ],
    ['[[coordinators]]\naddress = "docker://a=b"', '2:11: address: the address docker://a=b'],
    ['[[coordinators]]\naddress = "/a"', '2:11: address is "/a"; it must be an address such as'],
    ['[[coordinators]]\naddress = "exec:a"', '2:11: address is "exec:a"; it must be an address'],
    ['[[coordinators]]\naddress = "ssh://-x"', '2:11: address: the address ssh://-x cannot be'],
    [
      '[[coordinators]]\naddress = "ssh://a"\nname = "a:b"',
      '3:8: name is "a:b"; it must be letters, digits',
    ],
    ['[notify]\nquiet = "22-7"', '2:9: quiet is "22-7"; it must be two different times such as'],
    ['[notify]\nquiet = "07:00-07:00"', '2:9: quiet is "07:00-07:00"; it must be two different'],
    ['[notify]\nquiet = "24:00-07:00"', '2:9: quiet is "24:00-07:00"; it must be two different'],
    ['[attach]\nleader = "foo"', '2:10: leader: key "foo": no key has this name'],
    ['[keys.attach]\ndetatch = "x"', '2:1: unknown action detatch; did you mean detach?'],
    ['[keys.list]\nup = "x"', '1:1: unknown table list; valid ones are attach, scroll'],
    ['[keys.ui]\nkill = ""', '2:8: kill is ""; it must be a key such as "ctrl+x", or a list'],
    ['[keys.ui]\nkill = ["a", "b", "a"]', '2:8: kill: "a" is listed twice'],
    ['[keys.ui]\nkill = "nokey"', '2:8: kill: key "nokey"'],
    ['[keys.attach]\nkill = "d"', '2:8: kill: "d" is a key of detach, too; give detach another'],
    ['[keys.attach]\nkill = "ctrl+b"', '2:8: kill: "ctrl+b" is the leader; its name here is'],
    [
      '[attach]\nleader = "ctrl+a"\n[keys.scroll]\nup = "ctrl+a"',
      '4:6: up: "ctrl+a" is the leader, which begins a command',
    ],
    ['[keys.attach]\nkill = "ctrl+i"', '2:8: kill: "ctrl+i" cannot be typed in most terminals'],
    ['[keys.attach]\nkill = "left_shift"', '2:8: kill: "left_shift" cannot be typed: terminals'],
    ['[keys.line]\naccept = "x"', '2:10: accept: "x" is a part of what is typed'],
    ['[keys.help]\nleave = []', '2:9: leave needs a key: nothing else leaves'],
    ['[keys.direct]\nnxt_session = "alt+n"', '2:1: unknown action nxt_session; did you mean'],
    ['[keys.direct]\nlast = "x"', '2:8: last: "x" is needed for typing; a key without the'],
    ['[keys.direct]\nlast = "shift+x"', '2:8: last: "shift+x" is needed for typing'],
    ['[keys.direct]\nlast = "space"', '2:8: last: "space" is needed for typing'],
    ['[keys.direct]\nlast = "enter"', '2:8: last: "enter" is needed for typing'],
    ['[keys.direct]\nlast = "ctrl+b"', '2:8: last: "ctrl+b" is the leader, which begins'],
    ['[keys.direct]\nlast = "leader"', '2:8: last: "leader" is a key of [keys.attach] only'],
    ['[keys.direct]\nlast = "ctrl+i"', '2:8: last: "ctrl+i" cannot be typed in most terminals'],
    ['[keys.direct]\nlast = "f5"\nzoom = "F5"', '3:8: zoom: "F5" is a key of last, too; give last'],
    ['[keys.direct]\nlast = "ctrl+x n"', '2:8: last: "ctrl+x n" is 2 keys; only [keys.attach]'],
    ['[keys.ui]\nkill = "g n"', '2:8: kill: "g n" is 2 keys; only [keys.attach] and [keys.panes]'],
    [
      '[keys.attach]\nlast = "g l"',
      '2:8: last: "g l" begins with "g", a key of grep_all; give grep_all another key in [keys.attach]',
    ],
    [
      '[keys.attach]\nlast = "v l"\nkill = "v"',
      '3:8: kill: "v" is the beginning of "v l", a key of last; give last another key',
    ],
    ['[keys.attach]\nlast = ["v l", "v"]', '2:8: last: "v" is the beginning of "v l"; leave out'],
    ['[keys.attach]\nlast = "v  l"\nkill = "v l"', '3:8: kill: "v l" is a key of last, too'],
    ['[keys.attach]\nlast = "v leader"', '2:8: last: "v leader": "leader" cannot be part of'],
    ['[keys.attach]\nlast = "v ctrl+b"', '2:8: last: "ctrl+b" is the leader'],
    ['[keys.attach]\nlast = "v escape"', '2:8: last: "v escape": escape leaves a sequence'],
    ['[keys.attach]\nlast = "v nokey"', '2:8: last: key "nokey"'],
    ['keys = 3', '1:8: it must be a table, written as [keys]'],
    ['[keys]\nattach = 3', '2:10: it must be a table, written as [keys.attach]'],
    ['defaults = 3', '1:12: it must be a table, written as [defaults]'],
    ['x = """\n[defaults]\n"""\n[defaults]\ny = 1', '1:1: unknown key x'],
    ['[defaults\n', '1:10: '],
    ['[defaults]\na = 1\na = 2', '3:1: '],
  ])('refuses %j', async (source, message) => {
    await expect(parse(source)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(`config.toml:${message}`),
    });
  });

  it('fails with the fix if others can write to it', async () => {
    const directory = tree({ 'vtr/config.toml': '' });
    const file = join(directory, 'vtr/config.toml');
    chmodSync(file, 0o666);
    await expect(readClientConfig({ env: { XDG_CONFIG_HOME: directory } })).rejects.toThrow(
      `chmod go-w ${file}`,
    );
  });
});

describe('an edit of config.toml', () => {
  const edited = (source?: string) => {
    const directory = tree();
    const file = join(directory, 'vtr/config.toml');
    if (source !== undefined) {
      mkdirSync(join(directory, 'vtr'));
      writeFileSync(file, source);
    }
    const user = { env: { XDG_CONFIG_HOME: directory } };
    return { user, file, text: () => readFileSync(file, 'utf8') };
  };
  const source = `# mine
[defaults] # all of them
output_format = "json"

# the first
[[coordinators]] # a
# inside
path = '/a' # why

[[coordinators]]
path = "/b"
`;

  it('adds at the end and changes nothing else', async () => {
    const { user, file, text } = edited(source);
    chmodSync(file, 0o640);
    expect(await addCoordinator(user, { place: '/c"d' })).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(text()).toBe(`${source}\n[[coordinators]]\npath = "/c\\"d"\n`);
    expect(await addCoordinator(user, { place: '/a' })).toBe(false);
  });

  it('makes the file if it does not exist', async () => {
    const { user, text } = edited();
    expect(await addCoordinator(user, { place: '/a' })).toBe(true);
    expect(text()).toBe('[[coordinators]]\npath = "/a"\n');
  });

  it('removes a coordinator and keeps the comments', async () => {
    const { user, text } = edited(source);
    expect(await removeCoordinator(user, '/a')).toBe(true);
    expect(text()).toBe(`# mine
[defaults] # all of them
output_format = "json"

# the first
# inside

[[coordinators]]
path = "/b"
`);
    expect(await removeCoordinator(user, '/a')).toBe(false);
  });

  it('does not change a file that it cannot edit', async () => {
    const inline = 'coordinators = [{ path = "/a" }]\n';
    const { user, text } = edited(inline);
    await expect(addCoordinator(user, { place: '/b' })).rejects.toThrow('edit it by hand');
    await expect(removeCoordinator(user, '/a')).rejects.toThrow('edit it by hand');
    expect(text()).toBe(inline);
  });

  it('follows a symbolic link and keeps it', async () => {
    const { user, file, text } = edited('');
    const target = `${file}.real`;
    writeFileSync(target, '# real\n');
    const directory = tree();
    mkdirSync(join(directory, 'vtr'));
    symlinkSync(target, join(directory, 'vtr/config.toml'));
    await addCoordinator({ env: { XDG_CONFIG_HOME: directory } }, { place: '/a' });
    expect(readFileSync(target, 'utf8')).toBe('# real\n\n[[coordinators]]\npath = "/a"\n');
    expect([user.env.XDG_CONFIG_HOME, text()]).toEqual([expect.any(String), '']);
  });
});

describe('expandPath', () => {
  async function sockets(...paths: readonly string[]): Promise<string> {
    const root = tree({ 'file.sock': '', 'b/other.txt': '' });
    for (const path of paths) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      const server = createServer().listen(join(root, path));
      onTestFinished(() => void server.close());
      await once(server, 'listening');
    }
    return root;
  }

  it.each([
    ['*.sock', ['a.sock', 'b.sock']],
    ['?.sock', ['a.sock', 'b.sock']],
    ['[ac].sock', ['a.sock']],
    ['[!a].sock', ['b.sock']],
    ['*/vtr.sock', ['b/vtr.sock', 'c/vtr.sock']],
    ['b/*', ['b/vtr.sock']],
    ['.*.sock', ['.h.sock']],
    ['a.s[o', []],
    ['[z-a].sock', []],
    ['none/*.sock', []],
  ])('expands %s to the matching sockets', async (glob, expected) => {
    const root = await sockets('a.sock', 'b.sock', '.h.sock', 'b/vtr.sock', 'c/vtr.sock');
    expect(expandPath(join(root, glob))).toEqual(expected.map((path) => join(root, path)));
  });

  it('returns a plain path unchanged, whether or not it exists', () => {
    expect(expandPath('/no/such.sock')).toEqual(['/no/such.sock']);
  });
});
