const kernel =
  'of the CPU for a MB of ASCII, cat takes 6.7 ms and the PTY host 5.2, mostly to hand over 4 KB at a time in the kernel, and the daemon 4.6: see reader : tmux';
const tools =
  'the state of a session takes a trip to the PTY host, reads of /proc and of the branch: 0.65 ms';

/** What profiles show of figures that miss their targets, by benchmark and figure. */
export const profiles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'end-to-end': {
    'vtr : tmux, geometric mean': kernel,
    'vtr with a PTY host : tmux, geometric mean': kernel,
    'vtr with a PTY host : tmux, ASCII log': kernel,
  },
  engine: {
    'vtr : xterm, geometric mean':
      'short texts between sequences (cursor motion, dense SGR) are parsed one sequence and written one cell at a time',
    'vtr : xterm, minimum':
      'of cursor motion, 35 % of the time writes text, and 31 % parses sequences',
  },
  attach: {
    'key p50 : one Node.js process that echoes':
      'five visits to processes on Node.js take 1.2 ms; client and daemon use 1 ms of CPU each, in many small functions',
    'key p50, ms':
      'five visits to processes on Node.js take 1.2 ms; client and daemon use 1 ms of CPU each, in many small functions',
  },
  latency: {
    'echo p50 with eight floods and a PTY host : without floods':
      'the echo waits for a processor: a bare reader beside eight floods takes longer, see the table',
  },
  mcp: {
    'list, p50, vtr mcp : the library': tools,
    'send and read, p50, vtr mcp : the library': tools,
    'send and read, p50, vtr mcp, ms': tools,
  },
  run: {
    'sleep 0.1, run of the library over its own time, p50, ms':
      'bash alone takes 3 ms more than the sleep; what has slept for 100 ms is cold',
  },
};
