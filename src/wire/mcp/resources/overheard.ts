import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

/** The same transport, of which each message of the client is heard before it is handled. */
export function overheard(
  transport: Transport,
  hear: (message: JSONRPCMessage) => void,
): Transport {
  const outer: Transport = {
    start() {
      transport.onmessage = (message, extra) => {
        hear(message);
        outer.onmessage?.(message, extra);
      };
      transport.onclose = () => outer.onclose?.();
      transport.onerror = (error) => outer.onerror?.(error);
      return transport.start();
    },
    send: (message, options) => transport.send(message, options),
    close: () => transport.close(),
  };
  return outer;
}
