/** The code of an error of the system; `short`: fewer bytes than were asked for; or what a clock does. */
export type Failure = string;

/** What clocks do. The time of day can be set; the other clocks show that a process was suspended. */
const ofTheClock = {
  'Date.now': ['jump back', 'jump forward', 'stand still'],
  'performance.now': ['suspension'],
  'process.hrtime': ['suspension'],
  setTimeout: ['suspension'],
};

const clockFailures: ReadonlySet<Failure> = new Set(Object.values(ofTheClock).flat());

/** Whether a clock did it: nothing has failed. */
export const isOfTheClock = (failure: Failure): boolean => clockFailures.has(failure);

const space = ['ENOSPC', 'EDQUOT', 'EIO'];
const create = ['EACCES', ...space];
const paths = ['EACCES', 'EIO'];

/** By the name of Node's function. */
const failures: Readonly<Record<string, readonly Failure[]>> = {
  ...ofTheClock,
  openSync: ['EMFILE', 'EACCES', 'EIO', 'ENOSPC'],
  open: ['EMFILE', 'EACCES', 'EIO', 'ENOSPC'],
  closeSync: ['EIO'],
  'handle.close': ['EIO'],
  readSync: ['EIO', 'short'],
  'handle.read': ['EIO', 'short'],
  'handle.readFile': ['EIO'],
  readFileSync: ['EMFILE', 'EIO'],
  readFile: ['EMFILE', 'EIO'],
  writeSync: [...space, 'short'],
  'handle.write': [...space, 'short'],
  write: [...space, 'short'],
  writeFileSync: ['EMFILE', ...space],
  ftruncateSync: ['EIO'],
  'handle.truncate': ['EIO'],
  fstatSync: ['EIO'],
  'handle.stat': ['EIO'],
  fsyncSync: space,
  'handle.sync': space,
  'handle.datasync': space,
  mkdirSync: create,
  mkdir: create,
  mkdtempSync: create,
  mkdtemp: create,
  linkSync: create,
  renameSync: create,
  rename: create,
  readdirSync: ['EMFILE', 'EIO'],
  readdir: ['EMFILE', 'EIO'],
  connect: ['EMFILE', 'ECONNREFUSED'],
  'socket.write': ['EPIPE', 'ECONNRESET'],
  'socket.read': ['ECONNRESET'],
  listen: ['EMFILE', 'EACCES', 'ENOSPC'],
  accept: ['EMFILE'],
  spawn: ['EAGAIN', 'EMFILE', 'ENOMEM'],
  'libc.posix_spawn': ['EAGAIN', 'ENOMEM', 'EIO'],
  'libc.posix_spawn_file_actions_addchdir_np': ['ENOMEM'],
  'libc.posix_spawn_file_actions_addopen': ['ENOMEM'],
  'libc.posix_spawn_file_actions_adddup2': ['ENOMEM'],
  'libc.syscall': ['EPERM'],
  'libc.getrlimit': ['EPERM'],
  'libc.setrlimit': ['EPERM'],
};

const ofTerminals = ['EMFILE', 'EIO', 'ENOSPC', 'short'];
const ofTables = ['EMFILE', 'EACCES', 'short'];

/**
 * Returns the ways in which a call can fail.
 *
 * @param path of the file that is named or open; files in /proc and /dev are not on a disk
 * @param isOpen whether it is open: then no descriptor is needed
 */
export function failuresOf(name: string, path: string, isOpen: boolean): readonly Failure[] {
  const all = (failures[name] ?? paths).filter((each) => !isOpen || each !== 'EMFILE');
  if (/^\/dev\/(ptmx|pts\/\d+)$/.test(path)) {
    return all.filter((each) => ofTerminals.includes(each) && !(isOpen && each === 'ENOSPC'));
  }
  if (path.startsWith('/dev/')) return all.filter((each) => each === 'EMFILE');
  if (/^\/(proc|sys)\//.test(path)) return all.filter((each) => ofTables.includes(each));
  return all;
}
