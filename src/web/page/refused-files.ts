import { say } from './notices.tsx';

/** Whether a drag has files that neither a terminal nor a field takes. */
function hasUnusedFiles(event: DragEvent): boolean {
  const { dataTransfer, target, defaultPrevented } = event;
  const isForField = target instanceof Element && target.closest('input[type="file"]') !== null;
  return !defaultPrevented && !isForField && (dataTransfer?.types.includes('Files') ?? false);
}

/** Refuses files that are dropped anywhere else: the browser would show them in place of the page. */
export function refuseFiles(): void {
  addEventListener('dragover', (event) => {
    if (hasUnusedFiles(event)) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    if (!hasUnusedFiles(event)) return;
    event.preventDefault();
    say('Not sent: drop files on the terminal of a session');
  });
}
