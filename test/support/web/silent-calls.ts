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
