import { say } from './notices.tsx';

/** Says that a file that was dropped or pasted goes nowhere. */
export function tellNoFiles(): void {
  say('Not sent: the page takes no files. Copy it to the machine, for example with scp');
}

/** Whether a drag has files that no field takes. */
function hasFiles({ dataTransfer, target }: DragEvent): boolean {
  const isForField = target instanceof Element && target.closest('input[type="file"]') !== null;
  return !isForField && (dataTransfer?.types.includes('Files') ?? false);
}

/** Refuses files that are dropped anywhere: the browser would show them in place of the page. */
export function refuseFiles(): void {
  addEventListener('dragover', (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    tellNoFiles();
  });
}
