import { useSignal } from '@preact/signals';
import { readScheme } from '../look/scheme.ts';
import {
  bounds,
  changeSettings,
  configured,
  defaults,
  predictModes,
  settings,
} from '../look/settings.ts';
import { themes } from '../look/themes.ts';
import { closeDialog, Dialog, openDialog } from '../page/dialog.tsx';
import type { Choice } from '../palette/palette.tsx';
import { NotifyDevice } from '../people/notify-device.tsx';

/** Opens the settings of the page in this browser. */
export function openSettings(): void {
  openDialog(SettingsDialog);
}

/** What the palette has of the settings. */
export const settingsChoices = (): readonly Choice[] => [
  { kind: 'action', name: 'Settings', about: 'theme, font, size', run: openSettings },
  ...themes
    .filter(([theme]) => theme !== 'own' || settings.value.scheme !== '')
    .map(([theme, text]) => ({
      kind: 'action' as const,
      name: `Theme: ${text}`,
      about: 'settings',
      isLater: true as const,
      run: () => changeSettings({ theme }),
    })),
];

const predictTexts = {
  auto: 'Where the connection is slow',
  always: 'Always',
  never: 'Never',
} as const;

function SettingsDialog() {
  const { theme, font, scheme, ligatures, keys, asksBeforePaste, predict } = settings.value;
  return (
    <Dialog label="Settings">
      <form method="dialog" onSubmit={closeDialog}>
        <header>Settings</header>
        <label class="field">
          <span>Theme</span>
          <select
            value={theme}
            onChange={({ currentTarget }) => changeSettings({ theme: currentTarget.value })}
          >
            {themes.map(([name, text]) => (
              <option key={name} value={name} disabled={name === 'own' && scheme === ''}>
                {name === 'auto' && configured.value !== '' ? 'As configured' : text}
              </option>
            ))}
          </select>
        </label>
        <SchemeField />
        <label class="field">
          <span>Font of terminals</span>
          <input
            value={font}
            placeholder="JetBrains Mono, of the page"
            autocomplete="off"
            spellcheck={false}
            onChange={({ currentTarget }) => changeSettings({ font: currentTarget.value.trim() })}
          />
          <span class="help">The name of a monospaced font that is installed on this device.</span>
        </label>
        <div class="beside">
          <NumberField name="fontSize" label="Size (px)" step={1} />
          <NumberField name="lineHeight" label="Line height" step={0.05} />
        </div>
        <label class="check">
          <input
            type="checkbox"
            checked={ligatures}
            onChange={({ currentTarget }) => changeSettings({ ligatures: currentTarget.checked })}
          />
          Ligatures: =&gt; and != as one sign, if the font has it
        </label>
        <label class="field">
          <span>Keys of your own</span>
          <input
            value={keys}
            placeholder="ctrl+c ctrl+r /clear"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onChange={({ currentTarget }) => changeSettings({ keys: currentTarget.value })}
          />
          <span class="help">A row of the key bar on phones: keys and words, between blanks.</span>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={asksBeforePaste}
            onChange={({ currentTarget }) =>
              changeSettings({ asksBeforePaste: currentTarget.checked })
            }
          />
          Ask before a paste of several lines
        </label>
        <label class="field">
          <span>Show what you type before the program does</span>
          <select
            value={predict}
            onChange={({ currentTarget }) =>
              changeSettings({ predict: currentTarget.value as typeof predict })
            }
          >
            {predictModes.map((mode) => (
              <option key={mode} value={mode}>
                {predictTexts[mode]}
              </option>
            ))}
          </select>
          <span class="help">It is underlined until the program has echoed it.</span>
        </label>
        <NotifyDevice />
        <div class="actions">
          <button type="button" onClick={() => changeSettings(defaults)}>
            Reset
          </button>
          <button type="submit" class="primary">
            Done
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface NumberProps {
  readonly name: keyof typeof bounds;
  readonly label: string;
  readonly step: number;
}

function NumberField({ name, label, step }: NumberProps) {
  const [least, most] = bounds[name];
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        value={settings.value[name]}
        min={least}
        max={most}
        step={step}
        onChange={({ currentTarget }) => {
          if (currentTarget.value !== '') changeSettings({ [name]: Number(currentTarget.value) });
        }}
      />
    </label>
  );
}

/** Takes a colour scheme from a file or as text. */
function SchemeField() {
  const problem = useSignal('');
  const take = (text: string) => {
    try {
      readScheme(text);
      problem.value = '';
      changeSettings({ scheme: text, theme: 'own' });
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <label class="field">
      <span>Own colours</span>
      <input
        type="file"
        onChange={({ currentTarget }) => {
          void currentTarget.files?.[0]?.text().then(take);
        }}
      />
      <span class="help">A colour scheme of Ghostty, or of Windows Terminal as JSON.</span>
      {problem.value !== '' && (
        <span class="error" role="alert">
          {problem.value}
        </span>
      )}
    </label>
  );
}
