/** Whether the sessions of a coordinator are saved. */
export interface Persistence {
  /**
   * `disk`: they can be listed and revived after a reboot. `memory`: they are saved in the process that
   * owns the pseudo-terminals, and survive the daemon only. `stopped`: they are not saved.
   */
  readonly state: 'disk' | 'memory' | 'stopped';
  /** The reason for `stopped`. */
  readonly reason?: string;
}
