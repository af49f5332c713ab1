// Loaded into a command with --import: writes the name of each call to descriptor 3 once the call has
// been sent.
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';

// Not in a daemon that the command starts.
delete process.env['NODE_OPTIONS'];

const { write } = Socket.prototype;

/**
 * @this {Socket}
 * @param {string | Uint8Array} data
 * @param {any[]} rest
 * @returns {boolean}
 */
Socket.prototype.write = function (data, ...rest) {
  const [, method] = /^POST \/vtr\.VTR\/(\w+)/.exec(String(data)) ?? [];
  const onSent = method === undefined ? rest : [() => writeSync(3, `${method}\n`)];
  return write.call(this, data, ...onSent);
};
