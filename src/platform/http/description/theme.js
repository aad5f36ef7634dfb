// Applies the theme that was chosen in the app, before anything is drawn and whenever the system's theme changes. Served unchanged.
const system = matchMedia('(prefers-color-scheme: dark)')
const paint = () => {
  let stored = 'system'
  try {
    stored = localStorage.getItem('theme') || stored
  } catch {}
  const dark = stored === 'dark' || (stored === 'system' && system.matches)
  document.documentElement.classList.toggle('dark', dark)
}
paint()
system.addEventListener('change', paint)
