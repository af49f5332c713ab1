import type { WebSessions } from '#wire/web';

/** Calls without answers. */
export const silentCalls = {
  connect: () => ({
    unary: () => new Promise<never>(() => {}),
    stream: () => ({
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => new Promise<never>(() => {}),
      return: async () => ({ done: true as const, value: undefined }),
    }),
    close: () => {},
  }),
};

const refused = () => Promise.reject(new Error('no call was expected'));

/** A coordinator of which a test expects no call. */
export const noSessions: WebSessions = {
  info: refused,
  recordings: refused,
  subscribe: refused,
  view: refused,
  sendText: refused,
  watchSessions: refused,
};
