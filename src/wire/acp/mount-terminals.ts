import type { ClientApp } from '@agentclientprotocol/sdk';
import { type CancelSignal, type Coordinator, VtrError } from '#model';
import type { TerminalOptions } from './options.ts';
import { toRpcError } from './rpc-error.ts';
import { type TerminalMethod, TerminalProvider, terminalMethods } from './terminal-provider.ts';

export interface MountOptions extends TerminalOptions {
  /** Whose sessions the terminals are: one of this process, or one of a daemon (`connect`). */
  readonly coordinator: Coordinator;
}
