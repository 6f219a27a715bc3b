// Dark or light? As the system prefers, until the user chooses.

const KEY = 'swarm-theme';
type Theme = 'light' | 'dark';

const system = window.matchMedia('(prefers-color-scheme: dark)');

function chosen(): Theme | undefined {
  try {
    const found = window.localStorage.getItem(KEY);
    return found === 'light' || found === 'dark' ? found : undefined;
  } catch {
    return undefined;
  }
}

export const themeNow = (): Theme => chosen() ?? (system.matches ? 'dark' : 'light');

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = themeNow();
}

export function toggleTheme(): void {
  const next = themeNow() === 'dark' ? 'light' : 'dark';
  try {
    window.localStorage.setItem(KEY, next);
  } catch {
    // Without storage, the choice lasts as long as the page is open.
  }
  document.documentElement.dataset['theme'] = next;
}

export function followSystem(then: () => void): void {
  system.addEventListener('change', () => {
    applyTheme();
    then();
  });
}
