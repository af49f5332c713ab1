import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { FileRecordingJson } from '#messages';
import { errorText } from '../link/link.ts';
import { wordOf } from '../link/values.ts';
import type { App } from '../page/app.ts';
import { titleOfView } from '../page/notify.ts';

/** Returns a number of bytes for people. */
function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [unit, divisor] = bytes < 1024 ** 2 ? ['KiB', 1024] : (['MiB', 1024 ** 2] as const);
  return `${(bytes / divisor).toFixed(1)} ${unit}`;
}

/** The recordings that were written to files, newest first. */
export function Recordings({ app }: { readonly app: App }) {
  const all = useSignal<readonly FileRecordingJson[] | null>(null);
  const problem = useSignal('');
  useEffect(() => {
    titleOfView.value = 'Recordings · vtr';
    return app.link.onUp(() => {
      app.link
        .call('ListRecordings', {})
        .then(({ recordings = [] }) => {
          all.value = recordings.toSorted((a, b) =>
            (b.startedAt ?? '').localeCompare(a.startedAt ?? ''),
          );
        })
        .catch((error) => {
          problem.value = errorText(error);
        });
    });
  }, [app]);
  return (
    <main class="files">
      <header class="bar">
        <a href="#/" class="back" aria-label="All sessions">
          ‹
        </a>
        <h1>Recordings</h1>
      </header>
      {problem.value !== '' && <p class="empty">{problem.value}</p>}
      {all.value?.length === 0 && (
        <p class="empty">No recordings. vtr record start SESSION writes one.</p>
      )}
      <ul>
        {(all.value ?? []).map(({ id = '', session = '', state, bytes = '0', startedAt }) => (
          <li key={id}>
            <a href={`#/f/${encodeURIComponent(id)}`}>
              <b>{session || id}</b>
              <span>{startedAt === undefined ? '' : new Date(startedAt).toLocaleString()}</span>
              <span class="state">{wordOf('FILE_RECORDING_STATE_', state)}</span>
              <span class="state">{sizeText(Number(bytes))}</span>
            </a>
          </li>
        ))}
      </ul>
    </main>
  );
}
