// Preloaded into a daemon: each SIGUSR2 throws an exception outside of any call, and rejects a promise.
process.on('SIGUSR2', () => {
  setTimeout(() => {
    throw new Error('injected exception');
  });
  void Promise.reject(new Error('injected rejection'));
});
