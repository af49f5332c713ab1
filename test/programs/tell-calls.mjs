// Loaded into a command with --import: writes the name of each call to descriptor 3 once the call has
// been sent.
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';

// Not in a daemon that the command starts.
delete process.env['NODE_OPTIONS'];

/** @param {unknown} data @returns {string | undefined} */
const methodIn = (data) => /^POST \/vtr\.VTR\/(\w+)/.exec(String(data))?.[1];
/** @param {string} method */
const tell = (method) => writeSync(3, `${method}\n`);

const { write } = Socket.prototype;

/**
 * @this {Socket}
 * @param {string | Uint8Array} data
 * @param {any[]} rest
 * @returns {boolean}
 */
Socket.prototype.write = function (data, ...rest) {
  const method = methodIn(data);
  const onSent = method === undefined ? rest : [() => tell(method)];
  return write.call(this, data, ...onSent);
};

// What a short command sends without node:net.
const { Pipe } = /** @type {any} */ (process).binding('pipe_wrap');
const { writeUtf8String } = Pipe.prototype;

/**
 * @param {unknown} request
 * @param {string} text
 * @returns {number}
 */
Pipe.prototype.writeUtf8String = function (request, text) {
  const status = writeUtf8String.call(this, request, text);
  const method = methodIn(text);
  if (method !== undefined) tell(method);
  return status;
};
