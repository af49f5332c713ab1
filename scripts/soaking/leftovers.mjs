// What tests leave behind: they put their files into a directory of this run, and each process that they
// start, and its children, has the path of that directory in its environment or its command line.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** @returns the path of a new temporary directory, which other users can pass, as some tests need */
export function makeDirectory() {
  // Sockets below it have paths of at most 107 bytes.
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'vtr-soak-')));
  chmodSync(directory, 0o755);
  return directory;
}

/**
 * Ends the processes that name the directory, except this one, and removes the directory.
 *
 * @param {string} directory
 * @param {number} [graceMs] for processes that tests have told to end
 * @returns {Promise<string[]>} what there was, one line each; nothing if the tests left nothing
 */
export async function removeLeftovers(directory, graceMs = 10_000) {
  let processes = processesNaming(directory);
  for (const end = Date.now() + graceMs; processes.length > 0 && Date.now() < end; ) {
    await pause(200);
    processes = processesNaming(directory);
  }
  for (const { pid } of processes) kill(pid);
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  rmSync(directory, { recursive: true, force: true });
  return [
    ...processes.map(({ pid, command }) => `process ${pid}: ${command}`),
    ...files.slice(0, 20).map((name) => `file ${join(directory, name)}`),
  ];
}

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/**
 * Needs /proc: nothing is found on other systems than Linux.
 *
 * @param {string} text
 */
function processesNaming(text) {
  return pids().flatMap((pid) => {
    const command = contents(`/proc/${pid}/cmdline`);
    if (pid === process.pid || command === '') return [];
    const isNamed = command.includes(text) || contents(`/proc/${pid}/environ`).includes(text);
    return isNamed ? [{ pid, command: command.replaceAll('\0', ' ').trim().slice(0, 160) }] : [];
  });
}

function pids() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/**
 * Empty for a process that has ended, and for the command line of a zombie.
 *
 * @param {string} path
 */
function contents(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
