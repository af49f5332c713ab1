import type { Disposable } from '#base';
import type { DriverState, Sender } from '#model';

/** Decides who may type in a session, for its coordinator. */
export interface InputGate {
  /** @throws VtrError NOT_DRIVER */
  check(sender: Sender): void;
  /** Sends input if its sender may type; called once per write. @throws VtrError NOT_DRIVER */
  send<T>(sender: Sender, write: () => Promise<T>): Promise<T>;
  state(): DriverState;
  onChange(listener: () => void): Disposable;
}
