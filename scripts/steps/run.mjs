import { spawn } from 'node:child_process';

/**
 * @typedef {object} RunResult
 * @property {number} status exit status; 1 where a signal ended the program
 * @property {string} stdout
 * @property {string} output stdout and stderr in the order in which they arrived
 */

/**
 * Runs a program to its end without a shell and returns its output.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd: string }} options
 * @returns {Promise<RunResult>}
 * @throws the error of `spawn` when the program does not start, e.g. ENOENT
 */
export function run(program, args, { cwd }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ status: code ?? 1, stdout, output }));
  });
}

/**
 * Runs a JavaScript program with this version of Node.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd: string }} options
 */
export const runNode = (file, args, options) => run(process.execPath, [file, ...args], options);
