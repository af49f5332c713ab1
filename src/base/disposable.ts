/** An object that owns a resource until it is disposed. To dispose it again has no effect. */
export interface Disposable {
  dispose(): void;
}

/** Returns a {@link Disposable} that calls `release` on the first `dispose` only. */
export function toDisposable(release: () => void): Disposable {
  let isOwned = true;
  return {
    dispose() {
      if (!isOwned) return;
      isOwned = false;
      release();
    },
  };
}
