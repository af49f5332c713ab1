/**
 * The rooms of `src/`, the rooms that each may open, and its floor. The gate `rooms` checks `src/`
 * against this table, and `npm run generate` copies it to ARCHITECTURE.md.
 *
 * @typedef {object} Room
 * @property {string} name directory below `src/`, and the door `#name`
 * @property {number} floor imports go down or along
 * @property {readonly string[]} opens rooms that it may import
 * @property {readonly string[]} [opensLate] rooms that it may import by `import()` only
 * @property {readonly string[]} [sideDoors] directories of the room with a door of their own, `#name`
 * @property {readonly string[]} [testDoors] the same, for tests and scripts: no room opens them, and all tests may
 * @property {boolean} [pure] compiled without Node's types; may not import Node's modules
 * @property {boolean} [isProgram] nothing opens it: another program than Node runs its bundle
 */

/** @type {readonly Room[]} */
// biome-ignore format: a table
export const roomTable = [
  { name: 'base', floor: 0, pure: true, opens: [] },
  { name: 'libc', floor: 0, opens: [] },
  { name: 'model', floor: 1, pure: true, opens: ['base'] },
  { name: 'messages', floor: 1, pure: true, sideDoors: ['messages/page'], opens: ['base'] },
  { name: 'layout', floor: 1, pure: true, opens: [] },
  { name: 'keys', floor: 2, pure: true, opens: ['base', 'model'] },
  { name: 'vt', floor: 2, pure: true, sideDoors: ['vt/widths', 'vt/saving', 'vt/library'], testDoors: ['vt/functions', 'vt/checks'], opens: ['base', 'model'] },
  { name: 'watch', floor: 2, pure: true, opens: ['base', 'model'] },
  { name: 'format', floor: 3, pure: true, opens: ['base', 'watch'] },
  { name: 'recording', floor: 2, pure: true, opens: ['base', 'model'] },
  { name: 'notify', floor: 2, pure: true, opens: ['base', 'model'] },
  { name: 'git', floor: 2, opens: ['base', 'model'] },
  { name: 'metrics', floor: 1, pure: true, opens: ['base'] },
  { name: 'trust', floor: 1, opens: ['base'] },
  { name: 'agents', floor: 3, pure: true, opens: ['base', 'model', 'watch'] },
  { name: 'config', floor: 3, opens: ['base', 'model', 'notify', 'trust'], opensLate: ['keys', 'watch'] },
  { name: 'shell', floor: 2, opens: ['base', 'model', 'trust'] },
  { name: 'pty', floor: 2, sideDoors: ['pty/hosted'], opens: ['base', 'model', 'libc', 'trust'] },
  { name: 'tty', floor: 3, pure: true, opens: ['base', 'model', 'keys', 'vt'] },
  { name: 'replay', floor: 3, pure: true, opens: ['base', 'model', 'recording', 'vt'] },
  { name: 'predict', floor: 2, pure: true, opens: ['base', 'model'] },
  { name: 'mirror', floor: 3, pure: true, sideDoors: ['mirror/frames'], opens: ['base', 'model', 'vt'] },
  { name: 'shapes', floor: 1, pure: true, opens: [] },
  { name: 'image', floor: 3, opens: ['base', 'model', 'shapes'] },
  { name: 'session', floor: 3, opens: ['base', 'model', 'trust', 'keys', 'vt', 'vt/saving', 'pty', 'shell'] },
  { name: 'audit', floor: 4, opens: ['base', 'model', 'libc', 'config'] },
  { name: 'store', floor: 4, opens: ['base', 'model', 'trust', 'config', 'pty'] },
  {
    name: 'coordinator', floor: 4,
    opens: ['base', 'model', 'session', 'watch', 'agents', 'shell', 'recording', 'replay'],
  },
  { name: 'transport', floor: 4, sideDoors: ['transport/greeting', 'transport/forward'], opens: ['base', 'model', 'trust', 'config'] },
  {
    name: 'wire/service', floor: 5, sideDoors: ['wire/service/short'],
    opens: ['base', 'model', 'messages', 'metrics', 'trust'],
    opensLate: ['transport', 'transport/forward'],
  },
  { name: 'wire/mcp', floor: 5, opens: ['base', 'model'] },
  { name: 'wire/web', floor: 5, opens: ['base', 'model', 'messages', 'messages/page', 'notify'] },
  { name: 'wire/acp', floor: 5, opens: ['base', 'model', 'trust'] },
  {
    name: 'wire/tmux', floor: 5, sideDoors: ['wire/tmux/table'],
    opens: ['base', 'model', 'layout', 'trust', 'vt/widths', 'watch', 'format'],
  },
  { name: 'app/launch', floor: 6, opens: ['trust', 'config'] },
  {
    name: 'app/ptyd', floor: 6,
    opens: ['base', 'model', 'libc', 'trust', 'pty', 'pty/hosted', 'app/launch'],
  },
  {
    name: 'app/daemon', floor: 6, sideDoors: ['app/daemon/start'],
    opens: [
      'base', 'model', 'libc', 'metrics', 'trust', 'agents', 'config', 'audit', 'store', 'coordinator',
      'wire/service', 'pty/hosted',
    ],
    opensLate: ['git', 'transport', 'wire/web', 'wire/tmux'],
  },
  {
    name: 'app/client', floor: 6, opens: ['base', 'model', 'config'],
    opensLate: ['transport', 'wire/service', 'app/daemon'],
  },
  {
    name: 'app/mcp', floor: 6, opens: ['base', 'model', 'trust', 'config', 'wire/mcp', 'app/client'],
    opensLate: ['app/daemon'],
  },
  {
    name: 'app/acp', floor: 6, opens: ['base', 'model', 'trust', 'config', 'wire/acp', 'app/client'],
    opensLate: ['app/daemon'],
  },
  {
    name: 'app/tui', floor: 6,
    opens: ['base', 'model', 'layout', 'keys', 'vt', 'tty', 'recording', 'replay', 'predict', 'mirror', 'mirror/frames', 'format'],
    opensLate: ['watch', 'wire/service', 'git'],
  },
  {
    name: 'app/recordings', floor: 6,
    opens: ['base', 'model', 'trust', 'vt', 'recording', 'replay', 'image'],
  },
  {
    name: 'app/test', floor: 6, sideDoors: ['app/test/library'],
    opens: [
      'base', 'model', 'trust', 'keys', 'pty', 'config', 'watch', 'recording', 'replay', 'coordinator',
    ],
    opensLate: ['vt/widths', 'app/recordings'],
  },
  {
    name: 'web', floor: 6, isProgram: true,
    opens: [
      'base', 'model', 'messages', 'messages/page', 'vt', 'recording', 'replay', 'mirror', 'mirror/frames',
      'predict', 'shapes',
    ],
  },
  {
    name: 'app/cli', floor: 6,
    opens: [
      'base', 'model', 'metrics', 'trust', 'config', 'notify', 'audit', 'transport/greeting', 'wire/service/short', 'wire/acp',
      'app/client', 'git',
      'app/launch', 'app/daemon/start', 'wire/tmux/table',
    ],
    opensLate: [
      'vt/widths', 'transport', 'wire/service', 'app/daemon', 'app/mcp', 'app/acp', 'app/tui',
      'app/recordings', 'app/test',
    ],
  },
];

/** Directories that contain rooms and are not rooms. */
export const wings = ['wire', 'app'];

/** The only file of `src/` outside the rooms: the module that `import 'vtr'` loads. */
export const entry = {
  file: 'index.ts',
  opens: ['base', 'model', 'coordinator', 'wire/service', 'app/client'],
};

/**
 * The rooms that may import a package, mostly one. The keys are package.json's `dependencies` and
 * `peerDependencies`.
 *
 * @type {Readonly<Record<string, string | readonly string[]>>}
 */
export const packageRooms = {
  '@agentclientprotocol/sdk': 'wire/acp',
  '@bufbuild/protobuf': ['messages', 'wire/service'],
  '@connectrpc/connect': 'wire/service',
  '@connectrpc/connect-node': 'wire/service',
  '@lydell/node-pty': 'pty',
  '@modelcontextprotocol/server': 'wire/mcp',
  re2js: 'watch',
  'smol-toml': 'config',
  uqr: ['app/cli', 'web'],
  ws: 'wire/web',
  zod: 'wire/mcp',
};

/**
 * The one room that may import a package of which dist contains the code. The keys are devDependencies.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const bundledPackages = {
  '@preact/signals': 'web',
  preact: 'web',
};
