const kernel =
  'of the CPU for a MB of ASCII, cat takes 5.1 ms and the PTY host 4.2, mostly to hand over 4 KB at a time in the kernel, one after the other, and the daemon 3.1 beside them: see reader : tmux';
const key =
  'JavaScript takes 0.7 ms in the client, 0.7 in the daemon and 0.3 in the PTY host, traced at a load of 19; it is cold after 30 ms, see keys 3 ms apart';
const garbage =
  'in 500 keys, V8 collects garbage 65 times in the three processes: 53 young collections of 0.9 ms on average; the other 12 are two collections of up to 9.5 ms, and their beginnings, in each process, 8 and 9 s after its start, with which V8 gives memory back: 7 MB of a client';
const firstFrame =
  'V8 sets up the compiled code of two bundles, 218 and 309 KB, in 1.4 and 2 ms, and runs the second in 2.3; Node.js loads its modules for terminals in 1.8; 7.8 ms are for words, configuration and the request (load 14): 38 ms of CPU in the main thread, node -e 0 has 20 in all (ADR 0022)';
const floods =
  'each of six hops between processes waits for a processor, 0.2 to 0.7 ms beside two floods';
const processors =
  'the echo waits for a processor: a bare reader beside eight floods takes longer, see the table';
const list =
  'traced, p50 after 200 calls at a load of 28: vtr mcp takes 0.34 ms until it asks the daemon, the daemon 0.76, and vtr mcp 0.20 after its answer, in many small functions; the writes that wake the others take 0.01 each; the PTY host is not asked while the program waits';
const send =
  'traced, p50 after 150 calls at a load of 38: vtr mcp takes 0.52 ms until it asks the daemon, the daemon 0.79 until it asks the PTY host, and 0.32 from the output to the question what the program does, for which the host takes 0.54; then the daemon takes 0.43 and vtr mcp 0.44; no timer is in it; much of the code is not optimised yet: from the first 200 to the last of 1,400, the CPU of vtr mcp falls from 1.0 to 0.7 ms, of the daemon from 2.2 to 1.0, and of the PTY host from 0.9 to 0.4';

/** What profiles show of figures that miss their targets, by benchmark and figure. */
export const profiles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'end-to-end': {
    'vtr : tmux, geometric mean': kernel,
    'vtr with a PTY host : tmux, geometric mean': kernel,
    'vtr with a PTY host : tmux, ASCII log': kernel,
  },
  attach: {
    'key p50 : one Node.js process that echoes': key,
    'key p50, ms': key,
    'key p99, ms': garbage,
    'first frame : node -e 0': firstFrame,
    'first frame : 1.6 × node + 15 ms': firstFrame,
  },
  latency: {
    'echo p50 alone : a bare reader':
      'of 0.2 ms, the call takes 0.12, of which write(2) 0.02, the modes of the terminal 0.01 and notes of the input 0.08, and the echo 0.06, a third of it in the engine; no other function takes 0.006',
    'echo p50 with eight floods and a PTY host : without floods': processors,
    'echo p99 with eight floods and a PTY host, ms': processors,
  },
  service: {
    'byte and back, 2 floods, p50, ms': floods,
    'byte and back, 2 floods, p99, ms': floods,
  },
  web: {
    'key p50, ms':
      'a client without a browser has the echo after 2.8 ms, of which the daemon uses 2 ms of CPU, in many small functions',
    'longest pause of the daemon while pages join, own CPU, ms':
      'the main thread works for 2 to 8 ms of it, of which a collection of garbage takes up to 4; else it waits for a processor while V8 compiles on one and another process has the other (ADR 0170)',
  },
  mcp: {
    'list, p50, vtr mcp : the library': list,
    'send and read, p50, vtr mcp : the library': send,
    'send and read, p50, vtr mcp, ms': send,
    'send and read, p50, vtr mcp --embedded, ms':
      '1.7 ms of CPU, of which reads of /proc take 9 % and the collector 8 %; no other function takes 4 %',
  },
  sessions: {
    'memory of the PTY host before, MB':
      '35 MB are the pages of the file of Node.js, which all its processes share; node -e has 38.4 MB, and the binding that starts programs takes 3.7',
    'spawn over the socket, p50, ms':
      'traced at a load of 13, the daemon takes 0.7 ms before the PTY host and 0.8 after it, the host 0.6 before the start of the program, 0.15 for it and 0.3 after it, in many small functions that are cold; the four hops take 0.2',
  },
  run: {
    'sleep 0.1, run of the library over its own time, p50, ms':
      'bash alone takes 3 ms more than the sleep; what has slept for 100 ms is cold: the daemon takes 0.6 ms before the line and 0.7 after its end',
    'true, run of the library over its own time, p50, ms':
      'of 3.4 ms that were traced, bash takes 1.2, with a key binding before the line and the hooks of its prompt after it, the daemon 0.7 before the line and 0.7 after its end, and the PTY host 0.4',
  },
};
