import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren, FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import type { SessionInfo } from '#model';
import type { PredictedScreen } from '#predict';
import type { Calls } from '../link/link.ts';
import type { OtherViewer } from '../link/values.ts';
import type { App, Placed } from './app.ts';
import { closeDialog, isOpen, openDialog } from './dialog.tsx';
import { pressEarlyKeys } from './early-keys.ts';
import { say } from './notices.tsx';
import type { SearchWays, Spot } from './route.ts';

type OfPage = FunctionComponent<{ readonly app: App }>;
type OfSession = FunctionComponent<{ readonly app: App; readonly info: SessionInfo }>;

/** What on-demand.ts has. */
interface Script {
  readonly Focus: FunctionComponent<FocusProps>;
  readonly openNewSession: (app: App) => void;
  readonly openPalette: (app: App) => void;
  readonly openKeys: () => void;
  readonly openSettings: () => void;
  readonly askToPaste: (question: PasteQuestion) => void;
  readonly PredictedScreen: typeof PredictedScreen;
  readonly downloadPicture: (app: App, info: SessionInfo, format: 'PNG' | 'SVG') => Promise<void>;
  readonly RenameDialog: OfSession;
  readonly LabelDialog: OfSession;
  readonly ShareDialog: OfSession;
  readonly Transcript: FunctionComponent<TranscriptProps>;
  readonly OutputResults: FunctionComponent<OutputResultsProps>;
  readonly People: OfPage;
  readonly Recordings: OfPage;
  readonly AlsoHere: FunctionComponent<AlsoHereProps>;
  readonly GiveMenu: FunctionComponent<GiveMenuProps>;
  readonly FileReplay: FunctionComponent<FileReplayProps>;
  readonly SessionReplay: FunctionComponent<SessionReplayProps>;
  readonly Split: FunctionComponent<{ readonly app: App; readonly names: readonly string[] }>;
}

/** A session in focus. */
export interface FocusProps {
  readonly app: App;
  readonly info: SessionInfo;
  /** The line or the command in the address, which is shown first. */
  readonly spot: Spot;
}

/** A paste of which the person is asked. */
export interface PasteQuestion {
  readonly text: string;
  /** Whether the program has asked for pastes in one piece. */
  readonly isBracketed: boolean;
  readonly paste: (text: string) => void;
}

/** A search of the output of sessions. */
export interface OutputResultsProps {
  /** The sessions to search. */
  readonly targets: readonly Placed[];
  readonly query: string;
  /** What chose the sessions: if it changes, others are searched. */
  readonly places: string;
  readonly ways: SearchWays;
}

/** What a full-screen program has shown. */
export interface TranscriptProps {
  readonly link: Calls;
  readonly info: SessionInfo;
  /** Returns the number of the last change of the screen, as far as the page has it. */
  readonly revisionNow: () => number | undefined;
  readonly close: () => void;
}

/** Who else sees a session. */
export interface AlsoHereProps {
  readonly others: readonly OtherViewer[];
  /** The name of who drives; null for nobody. */
  readonly driver: string | null;
}

/** How a session is given back, or handed to another viewer. */
export interface GiveMenuProps {
  readonly others: readonly OtherViewer[];
  readonly give: (note: string) => void;
  /** @param to the name of one of the others */
  readonly hand: (to: string, note: string) => void;
}

/** A recording in a file. */
export interface FileReplayProps {
  readonly id: string;
  /** The time to show, as the address has it. */
  readonly moment: string | undefined;
}

/** What is recorded of a session. */
export interface SessionReplayProps {
  readonly app: App;
  readonly info: SessionInfo;
  /** The session in the address of the page. */
  readonly address: string;
  /** The time to show, as the address has it. */
  readonly moment: string | undefined;
}

/** The script of what the first view does not need; null until it is loaded. */
const script = signal<Script | null>(null);
let loading: Promise<Script> | null = null;
let load: () => Promise<Script> = () => Promise.reject(new Error('loadBy was not called'));

/** Says how the script is loaded. It uses this file, so this file does not import it. */
export function loadBy(how: typeof load): void {
  load = how;
}

/** Loads the script, once. A load that failed is tried again. @throws TypeError if nothing answers, or it is gone */
export function loadLater(): Promise<Script> {
  loading ??= load().then(
    (all) => {
      script.value = all;
      return all;
    },
    (error) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}

const failed = 'This part of the page did not load. Load the page again.';

/** Does something with the script, at once if it is loaded. Until then, no key acts but Escape, which gives up. */
export async function later(act: (script: Script) => void): Promise<void> {
  if (script.value !== null) {
    act(script.value);
    return;
  }
  const waits = () => <Waits />;
  openDialog(waits);
  const loaded = await loadLater().catch(() => null);
  if (!isOpen(waits)) return;
  closeDialog();
  if (loaded === null) say(failed);
  else act(loaded);
}

/** Keeps keys from acting on the page below a dialog that is not there yet. */
function Waits() {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.key === 'Escape') closeDialog();
    };
    addEventListener('keydown', pressed, true);
    return () => removeEventListener('keydown', pressed, true);
  }, []);
  return null;
}

/** Renders something of the script when it is loaded. */
export function Later({ show }: { readonly show: (script: Script) => ComponentChildren }) {
  const problem = useSignal('');
  useEffect(() => {
    loadLater().catch(() => {
      problem.value = failed;
    });
  }, []);
  const isThere = script.value !== null;
  useEffect(() => {
    if (isThere) pressEarlyKeys();
  }, [isThere]);
  if (script.value !== null) return <>{show(script.value)}</>;
  if (problem.value === '') return <p class="empty">Loading…</p>;
  return (
    <main class="empty">
      <p role="alert">{problem.value}</p>
      <button type="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </main>
  );
}
