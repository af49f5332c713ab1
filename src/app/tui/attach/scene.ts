import type { Coordinator, SessionInfo, Size, Viewing } from '#model';
import type { Action } from '../view/view.ts';
import type { AttachEnd, AttachOptions } from './attach-options.ts';

/** Where a person goes from a session: away, or to another one. */
export type Way =
  | AttachEnd
  | {
      readonly type: 'other';
      readonly session: { readonly name: string; readonly id: string };
      readonly line?: number;
      readonly as?: AttachOptions['as'];
    };

/** What an effect acts on. */
export interface Scene {
  readonly coordinator: Coordinator;
  /** Null until it is known who drives. */
  readonly viewing: Viewing | null;
  readonly session: { readonly name: string; readonly id: string };
  /** All sessions of the coordinator by id, with `attention`; empty until they are known. */
  readonly sessions: ReadonlyMap<string, SessionInfo>;
  /** The size in which the person's window can show the session. */
  readonly size: Size;
  readonly setClipboard: (text: string) => void;
}

/** What follows when an effect has been performed. */
export interface Done {
  readonly way?: Way;
  readonly said?: string;
  readonly action?: Action;
}

/** Starts the program of an ended session again; shows the session if somebody else has. */
export async function restart({ coordinator, session }: Scene): Promise<Done> {
  try {
    const { name, id } = await coordinator.revive(session);
    return { way: { type: 'other', session: { name, id } } };
  } catch (error) {
    const { name, id, state } = await coordinator.info(session.name).catch(() => {
      throw error;
    });
    if (state !== 'running' || id === session.id) throw error;
    return { way: { type: 'other', session: { name, id } } };
  }
}
