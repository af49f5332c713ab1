/** Something that holds a resource until told to let go. Disposing twice is the same as once. */
export interface Disposable {
  dispose(): void;
}

/** A {@link Disposable} that runs `release` on the first call of `dispose` and never again. */
export function toDisposable(release: () => void): Disposable {
  let held = true;
  return {
    dispose() {
      if (!held) return;
      held = false;
      release();
    },
  };
}
