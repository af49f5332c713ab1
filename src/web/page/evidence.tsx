import { type Attention, type SessionInfo, toldStatusOf } from '#model';

/** Kinds whose evidence is a command and how it ended. */
const ended: ReadonlySet<string> = new Set<Attention['kind']>(['failed', 'done', 'prompt']);
/** `COMMAND: HOW`; of a longer one, the end is not there (evidenceText). */
const parts = /^(.*)(: [^:]{1,60})$/;

/** Why a session wants somebody, in one line. Where there is no room for all, how a command ended stays. */
export function Evidence({ kind, evidence }: Pick<Attention, 'kind' | 'evidence'>) {
  const [, command = evidence, how = ''] = (ended.has(kind) && parts.exec(evidence)) || [];
  return (
    <span class="evidence" title={evidence}>
      <span>{command}</span>
      <b>{how}</b>
    </span>
  );
}

/** What the program in the foreground says that it does (OSC 7501, `vtr report`): how far it is, and a message. */
export function Told({ info }: { readonly info: SessionInfo }) {
  const status = toldStatusOf(info);
  if (status === null || (status.progress === null && status.message === '')) return null;
  const { progress, message } = status;
  return (
    <span class={`told ${status.state}`} title={message}>
      {progress !== null && <progress max={100} value={progress} aria-label={`${progress} %`} />}
      <span>{message}</span>
    </span>
  );
}
